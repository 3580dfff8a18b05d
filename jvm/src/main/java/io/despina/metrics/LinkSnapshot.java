package io.despina.metrics;

/**
 * A link's counters, over all its channels that begin in one resource.
 *
 * @param packets            packets sent along it
 * @param bytes              bytes of those packets
 * @param bytesOnWire        bytes given to sockets for them, frame headers included
 * @param segments           segments of packets sent
 * @param compressedSegments segments that were sent compressed
 * @param pausedNanos        how long its senders waited for room
 */
public record LinkSnapshot(long packets, long bytes, long bytesOnWire, long segments, Flushes flushes, long compressedSegments,
                           long pausedNanos) {
    public static final LinkSnapshot ZERO = fused(0);

    /**
     * Segments by the reason for which they were sent.
     *
     * @param full  they were full
     * @param timer their first packet was {@code flush_after_ms} old
     * @param early the far side had nothing left to do
     */
    public record Flushes(long full, long timer, long early) {
    }

    /** A fused link counts packets only. */
    public static LinkSnapshot fused(long packets) {
        return new LinkSnapshot(packets, 0, 0, 0, new Flushes(0, 0, 0), 0, 0);
    }

    public LinkSnapshot plus(LinkSnapshot o) {
        return add(o, 1);
    }

    public LinkSnapshot since(LinkSnapshot o) {
        return add(o, -1);
    }

    private LinkSnapshot add(LinkSnapshot o, int sign) {
        return new LinkSnapshot(packets + sign * o.packets, bytes + sign * o.bytes, bytesOnWire + sign * o.bytesOnWire,
                segments + sign * o.segments,
                new Flushes(flushes.full + sign * o.flushes.full, flushes.timer + sign * o.flushes.timer,
                        flushes.early + sign * o.flushes.early),
                compressedSegments + sign * o.compressedSegments, pausedNanos + sign * o.pausedNanos);
    }
}
