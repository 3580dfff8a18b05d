package io.despina.metrics;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** The latency of the packets that reach a sink: one thread records, any thread takes snapshots. */
public final class Latency {
    /** What is finer than a microsecond is not told apart. */
    private static final long LOWEST_NANOS = 1_000;
    /** What is older than a day counts as a day. */
    private static final long HIGHEST_NANOS = 86_400_000_000_000L;
    private static final int DIGITS = 3;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
    /** Guarded by this. */
    private final Histogram total = empty();

    /** A histogram of nanoseconds into which those of {@link #snapshot} can be added. */
    public static Histogram empty() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
    }

    /** Only the sink's thread calls this. */
    public void record(long nanos, long packets) {
        recorder.recordValueWithCount(Math.min(Math.max(nanos, 0), HIGHEST_NANOS), packets);
    }

    /** All that was recorded since the last {@link #reset}, in nanoseconds. */
    public synchronized Histogram snapshot() {
        total.add(recorder.getIntervalHistogram());
        return total.copy();
    }

    public synchronized void reset() {
        recorder.getIntervalHistogram();
        total.reset();
    }
}
