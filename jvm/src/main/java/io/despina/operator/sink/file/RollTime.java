package io.despina.operator.sink.file;

import static io.despina.spec.Never.NEVER;

/** When the rows of a file are to be visible. Times are in nanoseconds. */
final class RollTime {
    /** How long the next roll waits while the last one is not on disk. */
    private static final long RETRY_NANOS = 100_000_000;

    private final long every;
    /** When the first row arrived that is not visible yet; {@code NEVER} if there is none. */
    private long firstAt = NEVER;
    private long barrierAt = NEVER;
    private boolean resumed;

    /** @param every after its first row; 0 for never */
    RollTime(long every) {
        this.every = every;
    }

    /** Whether it asks for the time of the next row. */
    boolean isUnset() {
        return firstAt == NEVER && every > 0;
    }

    /** A row arrives. */
    void begin(long now) {
        firstAt = now;
    }

    /** All rows are visible. */
    void end() {
        firstAt = NEVER;
    }

    /** When they are to be visible. */
    long at() {
        return firstAt == NEVER ? NEVER : firstAt + every;
    }

    /** They could not be made visible at that time. */
    void retry(long now) {
        firstAt = now - every + RETRY_NANOS;
    }

    /** The sink goes on after a loss. @param rows whether some are not visible */
    void resume(long now, boolean rows) {
        firstAt = rows && every > 0 ? now : NEVER;
        resumed = every > 0;
    }

    /** Whether a file ends at this barrier: the nearest to its time, or the first after a loss, which made its rows late. */
    boolean endsAt(long now) {
        long halfAnEpoch = barrierAt == NEVER ? 0 : (now - barrierAt) / 2;
        boolean ends = resumed || firstAt != NEVER && now + halfAnEpoch >= at();
        barrierAt = now;
        resumed = false;
        return ends;
    }
}
