package io.despina.runtime;

import java.util.function.LongSupplier;

/**
 * What all tasks of a job share.
 *
 * @param clock nanoseconds
 */
record JobParts(JobLinks links, JobSnapshots snapshots, LongSupplier clock) {
}
