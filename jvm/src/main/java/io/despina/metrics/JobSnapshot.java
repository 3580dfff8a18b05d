package io.despina.metrics;

import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * A job's counters in one resource.
 *
 * @param operators by id
 * @param links     by {@code from->to} as written
 * @param latency   by the sink's id: nanoseconds, to be added up over resources before percentiles are taken; only sinks
 *                  that had packets
 * @param packetLatency the same by packets' own due times; only sinks that know them
 */
public record JobSnapshot(Map<String, OperatorSnapshot> operators, Map<String, LinkSnapshot> links,
                          Map<String, Histogram> latency, Map<String, Histogram> packetLatency) {

    public JobSnapshot {
        operators = Map.copyOf(operators);
        links = Map.copyOf(links);
        latency = Map.copyOf(latency);
        packetLatency = Map.copyOf(packetLatency);
    }
}
