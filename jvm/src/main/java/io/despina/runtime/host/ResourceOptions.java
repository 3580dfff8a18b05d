package io.despina.runtime.host;

import io.despina.runtime.task.JobLinks;
import io.despina.runtime.worker.Tiers;
import java.util.function.LongSupplier;

/**
 * What a resource is built with; {@link Resource#open} makes the usual one.
 *
 * @param tiers where tasks run; closed with the resource
 * @param links where their channels come from
 * @param clock nanoseconds, the job's clock
 */
public record ResourceOptions(Tiers tiers, JobLinks.Factory links, LongSupplier clock) {
}
