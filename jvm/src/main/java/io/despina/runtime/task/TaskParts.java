package io.despina.runtime.task;

import io.despina.link.PortOutput;
import io.despina.metrics.StageCounters;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.spec.Blocking;
import io.despina.wake.Waker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What a task is created with.
 *
 * @param outputs  the linked ports of all stages
 * @param completion  its part in the end of the job
 * @param mailbox  its commands
 * @param waker    of the task
 * @param own      runs something on the task's thread, if the task has not ended
 * @param status for users who ask
 */
record TaskParts(TaskSpec spec, Map<PortSpec, PortOutput> outputs, JobParts job,
                 JobCompletion.Part completion, Mailbox mailbox, Waker waker, Executor own, TaskStatus status) {

    LongSupplier clock() {
        return job.clock();
    }

    JobLinks links() {
        return job.links();
    }

    /** One per stage. */
    List<StageCounters> counters() {
        return status.counters();
    }

    StageParts stage(int k) {
        List<StageCounters> counters = counters();
        boolean divided = k + 1 < counters.size() && spec.stages().get(k + 1).role() == StageSpec.Role.PARTIAL;
        StageParts.Seen seen = new StageParts.Seen(counters.get(k), status.tails().get(k));
        return new StageParts(spec.stages().get(k), seen, job, spec.settings().maxPacketBytes(), completion,
                new StageParts.Door(waker, own), divided ? counters.get(k + 1) : null, k == 0 ? spec.buckets() : null);
    }

    /** Whether the task, now that its chain is open, must leave its worker. */
    boolean movesWith(Chain chain) {
        return spec.blocking() != Blocking.ALWAYS && chain.blocks();
    }

    /**
     * A run has ended.
     *
     * @param hasMore whether it left more to do
     * @param waits   whether its operator waits for something outside
     * @param now     nanoseconds
     */
    void countRun(boolean hasMore, boolean waits, long now) {
        status.ran(hasMore, waits, now);
        List<StageCounters> counters = status.counters();
        for (int k = 0; k < counters.size(); k++) {
            counters.get(k).runs.add(1);
        }
    }

    void closeOutputs() {
        outputs.values().forEach(PortOutput::close);
    }
}
