package io.despina.runtime.task;

import io.despina.buffer.Budget;
import io.despina.metrics.StageCounters;
import io.despina.operator.Operator;
import io.despina.runtime.deployment.StageSpec;
import io.despina.spec.BucketMaps;
import io.despina.wake.Waker;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What a stage is created with.
 *
 * @param maxPacketBytes the largest packet it may write
 * @param completion     its task's part in the end of the job
 * @param task           its task, for others
 * @param behind         the counters of the part of an operator that is fused behind it, see {@link StageSpec.Role#PARTIAL}; or
 *                       null
 * @param buckets        who has which bucket of its keys; null if no link deals packets out to it by keys
 */
record StageParts(StageSpec spec, Seen seen, JobParts job, int maxPacketBytes, JobCompletion.Part completion,
        Door task, StageCounters behind, BucketMaps buckets) {

    /**
     * How others reach a task.
     *
     * @param waker of it
     * @param own   runs something on its thread, if it has not ended
     */
    record Door(Waker waker, Executor own) {
    }

    /**
     * What users see of it.
     *
     * @param tails of its input ports
     */
    record Seen(StageCounters counters, PortTails tails) {
    }

    Waker waker() {
        return task.waker();
    }

    /** Runs something on its task's thread, if the task has not ended. */
    Executor own() {
        return task.own();
    }

    StageCounters counters() {
        return seen.counters();
    }

    PortTails tails() {
        return seen.tails();
    }

    /** A new instance. */
    Operator operator() {
        try {
            return spec.operator().get();
        } catch (RuntimeException | LinkageError e) {
            throw new TaskFailedException(spec.operatorId(), spec.instance(), e);
        }
    }

    /** Nanoseconds. */
    LongSupplier clock() {
        return job.clock();
    }

    /** What the operator's state is counted against. */
    Budget budget() {
        return job.links().budget();
    }

    JobSnapshots snapshots() {
        return job.snapshots();
    }
}
