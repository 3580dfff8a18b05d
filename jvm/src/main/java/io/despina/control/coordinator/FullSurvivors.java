package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Which survivors had no room for the parts of lost resources that were moved to them. A part is not moved there again soon: its
 * state would be as large, and the job would fail at each loss before it goes on. But the memory may have been that of an attempt
 * which had ended and not let go of it yet, so a survivor is tried again after a time, which doubles with each time that it is
 * found full. Thread-safe.
 */
final class FullSurvivors {
    static final long FIRST_MILLIS = 60_000;
    /** The time no longer doubles after a day. */
    private static final int MOST_DOUBLINGS = 10;

    private record Move(String part, String survivor) {
    }

    /** @param times how often it was found full */
    private record Find(int times, long atNanos) {
        boolean stands(long nanos) {
            long millis = FIRST_MILLIS << Math.min(times - 1, MOST_DOUBLINGS);
            return nanos - atNanos < TimeUnit.MILLISECONDS.toNanos(millis);
        }
    }

    private final LongSupplier nanos;
    // guarded by this
    private final Map<Move, Find> found = new HashMap<>();

    /** @param nanos the clock */
    FullSurvivors(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * An attempt has failed. If a survivor had no room, the user is told. That a resource without another's part had none says
     * nothing of survivors.
     *
     * @param moved by lost resource, the survivor that had its part in that attempt
     * @return whether a survivor had none
     */
    boolean note(Map<String, String> moved, Refusal why) {
        Map<String, String> there = new TreeMap<>(moved);
        there.values().removeIf(survivor -> !survivor.equals(why.resource()));
        if (!why.rule().equals(RestartPolicy.MEMORY) || there.isEmpty()) {
            return false;
        }
        synchronized (this) {
            long now = nanos.getAsLong();
            there.forEach((part, survivor) -> found.merge(new Move(part, survivor), new Find(1, now),
                    (before, first) -> new Find(before.times + 1, now)));
        }
        System.err.println("despina: warning: " + words(there, why));
        return true;
    }

    static String words(Map<String, String> moved, Refusal why) {
        return new TreeMap<>(moved).entrySet().stream()
                .map(each -> "`" + each.getValue() + "` has no room for the part of `" + each.getKey() + "`")
                .collect(Collectors.joining(", ", "resource ", ", so it is not moved there again soon: ")) + why.getMessage();
    }

    /** Whether that survivor had no room for that part, as far as is known now. */
    synchronized boolean has(String part, String survivor) {
        Find find = found.get(new Move(part, survivor));
        return find != null && find.stands(nanos.getAsLong());
    }
}
