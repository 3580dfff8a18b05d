package io.despina.metrics;

/** A link's counters, over all its channels that begin in one resource. Each is described in {@link CounterDoc}. */
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
