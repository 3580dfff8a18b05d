package io.despina.operator.outbox;

import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What an outbox has prepared and not let go, as its snapshots have it: by epoch, from which item of the log to which. */
final class PreparedRows {
    private static final String SCHEMA = "schema";
    private static final String NEXT = "next";
    private static final String OVER = "over";
    /** Names of what is of no epoch. */
    private static final Set<String> OF_ALL = Set.of(SCHEMA, NEXT, OVER);

    private final TreeMap<Long, EpochRows> epochs = new TreeMap<>();
    private final NamedEntries state = new NamedEntries("outbox", this::place);
    private String schema;
    /** The first item of the epoch that has no number yet. */
    private long begun;
    private boolean over;

    /** @param columns of the rows that come */
    void of(String columns) {
        schema = columns;
    }

    State state() {
        return state;
    }

    /** By instance, what earlier attempts left. */
    List<Map<String, String>> restored() {
        return state.restored();
    }

    private Map<String, String> place() {
        Map<String, String> place = new LinkedHashMap<>();
        place.put(SCHEMA, schema);
        place.put(NEXT, Long.toString(begun));
        if (over) {
            place.put(OVER, "");
        }
        epochs.forEach((epoch, each) -> place.put(Long.toString(epoch), each.text()));
        return place;
    }

    /** @return the columns of the rows that an instance has left, if they are others; else null */
    String otherSchema(Map<String, String> left) {
        String before = left.getOrDefault(SCHEMA, schema);
        return before.equals(schema) ? null : before;
    }

    /**
     * Takes over what an instance has left.
     *
     * @param committed whether all of it is out
     * @return the first item of the log that comes
     */
    long goOnFrom(Map<String, String> left, boolean committed) {
        left.forEach((name, text) -> {
            if (!OF_ALL.contains(name)) {
                epochs.put(Long.parseLong(name), EpochRows.of(text));
            }
        });
        over = left.containsKey(OVER);
        long next = Long.parseLong(left.getOrDefault(NEXT, "0"));
        if (committed) {
            epochs.replaceAll((epoch, rows) -> new EpochRows(next, next));       // this folder need not have their rows
        }
        return next;
    }

    /**
     * Every instance commits the epochs of all, of which it may have no row. The input of a new one has ended if
     * those of all others have.
     */
    void shareEpochs(List<Map<String, String>> all) {
        over |= !all.isEmpty() && all.stream().allMatch(each -> each.containsKey(OVER));
        all.forEach(each -> each.keySet().stream().filter(name -> !OF_ALL.contains(name))
                .forEach(name -> epochs.putIfAbsent(Long.parseLong(name), new EpochRows(begun, begun))));
    }

    /** Epochs up to that one have left. */
    void left(long epoch) {
        epochs.headMap(epoch, true).clear();
    }

    /** The first item of the log that is still to leave; {@code next} if none is. */
    long first(long next) {
        return epochs.isEmpty() ? next : epochs.firstEntry().getValue().from();
    }

    /** The next epoch begins at that item. */
    void begin(long item) {
        begun = item;
    }

    /** An epoch has the rows up to that item. */
    void prepare(long epoch, long item) {
        epochs.put(epoch, new EpochRows(begun, item));
        begun = item;
    }

    /** Null if it is not prepared. */
    EpochRows find(long epoch) {
        return epochs.get(epoch);
    }

    /** No row follows. */
    void end() {
        over = true;
    }

    boolean isOver() {
        return over;
    }
}
