package io.despina.control.protocol;

import io.despina.metrics.JobSnapshot;
import io.despina.metrics.ResourceSnapshot;
import io.despina.metrics.StageCounters;
import java.util.Map;
import java.util.Set;

/**
 * What one resource has measured of a job, since it was deployed or since its warm-up ended.
 *
 * @param process           null if it was not looked up: then this is without latencies too, and both are as they were before
 * @param queuedBytes       per link, at its sending ends here, now
 * @param pausedLinks       whose senders have waited for room since the measurement before
 * @param firstPacketMillis wall clock when the first packet reached a sink of this resource; {@link #NONE} before
 */
public record Measurement(JobSnapshot job, ResourceSnapshot process, Map<String, Long> queuedBytes, Set<String> pausedLinks,
        long firstPacketMillis) {
    public static final long NONE = StageCounters.NONE;

    /** This one, with what it lacks from the one before. */
    public Measurement after(Measurement before) {
        return process != null ? this : new Measurement(
                new JobSnapshot(job.operators(), job.links(), before.job.latency(), before.job.packetLatency()),
                before.process, queuedBytes, pausedLinks, firstPacketMillis);
    }
}
