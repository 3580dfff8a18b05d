package io.despina.control.resource;

import io.despina.control.protocol.Measurement;
import io.despina.metrics.JobSnapshot;
import io.despina.metrics.ResourceSnapshot;
import io.despina.runtime.host.JobCounters;
import io.despina.runtime.host.Resource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

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
        if (now - wholeNanos < 0) {
            return measured(counters, counters.counts(), null);
        }
        wholeNanos = now + WHOLE_NANOS;
        return whole(counters, runtime.recentCounters());
    }

    /** The last report: complete and exact. */
    Measurement last(JobCounters counters) {
        return whole(counters, runtime.counters());
    }

    private Measurement whole(JobCounters counters, ResourceSnapshot process) {
        return measured(counters, counters.snapshot(), process.since(processStart));
    }

    private Measurement measured(JobCounters counters, JobSnapshot counted, ResourceSnapshot process) {
        Map<String, Long> paused = new HashMap<>();
        counted.links().forEach((name, link) -> paused.put(name, link.pausedNanos()));
        Set<String> pausedLinks = new HashSet<>();
        paused.forEach((name, nanos) -> {
            if (nanos > pausedNanos.getOrDefault(name, 0L)) {
                pausedLinks.add(name);
            }
        });
        pausedNanos = paused;
        return new Measurement(counted, process, counters.queuedBytes(), pausedLinks, counters.firstPacketMillis());
    }
}
