package io.despina.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A target that takes rows together with a marker, in one transaction. Whoever comes with a marker that is there changes nothing.
 * It holds each row against what must come.
 */
final class MarkedTarget {
    /** What one sink instance has of one epoch. The same epoch has the same rows, whoever brings them. */
    record Part(String folder, int instance, long epoch, List<Output> rows) {
        private String marker() {
            return folder + "/" + instance + "/" + epoch;
        }
    }

    /** A row: its partition, its number there, the sum of all numbers up to it, and how it was for its time. */
    record Output(int partition, long number, long sum, Lateness lateness) {
    }

    /** @param count how many late rows its partition has had, itself included */
    record Lateness(boolean isLate, long count) {
    }

    /** It forgets markers, so it cannot tell whether a part is out. */
    static final class PrunedException extends Exception {
        private static final long serialVersionUID = 1L;

        PrunedException(String marker) {
            super("the target has forgotten whether it has " + marker);
        }
    }

    private final Set<String> markers = new HashSet<>();
    private final Map<Integer, Long> visible = new TreeMap<>();
    private final Map<Integer, List<Output>> rows = new TreeMap<>();
    /** By partition, over all rows that are visible. */
    private final Map<Integer, Long> clocks = new TreeMap<>();
    private final Map<Integer, Long> late = new TreeMap<>();
    private long prunedUpTo;

    /** @throws PrunedException before anything is written */
    void commit(List<Part> parts) throws PrunedException {
        for (Part part : parts) {
            if (part.epoch <= prunedUpTo && !markers.contains(part.marker()) && !part.rows.isEmpty()) {
                throw new PrunedException(part.marker());
            }
        }
        for (Part part : parts) {
            if (markers.add(part.marker())) {
                part.rows.forEach(this::show);
            }
        }
    }

    private void show(Output row) {
        long next = visible.getOrDefault(row.partition, 0L);
        if (row.number != next) {
            throw new AssertionError("rows of partition " + row.partition + ": " + row.number + " is visible where " + next
                    + " must come");
        }
        if (row.sum != row.number * (row.number + 1) / 2) {
            throw new AssertionError("a state was lost or came twice: " + row);
        }
        checkLateness(row);
        visible.put(row.partition, next + 1);
        rows.computeIfAbsent(row.partition, any -> new ArrayList<>()).add(row);
    }

    private void checkLateness(Output row) {
        long time = RowTimes.of(row.partition, row.number);
        long clock = clocks.getOrDefault(row.partition, RowTimes.NONE);
        boolean isLate = RowTimes.isLate(clock, time);
        long count = late.merge(row.partition, isLate ? 1L : 0L, Long::sum);
        if (!row.lateness.equals(new Lateness(isLate, count))) {
            throw new AssertionError("a row that is " + (isLate ? "" : "not ") + "late, after which there were " + count
                    + " late ones, came as " + row);
        }
        clocks.put(row.partition, RowTimes.later(clock, time));
    }

    /** What a reader gets of a partition. */
    List<Output> rows(int partition, long from, int most) {
        List<Output> all = rows.getOrDefault(partition, List.of());
        return List.copyOf(all.subList((int) from, (int) Math.min(all.size(), from + most)));
    }

    private static long epoch(String marker) {
        return Long.parseLong(marker.substring(marker.lastIndexOf('/') + 1));
    }

    /** Forgets the markers of old epochs. */
    void prune(long upTo) {
        prunedUpTo = Math.max(prunedUpTo, upTo);
        markers.removeIf(marker -> epoch(marker) <= upTo);
    }

    /** By partition: how many of its rows readers see. */
    Map<Integer, Long> visible() {
        return visible;
    }
}
