package io.despina.metrics;

/**
 * What one sending task counts along one link, over all its channels. The task counts, except where the channel's IO thread
 * does; {@link LinkSnapshot} describes each.
 */
public final class LinkCounters {
    public final Counter packets = new Counter();
    public final Counter bytes = new Counter();
    public final Counter segments = new Counter();
    public final Counter flushesFull = new Counter();
    public final Counter flushesTimer = new Counter();
    public final Counter flushesEarly = new Counter();
    /** For how long the task has waited for room. */
    public final SpentTime paused = new SpentTime();
    /** One per channel, as each has an IO thread of its own. */
    private final WireCounters[] wires;

    /** What the IO thread of one remote channel counts. */
    public static final class WireCounters {
        public final Counter bytesOnWire = new Counter();
        public final Counter compressedSegments = new Counter();
    }

    /** @param channels how many the task sends to along this link */
    public LinkCounters(int channels) {
        wires = new WireCounters[channels];
        for (int k = 0; k < channels; k++) {
            wires[k] = new WireCounters();
        }
    }

    public WireCounters wire(int channel) {
        return wires[channel];
    }

    /** @param now nanoseconds of the task's clock */
    public LinkSnapshot snapshot(long now) {
        long onWire = 0;
        long compressed = 0;
        for (WireCounters wire : wires) {
            onWire += wire.bytesOnWire.get();
            compressed += wire.compressedSegments.get();
        }
        return new LinkSnapshot(packets.get(), bytes.get(), onWire, segments.get(),
                new LinkSnapshot.Flushes(flushesFull.get(), flushesTimer.get(), flushesEarly.get()), compressed,
                paused.nanos(now));
    }
}
