package io.despina.control.resource;

import io.despina.control.protocol.Measurement;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.Moment;
import io.despina.metrics.ResourceSnapshot;
import io.despina.runtime.host.JobCounters;
import io.despina.runtime.host.Resource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * What a job's tasks in a resource have counted, report by report. Most reports leave out latencies and the process's usage,
 * because packets wait while a core collects them. Guarded by its {@link JobAgent}.
 */
final class JobReports {
    /** The time between two complete reports. */
    static final long WHOLE_NANOS = 2_000_000_000;

    private final Resource runtime;
    private final LongSupplier clock;
    private ResourceSnapshot processStart;
    private Map<String, Long> pausedNanos = Map.of();
    /** The time from which the next report is complete. */
    private long wholeNanos;

    /** @param clock nanoseconds */
    JobReports(Resource runtime, LongSupplier clock) {
        this.runtime = runtime;
        this.clock = clock;
        wholeNanos = clock.getAsLong();
    }

    /** The job is deployed: the process's usage counts from here. */
    void begin() {
        processStart = runtime.counters();
    }

    /** The warm-up is over: everything counts from here. */
    void beginAnew(JobCounters counters) {
        counters.reset();
        begin();
        pausedNanos = Map.of();
        wholeNanos = clock.getAsLong();
    }

    /** A report on the way. */
    Measurement next(JobCounters counters) {
        long now = clock.getAsLong();
        boolean isWhole = now - wholeNanos >= 0;
        wholeNanos = isWhole ? now + WHOLE_NANOS : wholeNanos;
        ResourceSnapshot process = isWhole ? runtime.recentCounters() : null;
        JobSnapshot counted = isWhole ? counters.snapshot() : counters.counts();
        return measured(counters, counted, process, moment(counters, paused(counters, counted),
                isWhole ? counters.recentLatency() : Map.of()));
    }

    /** The last report: complete and exact. Nobody waits any more. */
    Measurement last(JobCounters counters) {
        ResourceSnapshot process = runtime.counters();
        return measured(counters, counters.snapshot(), process, moment(counters, Set.of(), Map.of()));
    }

    private Moment moment(JobCounters counters, Set<String> paused, Map<String, Histogram> latency) {
        return new Moment(counters.queues(), paused, counters.tasks(), latency, counters.behind(), counters.takeBadRecords(),
                runtime.use(), counters.buckets());
    }

    private Measurement measured(JobCounters counters, JobSnapshot counted, ResourceSnapshot process, Moment moment) {
        return new Measurement(counted, process == null ? null : process.since(processStart), moment,
                new Measurement.Times(counters.openedMillis(), counters.firstPacketMillis()));
    }

    /** Links of which a task waits, or has waited since the last report. */
    private Set<String> paused(JobCounters counters, JobSnapshot counted) {
        Set<String> links = new HashSet<>(counters.waiting());
        Map<String, Long> nanos = new HashMap<>();
        counted.links().forEach((name, link) -> nanos.put(name, link.pausedNanos()));
        nanos.forEach((name, total) -> {
            if (total > pausedNanos.getOrDefault(name, 0L)) {
                links.add(name);
            }
        });
        pausedNanos = nanos;
        return links;
    }
}
