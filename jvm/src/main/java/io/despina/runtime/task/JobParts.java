package io.despina.runtime.task;

import java.util.function.LongSupplier;

/**
 * What all tasks of a job share.
 *
 * @param clock nanoseconds
 */
public record JobParts(JobLinks links, JobSnapshots snapshots, LongSupplier clock) {
}
