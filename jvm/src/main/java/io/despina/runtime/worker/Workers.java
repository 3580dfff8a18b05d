package io.despina.runtime.worker;

import io.despina.runtime.deployment.TaskSpec;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;

/** Where tasks find their thread. One branch, in {@link #assign}, tells the tiers apart. */
public interface Workers extends AutoCloseable {

    /** The worker a task is at home at: one of the pool's, or {@link #dedicated} if the task always blocks. */
    Worker assign(String jobId, TaskSpec task);

    /** A worker of the blocking tier for that task alone. */
    Worker dedicated(String jobId, TaskSpec task);

    /** Runs what may wait, before the task itself is run, on a thread of the blocking tier. Cancelled, it is interrupted. */
    Future<?> runBlocking(String jobId, TaskSpec task, Runnable work);

    /** Where a task goes on after a run: the worker it is at, or, without batched scheduling, the pool's next. */
    UnaryOperator<Worker> rotation(TaskSpec task);

    /** One of the pool's workers, for what takes no time. */
    Worker any();

    /** Whatever a task at home there waits in is interrupted, if that is a worker of the blocking tier. */
    void interrupt(Worker home);

    /** The task at home there has ended. */
    void release(Worker home);

    /** Stops every worker; its tasks must have ended. */
    @Override
    void close();
}
