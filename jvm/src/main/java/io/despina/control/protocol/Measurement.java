package io.despina.control.protocol;

import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.ResourceSnapshot;
import io.despina.metrics.StageCounters;

/**
 * The measurements of a job in one resource, since its deployment or the end of its warm-up.
 *
 * @param process null if it was not measured; latencies are then missing too, and both are unchanged since the last
 *                measurement
 * @param moment  how it stands now; its latencies are those of the last measurement if the process was not measured
 */
public record Measurement(JobSnapshot job, ResourceSnapshot process, Moment moment, Times times) {
    public static final long NONE = StageCounters.NONE;

    /**
     * Wall clock; {@link #NONE} before.
     *
     * @param openedMillis      all operators of this resource were open, and restored where the job goes on
     * @param firstPacketMillis the first packet reached a sink of this resource
     */
    public record Times(long openedMillis, long firstPacketMillis) {
        public static final Times UNKNOWN = new Times(NONE, NONE);
    }

    /** This measurement, completed from the one before. */
    public Measurement after(Measurement before) {
        return process != null ? this : new Measurement(
                new JobSnapshot(job.operators(), job.links(), before.job.latency(), before.job.packetLatency()),
                before.process, moment.with(before.moment.latency()), times);
    }
}
