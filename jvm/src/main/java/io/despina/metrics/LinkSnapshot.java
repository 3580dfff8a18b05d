package io.despina.metrics;

/**
 * A link's counters, over all its channels that begin in one resource.
 *
 * @param packets            packets sent along it
 * @param bytes              bytes of those packets
 * @param bytesOnWire        bytes given to sockets for them, frame headers included
 * @param segments           segments of packets sent
 * @param flushesFull        segments that left because they were full
 * @param flushesTimer       segments that left because their first packet was {@code flush_after_ms} old
 * @param flushesEarly       segments that left because the far side had nothing left to do
 * @param compressedSegments segments that went compressed
 * @param pausedNanos        how long its senders waited for room
 */
public record LinkSnapshot(long packets, long bytes, long bytesOnWire, long segments, long flushesFull, long flushesTimer,
                           long flushesEarly, long compressedSegments, long pausedNanos) {
    public static final LinkSnapshot ZERO = new LinkSnapshot(0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** A fused link counts packets only. */
    public static LinkSnapshot fused(long packets) {
        return new LinkSnapshot(packets, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    public LinkSnapshot plus(LinkSnapshot o) {
        return new LinkSnapshot(packets + o.packets, bytes + o.bytes, bytesOnWire + o.bytesOnWire, segments + o.segments,
                flushesFull + o.flushesFull, flushesTimer + o.flushesTimer, flushesEarly + o.flushesEarly,
                compressedSegments + o.compressedSegments, pausedNanos + o.pausedNanos);
    }

    public LinkSnapshot since(LinkSnapshot o) {
        return new LinkSnapshot(packets - o.packets, bytes - o.bytes, bytesOnWire - o.bytesOnWire, segments - o.segments,
                flushesFull - o.flushesFull, flushesTimer - o.flushesTimer, flushesEarly - o.flushesEarly,
                compressedSegments - o.compressedSegments, pausedNanos - o.pausedNanos);
    }
}
