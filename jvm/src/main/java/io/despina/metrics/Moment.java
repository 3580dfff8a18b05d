package io.despina.metrics;

import io.despina.metrics.LastBadRecords.BadRecord;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;

/**
 * How a job stands in one resource at a moment.
 *
 * @param queues      by link, those that begin here
 * @param pausedLinks links whose senders wait for room, or have since the last such look
 * @param tasks       by operator, what the time of those of its tasks has gone to that are here
 * @param latency     by the sink's id, of the last ten seconds: nanoseconds, within 6 %; only sinks that had packets
 * @param behind      by source, how far it is behind its input; only those that know something of it
 * @param bad         bad records since the last such look
 * @param process     the resource's process
 * @param buckets     by operator, packets of each bucket of its keys since the start, in samples; only where that is counted
 */
public record Moment(Map<String, QueueSnapshot> queues, Set<String> pausedLinks, Map<String, List<TaskTimes.Snapshot>> tasks,
                     Map<String, Histogram> latency, Map<String, Behind> behind, List<BadRecord> bad, ProcessUse process,
                     Map<String, List<Long>> buckets) {
    public static final Moment NONE = new Moment(Map.of(), Set.of(), Map.of(), Map.of(), Map.of(), List.of(),
            ProcessUse.UNKNOWN, Map.of());

    /** The same with another latency. */
    public Moment with(Map<String, Histogram> other) {
        return new Moment(queues, pausedLinks, tasks, other, behind, bad, process, buckets);
    }
}
