package io.despina.compare;

/**
 * When each packet is due: packet i at start + i / rate, whatever became of the packets before it, so a stalled source cannot
 * hide its stall. A rate of 0 is flat out: every packet is due at once, and carries no due time; below 0 none ever is.
 */
public final class Pace {
    /** The due time of a packet that is not due yet. */
    public static final long NOT_YET = Long.MIN_VALUE;
    private static final double NANOS = 1e9;

    private final double perSecond;
    private long startNanos;
    private long taken;
    private long nowNanos;

    public Pace(double perSecond) {
        this.perSecond = perSecond;
    }

    /** The due time of the next packet, taken; or {@link #NOT_YET}. The clock is read only when the known time is used up. */
    public long take() {
        if (perSecond == 0) {
            return 0;
        }
        if (perSecond < 0) {
            return NOT_YET;
        }
        if (startNanos == 0) {
            startNanos = System.nanoTime();
        }
        long due = startNanos + (long) (taken * NANOS / perSecond);
        if (due > nowNanos) {
            nowNanos = System.nanoTime();
            if (due > nowNanos) {
                return NOT_YET;
            }
        }
        taken++;
        return due;
    }

    /** Nanoseconds until the next packet is due, at least 0, or {@link Feeder#NEVER}. */
    public long waitNanos() {
        if (perSecond <= 0 || startNanos == 0) {
            return perSecond < 0 ? Feeder.NEVER : 0;
        }
        return Math.max(0, startNanos + (long) (taken * NANOS / perSecond) - System.nanoTime());
    }
}
