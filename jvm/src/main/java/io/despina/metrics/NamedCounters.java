package io.despina.metrics;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** What a user's function counts, by his names. Written by its task's thread, read by any. */
public final class NamedCounters {
    /** So many names an operator may have: each is told with every status. */
    static final int MOST = 64;

    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    /**
     * Only the counting thread calls this.
     *
     * @throws IllegalStateException there are too many names
     */
    public void add(String name, long more) {
        Counter found = counters.get(name);
        if (found == null) {
            if (counters.size() == MOST) {
                throw new IllegalStateException("counter `" + name + "` is one more than an operator may have, which is " + MOST
                        + ": let names say what is counted, and not of which row");
            }
            found = new Counter();
            counters.put(name, found);
        }
        found.add(more);
    }

    Map<String, Long> snapshot() {
        if (counters.isEmpty()) {
            return Map.of();
        }
        Map<String, Long> now = new TreeMap<>();
        counters.forEach((name, counter) -> now.put(name, counter.get()));
        return now;
    }

    /** The sums by name. @param sign of the second, 1 or -1 */
    static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other, int sign) {
        if (other.isEmpty()) {
            return one;
        }
        Map<String, Long> sums = new TreeMap<>(one);
        other.forEach((name, count) -> sums.merge(name, sign * count, Long::sum));
        return sums;
    }
}
