package io.despina.metrics;

import java.util.ArrayDeque;
import java.util.Deque;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** The latency of the packets that reach a sink: one thread records, any thread takes snapshots. */
public final class Latency {
    /** The resolution: a microsecond. */
    private static final long LOWEST_NANOS = 1_000;
    /** What is older than a day counts as a day. */
    private static final long HIGHEST_NANOS = 86_400_000_000_000L;
    private static final int DIGITS = 3;
    /** Of what is kept of the last seconds: to 6 %, in 4 kB each time. */
    private static final int RECENT_DIGITS = 1;
    private static final long RECENT_NANOS = 10_000_000_000L;
    /** What began a little earlier counts, too. */
    private static final long OLDEST_NANOS = 12_000_000_000L;
    private static final long NEVER = Long.MIN_VALUE;

    /** What came from an instant on, until that of the next. */
    private record Interval(long from, Histogram nanos) {
    }

    /** Written once (volatile) by the sink's thread with its first packet: thousands of sinks may never get one. */
    private volatile SingleWriterRecorder recorder;
    /** Guarded by this; null before the first {@link #take}. */
    private Histogram total;
    /** Guarded by this: what the recorder is given to fill next. */
    private Histogram spare;

    /** Guarded by this: when {@link #take} was called last, and what it has found in the last seconds. */
    private long takenAt = NEVER;
    private final Deque<Interval> intervals = new ArrayDeque<>();

    /** A histogram of nanoseconds into which those of {@link #snapshot} can be added. */
    public static Histogram empty() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, DIGITS);
    }

    /** The same for those of {@link #recent}. */
    public static Histogram emptyRecent() {
        return new Histogram(LOWEST_NANOS, HIGHEST_NANOS, RECENT_DIGITS);
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

    /** All that was recorded since the last {@link #reset}, in nanoseconds; null if that is nothing. @param now nanoseconds */
    public synchronized Histogram snapshot(long now) {
        return take(now) && total.getTotalCount() > 0 ? total.copy() : null;
    }

    /**
     * What was recorded in the last ten seconds or so, up to the last {@link #snapshot}, and not as exactly; null if that is
     * nothing. Who asks for snapshots more seldom than every ten seconds is told nothing.
     */
    public synchronized Histogram recent(long now) {
        intervals.removeIf(each -> each.from() < now - OLDEST_NANOS);
        if (intervals.isEmpty()) {
            return null;
        }
        Histogram sum = emptyRecent();
        intervals.forEach(each -> sum.add(each.nanos()));
        return sum;
    }

    public synchronized void reset(long now) {
        if (take(now)) {
            total.reset();
        }
        intervals.clear();
    }

    /** Adds what was recorded meanwhile to the total. @return false if nothing ever was */
    private boolean take(long now) {
        long from = takenAt;
        takenAt = now;
        boolean had = total != null;
        if (!take()) {
            return false;
        }
        Histogram came = had ? spare : total;
        if (from != NEVER && now - from <= RECENT_NANOS && came.getTotalCount() > 0) {
            Histogram kept = emptyRecent();
            kept.add(came);
            intervals.add(new Interval(from, kept));
        }
        return true;
    }

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
