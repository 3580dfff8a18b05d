package io.despina.snapshot;

import java.util.Map;
import java.util.TreeMap;

/**
 * A start of a job that has a number of its own in the state folder. Whoever creates it may start the job; from then on no
 * earlier one can complete an epoch.
 *
 * @param attempt         ascends from 1 and never falls in a state folder
 * @param coordinator     id of the process that claims it
 * @param host            where that runs
 * @param pid             of that process
 * @param claimedAtMillis since 1970-01-01T00:00Z, by its clock
 * @param nowMicros       the value of {@code now()} in the job, which does not change from attempt to attempt
 * @param schedules       the changed schedules of sources, by operator
 * @param start           null until it has decided where to start: it has deployed nothing then
 */
public record Claim(int attempt, String coordinator, String host, long pid, long claimedAtMillis, long nowMicros,
        Map<String, String> schedules, Start start) {
    public Claim {
        schedules = new TreeMap<>(schedules);
    }

    /**
     * Where an attempt starts.
     *
     * @param epoch     from which it goes on; 0 for none. Greater epochs of earlier attempts do not count any more
     * @param savepoint address of the savepoint from which it goes on, or null
     */
    public record Start(long epoch, String savepoint) {
    }

    /** That one claims it, and has not decided where it starts. */
    public static Claim by(Holder who, int attempt, long claimedAtMillis, long nowMicros) {
        return new Claim(attempt, who.coordinator(), who.host(), who.pid(), claimedAtMillis, nowMicros, Map.of(), null);
    }

    Claim started(Start where) {
        return new Claim(attempt, coordinator, host, pid, claimedAtMillis, nowMicros, schedules, where);
    }
}
