package io.despina.runtime.host;

import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.Workers;
import java.util.function.LongSupplier;

/**
 * What a resource is built with; {@link Resource#open} makes the usual one.
 *
 * @param workers where tasks run; closed with the resource
 */
public record ResourceOptions(Workers workers, JobLinks.Shared links) {

    /** Nanoseconds, of all its jobs. */
    LongSupplier clock() {
        return links.clock();
    }
}
