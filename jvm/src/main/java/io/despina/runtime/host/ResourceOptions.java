package io.despina.runtime.host;

import io.despina.metrics.ProcessMeter;
import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.Workers;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What a resource is built with; {@link Resource#open} makes the usual one.
 *
 * @param workers where tasks run; closed with the resource
 * @param wall    microseconds since 1970; each job reads it once, and then goes by the clock
 * @param used    what the resource's process has used
 */
public record ResourceOptions(Workers workers, JobLinks.Shared links, LongSupplier wall, ProcessMeter used) {

    /** In this process. */
    public ResourceOptions(Workers workers, JobLinks.Shared links, LongSupplier wall) {
        this(workers, links, wall, ProcessMeter.OWN);
    }

    /** With this machine's time of day. */
    public ResourceOptions(Workers workers, JobLinks.Shared links) {
        this(workers, links, () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    /** Nanoseconds, of all its jobs. */
    LongSupplier clock() {
        return links.clock();
    }
}
