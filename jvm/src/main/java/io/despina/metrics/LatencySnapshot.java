package io.despina.metrics;

import org.HdrHistogram.Histogram;

/** Percentiles of a sink's latency, in milliseconds. */
public record LatencySnapshot(double p50, double p95, double p99, double p999, double max) {
    private static final double NANOS_PER_MS = 1e6;

    /** @param nanos not empty */
    public static LatencySnapshot of(Histogram nanos) {
        return new LatencySnapshot(at(nanos, 50), at(nanos, 95), at(nanos, 99), at(nanos, 99.9),
                nanos.getMaxValue() / NANOS_PER_MS);
    }

    private static double at(Histogram nanos, double percentile) {
        return nanos.getValueAtPercentile(percentile) / NANOS_PER_MS;
    }
}
