package io.despina.simulation;

/**
 * The event times of the rows of {@link EpochSimulation}, and the clock of a partition. A row is late where it is behind the
 * greatest time of the rows before it by more than {@link #ALLOWED}. So it is a function of the rows alone, whatever dies.
 */
final class RowTimes {
    /** The clock of a partition of which no row has come. */
    static final long NONE = Long.MIN_VALUE;
    /** The watermark behind which no row comes. */
    static final long END = Long.MAX_VALUE;
    private static final long ALLOWED = 20;
    private static final long STEP = 10;
    private static final long LATE = 45;
    private static final long IN_TIME = 15;
    private static final long PARTITIONS_APART = 31;

    private RowTimes() {
    }

    /** Of a row: some are behind, and of those some so far that they are late. */
    static long of(int partition, long number) {
        long mixed = (number * PARTITIONS_APART + partition) * 0x9E3779B97F4A7C15L >>> 61;
        return STEP * number - (mixed == 0 ? LATE : mixed == 1 ? IN_TIME : 0);
    }

    /** The clock after a row of that time. */
    static long later(long clock, long time) {
        return Math.max(clock, time);
    }

    /** What a clock says of the rows to come: they are at this time or later, or late. */
    static long watermark(long clock) {
        return clock == NONE ? NONE : clock - ALLOWED;
    }

    static boolean isLate(long clock, long time) {
        return time < watermark(clock);
    }
}
