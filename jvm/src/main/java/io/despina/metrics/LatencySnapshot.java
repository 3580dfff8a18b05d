package io.despina.metrics;

import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Percentiles of a sink's latency, in milliseconds. */
public record LatencySnapshot(double p50, double p95, double p99, double p999, double max) {
    private static final double NANOS_PER_MS = 1e6;
    private static final int PERCENT = 100;

    /** @param nanos not empty */
    public static LatencySnapshot of(Histogram nanos) {
        return new LatencySnapshot(at(nanos, 50), at(nanos, 95), at(nanos, 99), at(nanos, 99.9),
                nanos.getMaxValue() / NANOS_PER_MS);
    }

    /** The latency of the fastest 1 %, 2 % and so on to 99 % of the packets, in milliseconds. @param nanos not empty */
    public static double[] percents(Histogram nanos) {
        return IntStream.range(1, PERCENT).mapToDouble(percent -> at(nanos, percent)).toArray();
    }

    private static double at(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MS;
    }
}
