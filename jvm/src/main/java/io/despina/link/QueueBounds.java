package io.despina.link;

import io.despina.buffer.SegmentPool;

/** How much a queue may hold, in bytes of segments: at {@code high} the sender pauses, at {@code low} it continues. */
public record QueueBounds(long low, long high) {
    /** A queue of this many full segments is long enough. */
    private static final int SEGMENTS = 16;

    public QueueBounds {
        if (low < 0 || high <= low) {
            throw new IllegalArgumentException("low=" + low + ", high=" + high + ": the low bound lies below the high one");
        }
    }

    /**
     * Bounds for each of {@code ends} channel ends that share {@code floating} bytes: enough full segments that neither
     * side waits, if the budget has them.
     */
    public static QueueBounds derive(long floating, int ends, int capacityBytes) {
        long share = floating / Math.max(1, 2 * ends);
        long high = Math.max(2 * SegmentPool.SMALL, Math.min(share, (long) SEGMENTS * SegmentPool.sizeFor(capacityBytes)));
        return new QueueBounds(high / 2, high);
    }
}
