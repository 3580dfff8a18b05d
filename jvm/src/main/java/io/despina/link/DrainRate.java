package io.despina.link;

import io.despina.metrics.Counter;
import java.util.concurrent.TimeUnit;

/**
 * Bounds a queue in time: measures how fast the consumer takes bytes while there are some, and sets the queue's limit to what it
 * takes in {@code queue_target_ms}. Shrinks half of the way at each measurement, grows at once. The consumer
 * alone calls it, but for {@link #perSecond}.
 */
final class DrainRate {
    /** A queue must always be able to hold two of the smallest segments. */
    static final long LEAST_LIMIT = 1024;
    /** Measured over this part of the target, so that the bound holds while the rate changes. */
    private static final int MEASUREMENTS = 8;

    private final long most;
    private final long targetNanos;
    private final long enoughNanos;
    private long limit;

    /** The last measurement, for other threads. */
    private final Counter perSecond = new Counter();
    private boolean busy;
    private long since;
    private long bytes;
    private long nanos;

    /**
     * @param most        the limit of a queue that drains fast enough, in bytes
     * @param targetNanos what may be queued, in time
     */
    DrainRate(long most, long targetNanos) {
        this.most = most;
        this.targetNanos = targetNanos;
        enoughNanos = Math.max(1, targetNanos / MEASUREMENTS);
        limit = most;
    }

    /** Whether the consumer has been busy since the last call: then {@link #begin} need not be called. */
    boolean isBusy() {
        return busy;
    }

    /** The consumer had waited, and has taken a segment. */
    void begin(long now) {
        busy = true;
        since = now;
    }

    /**
     * The consumer is done with {@code more} bytes.
     *
     * @param moreWaits whether it has more to do
     * @return the limit from now on
     */
    long completed(long more, boolean moreWaits, long now) {
        bytes += more;
        nanos += now - since;
        since = now;
        busy = moreWaits;
        if (nanos >= enoughNanos) {
            double taken = (double) bytes / nanos * targetNanos;
            long measured = (long) Math.max(LEAST_LIMIT, Math.min(most, taken));
            limit = measured >= limit ? measured : Math.max(measured, (limit + measured) / 2);
            perSecond.set((long) ((double) bytes / nanos * TimeUnit.SECONDS.toNanos(1)));
            bytes = 0;
            nanos = 0;
        }
        return limit;
    }

    /** Bytes that the consumer took in a second when it was last measured; 0 before. Any thread may ask. */
    long perSecond() {
        return perSecond.get();
    }
}
