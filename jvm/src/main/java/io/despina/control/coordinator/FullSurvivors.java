package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which survivors had no room for the parts of lost resources that were moved to them. A part is not moved there again: its
 * state would be as large, and the job would fail at each loss before it goes on. Thread-safe.
 */
final class FullSurvivors {
    /** The rule of an attempt that has failed for want of memory. */
    private static final String MEMORY = "memory";

    private record Move(String part, String survivor) {
    }

    // guarded by this
    private final Set<Move> found = new HashSet<>();

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
        if (!why.rule().equals(MEMORY) || there.isEmpty()) {
            return false;
        }
        synchronized (this) {
            there.forEach((part, survivor) -> found.add(new Move(part, survivor)));
        }
        System.err.println("despina: warning: " + words(there, why));
        return true;
    }

    static String words(Map<String, String> moved, Refusal why) {
        return new TreeMap<>(moved).entrySet().stream()
                .map(each -> "`" + each.getValue() + "` has no room for the part of `" + each.getKey() + "`")
                .collect(Collectors.joining(", ", "resource ", ", so it is not moved there again: ")) + why.getMessage();
    }

    /** Whether that survivor had no room for that part. */
    synchronized boolean has(String part, String survivor) {
        return found.contains(new Move(part, survivor));
    }
}
