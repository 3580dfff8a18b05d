package io.despina.control.coordinator;

import java.util.concurrent.TimeUnit;

/** How often a job was restarted, and what the last time was spent on. Guarded by its {@link Job}. */
final class RestartTimes {
    /** Nothing yet. */
    static final long NONE = -1;

    /**
     * Milliseconds from when the loss was seen; {@link #NONE} for what has not come.
     *
     * @param count      restarts, with one that is under way
     * @param seenMillis wall clock, when the loss was seen
     * @param ended      the old attempt had ended everywhere
     * @param claimed    the next one had its number and its resources
     * @param deployed   all resources were ready
     * @param now        since then
     */
    record Spent(int count, long seenMillis, long ended, long claimed, long deployed, long now) {
    }

    private int count;
    private long seenMillis;
    private long seenNanos;
    private long ended = NONE;
    private long claimed = NONE;
    private long deployed = NONE;

    /** An attempt has failed. @param seen nanoseconds, when it was known; likewise its end */
    void lost(long seen, long wallMillis, long end) {
        count++;
        seenNanos = seen;
        ended = millis(end);
        seenMillis = wallMillis - ended;
        claimed = NONE;
        deployed = NONE;
    }

    void claimed(long nanos) {
        claimed = millis(nanos);
    }

    void deployed(long nanos) {
        deployed = millis(nanos);
    }

    private long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos - seenNanos);
    }

    Spent spent(long nanos) {
        return new Spent(count, seenMillis, ended, claimed, deployed, millis(nanos));
    }
}
