package io.despina.runtime.task;

import io.despina.runtime.deployment.TaskSpec;
import java.util.Collection;
import java.util.function.LongSupplier;

/**
 * What all tasks of a job share.
 *
 * @param words      what the tasks say about the job's epochs
 * @param clock      nanoseconds
 * @param wallOffset what makes microseconds since 1970 of the clock's microseconds. It is constant, so that the time of day that
 *                   operators see never goes back
 * @param handOvers  between instances of an operator
 */
public record JobParts(JobLinks links, JobSnapshots snapshots, EpochWords words, LongSupplier clock, long wallOffset,
        HandOvers handOvers) {
    private static final long NANOS_PER_MICRO = 1_000;

    /**
     * @param wall  microseconds since 1970
     * @param tasks of the job, in this resource
     */
    public static JobParts of(JobLinks links, JobSnapshots snapshots, EpochWords words, LongSupplier clock, LongSupplier wall,
            Collection<TaskSpec> tasks) {
        return new JobParts(links, snapshots, words, clock, wall.getAsLong() - Math.floorDiv(clock.getAsLong(), NANOS_PER_MICRO),
                new HandOvers(tasks));
    }

    /** Microseconds since 1970. */
    long wallMicros() {
        return Math.floorDiv(clock.getAsLong(), NANOS_PER_MICRO) + wallOffset;
    }
}
