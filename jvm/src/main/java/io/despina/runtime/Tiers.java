package io.despina.runtime;

import java.util.function.UnaryOperator;

/** Where tasks find their thread. One branch, in {@link #home}, tells the tiers apart. */
public interface Tiers extends AutoCloseable {

    /** The worker a task is at home at: one of the pool's, or one of its own if the task blocks. */
    Worker home(String jobId, TaskSpec task);

    /** Where a task goes on after a run: the worker it is at, or, without batched scheduling, the pool's next. */
    UnaryOperator<Worker> nextHome(TaskSpec task);

    /** One of the pool's workers, for what takes no time. */
    Worker any();

    /** A task that blocks is to end: whatever it waits in is interrupted. */
    void interrupt(Worker home);

    /** The task at home there has ended. */
    void leave(Worker home);

    /** Stops every worker; its tasks must have ended. */
    @Override
    void close();
}
