package io.despina.operator.python;

import io.despina.python.WorkerEvent;

/**
 * How many rows the next batch may have, so that it is 20 ms of work for its process. A call takes some time itself, and each of
 * its rows some more; both are estimated from the batches that were answered, by least squares, in which a batch weighs 7/8 of
 * the one behind it. Where the call itself takes most of the 20 ms, its rows may take three times as long as it does: smaller
 * batches would cost more than a quarter of the rows a second.
 *
 * <p>The first batch has one row. What is estimated from few batches may be far off, so a batch has at most four times the rows
 * of the one before, or those that take 20 ms if the call itself takes none. No batch is to take more than a quarter of
 * {@code timeout_ms}, or to have an answer of more than four times {@code batch_bytes}: its process keeps all of one.
 */
public final class BatchPace {
    private static final double WORK_NANOS = 20e6;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double KEPT = 7 / 8.0;
    /** A batch may take so many times as long as the call itself. */
    private static final double CALLS = 4;
    private static final double GROWTH = 4;
    /** So many times {@code batch_bytes} an answer may have. */
    private static final double ANSWER = 4;
    /** One that takes so many times as long as it should is of a function that has changed. */
    private static final double CHANGED = 4;
    /** Sizes that differ by less than this part of their mean do not say what a row takes. */
    private static final double LEAST_SPREAD = 1 / 16.0;

    private final BatchLimits limits;
    private final long timeoutMillis;
    private final double mostNanos;
    private int rows;
    /** Sums over the batches that were answered, each with its weight. */
    private double weight;
    private double sumRows;
    private double sumNanos;
    private double sumSquares;
    private double sumProducts;
    private double sumBytes;
    /** Of the answer that is coming. */
    private long bytes;

    BatchPace(BatchLimits limits, long timeoutMillis) {
        this.limits = limits;
        this.timeoutMillis = timeoutMillis;
        mostNanos = timeoutMillis * NANOS_PER_MILLI / 4;
        restart();
    }

    /** The pace of other calls of the same function: what these take says nothing of those. */
    BatchPace ofOthers() {
        return new BatchPace(limits, timeoutMillis);
    }

    BatchLimits limits() {
        return limits;
    }

    /** A process begins: what another has needed says nothing of it. */
    void restart() {
        forget();
        rows = limits.isPaced() ? 1 : limits.rows();
    }

    /** A process begins, or goes on. @param worked whether it has answered batches at this pace */
    void begin(boolean worked) {
        if (!worked) {
            restart();
        }
    }

    private void forget() {
        weight = 0;
        sumRows = 0;
        sumNanos = 0;
        sumSquares = 0;
        sumProducts = 0;
        sumBytes = 0;
        bytes = 0;
    }

    /** How many rows the next batch may have. */
    int rows() {
        return rows;
    }

    /** So much has come with an answer. */
    void cameToo(long size) {
        bytes += size;
    }

    /** A part of an answer has come. @param calls rows of its batch */
    void came(WorkerEvent.Rows part, int calls) {
        bytes += part.message().length;
        if (part.isLast()) {
            answered(calls, part.workedNanos(), bytes);
            bytes = 0;
        }
    }

    /**
     * A batch of so many rows has taken its process so long; one without rows says nothing.
     *
     * @param size of the answer, in bytes
     */
    void answered(int count, long nanos, long size) {
        if (!limits.isPaced() || count == 0) {
            return;
        }
        if (weight > 0 && nanos > CHANGED * Math.max(WORK_NANOS, sumNanos / weight)) {
            forget();
        }
        weight = weight * KEPT + 1;
        sumRows = sumRows * KEPT + count;
        sumNanos = sumNanos * KEPT + nanos;
        sumSquares = sumSquares * KEPT + (double) count * count;
        sumProducts = sumProducts * KEPT + (double) count * nanos;
        sumBytes = sumBytes * KEPT + size;
        double alone = sumNanos / sumRows;      // what a row takes if the call itself takes nothing
        double most = Math.min(Math.max(GROWTH * count, WORK_NANOS / alone), mostNanos / alone);
        most = Math.min(most, ANSWER * limits.bytes() * sumRows / Math.max(1, sumBytes));
        rows = (int) Math.max(1, Math.min(wanted(alone), Math.min(most, limits.rows())));
    }

    private double wanted(double alone) {
        double mean = sumRows / weight;
        double variance = sumSquares / weight - mean * mean;
        if (variance < LEAST_SPREAD * LEAST_SPREAD * mean * mean) {
            // batches of another size will tell: with two rows in place of one, else with half as many at least
            return Math.max(WORK_NANOS / alone, Math.max(2, mean / 2));
        }
        double covariance = sumProducts / weight - mean * sumNanos / weight;
        double row = Math.max(0, Math.min(alone, covariance / variance));
        double call = sumNanos / weight - row * mean;
        return (Math.max(WORK_NANOS, CALLS * call) - call) / row;
    }
}
