package io.despina.opcua;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** When the last value of each node was measured that has been given, in microseconds since 1970. */
final class Given {
    /** By {@link Item#name}. */
    private final Map<String, Long> latest = new HashMap<>();
    /**
     * From when on the history has had values of a node that a subscription may bring once more. What is older than that was
     * measured by a clock that has been set back, and is new.
     */
    private final Map<String, Long> overlapping = new HashMap<>();

    /** What an earlier process has given. @param last as texts, by the names of nodes */
    void remember(Map<String, String> last) {
        last.forEach((name, micros) -> latest.put(name, Long.parseLong(micros)));
    }

    /** Of nodes of which nothing is known, all from a time on is missing, in microseconds since 1970. */
    void missing(Collection<Item> items, long from) {
        items.forEach(each -> latest.putIfAbsent(each.name(), from - 1));
    }

    /** Those of the nodes of which something has been given. */
    List<History.Known> known(Collection<Item> items) {
        return items.stream().filter(each -> latest.containsKey(each.name()))
                .map(each -> new History.Known(each, latest.get(each.name()))).toList();
    }

    /** A subscription is made: it brings nothing that was given before, but for each node's last value. */
    void subscribed() {
        overlapping.clear();
    }

    /** A value of the history is given; of its node something was known. */
    void past(History.Past value) {
        overlapping.putIfAbsent(value.item().name(), latest.put(value.item().name(), value.micros()));
    }

    /**
     * Whether a value of a subscription has not been given before: by another subscription, or of the history. Then it is.
     *
     * @param first whether it is the first of its node that the subscription brings
     */
    boolean isNew(Item item, long micros, boolean first) {
        if (micros == Reading.NO_TIME) {
            return true;
        }
        Long last = latest.get(item.name());
        Long from = overlapping.get(item.name());
        if (last != null && (first && micros == last || from != null && micros >= from && micros <= last)) {
            return false;
        }
        overlapping.remove(item.name());
        latest.put(item.name(), micros);
        return true;
    }
}
