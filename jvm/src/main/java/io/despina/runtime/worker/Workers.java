package io.despina.runtime.worker;

import io.despina.runtime.deployment.TaskSpec;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/**
 * The workers of a resource, in two tiers: a pool, and a worker of its own for each task that blocks. Only {@link #assign}
 * chooses the tier.
 */
public interface Workers extends AutoCloseable {

    /** The worker that runs a task: one of the pool's, or {@link #dedicated} if the task always blocks. */
    Worker assign(String jobId, TaskSpec task);

    /** A worker of the blocking tier for that task alone. */
    Worker dedicated(String jobId, TaskSpec task);

    /** Runs {@code work}, which may block, on a thread of the blocking tier. To cancel it interrupts that thread. */
    Future<?> runBlocking(String jobId, TaskSpec task, Runnable work);

    /**
     * Gives, for the worker that has just run a task, the one that runs it next: the same, or, without batched scheduling, the
     * pool's next.
     */
    UnaryOperator<Worker> rotation(TaskSpec task);

    /** One of the pool's workers, for a task that takes no time. */
    Worker any();

    /** Interrupts the call in which the task of that worker blocks, if it is a dedicated worker. */
    void interrupt(Worker home);

    /** A task of that worker has ended, or has moved to another. */
    void release(Worker home);

    /** Stops every worker; its tasks must have ended. */
    @Override
    void close();
}
