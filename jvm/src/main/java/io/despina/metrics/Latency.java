package io.despina.metrics;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** The latency of the packets that reach a sink: one thread records, any thread takes snapshots. */
public final class Latency {
    /** The resolution: a microsecond. */
    private static final long LOWEST_NANOS = 1_000;
    /** What is older than a day counts as a day. */
    private static final long HIGHEST_NANOS = 86_400_000_000_000L;
    private static final int DIGITS = 3;

    /** Written once (volatile) by the sink's thread with its first packet: thousands of sinks may never get one. */
    private volatile SingleWriterRecorder recorder;
    /** Guarded by this; null before the first {@link #take}. */
    private Histogram total;
    /** Guarded by this: what the recorder is given to fill next. */
    private Histogram spare;

    /** A histogram of nanoseconds into which those of {@link #snapshot} can be added. */
    public static Histogram empty() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
    }

    /** Only the sink's thread calls this. */
    public void record(long nanos, long packets) {
        SingleWriterRecorder own = recorder;
        if (own == null) {
            own = new SingleWriterRecorder(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
            recorder = own;
        }
        own.recordValueWithCount(Math.min(Math.max(nanos, 0), HIGHEST_NANOS), packets);
    }

    /** All that was recorded since the last {@link #reset}, in nanoseconds; null if that is nothing. */
    public synchronized Histogram snapshot() {
        return take() && total.getTotalCount() > 0 ? total.copy() : null;
    }

    public synchronized void reset() {
        if (take()) {
            total.reset();
        }
    }

    /** Adds what was recorded meanwhile to the total. @return false if nothing ever was */
    private boolean take() {
        SingleWriterRecorder from = recorder;
        if (from == null) {
            return false;
        }
        if (total == null) {
            total = from.getIntervalHistogram();
        } else {
            spare = from.getIntervalHistogram(spare);
            total.add(spare);
        }
        return true;
    }
}
