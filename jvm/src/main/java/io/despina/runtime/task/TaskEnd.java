package io.despina.runtime.task;

import io.despina.runtime.worker.Task;

/**
 * The time of a task between its END and the end of the job. A chain that takes part in epochs stays, with what it keeps, until
 * the job has decided; any other is closed at once.
 */
final class TaskEnd {
    private final Chain chain;
    private final TaskParts parts;
    /** The last epoch whose barrier the chain has seen. */
    private long passed;

    private TaskEnd(Chain chain, TaskParts parts, long passed) {
        this.chain = chain;
        this.parts = parts;
        this.passed = passed;
    }

    /**
     * The END has been passed on, or the task was cut short.
     *
     * @param passed the last epoch whose barrier has come before
     * @param asked  the last one that was commanded
     * @return null if the chain takes part in no epochs: then it is closed
     */
    static TaskEnd of(Chain chain, TaskParts parts, long passed, long asked) {
        chain.leave();
        if (!chain.takesPart()) {
            parts.mailbox().close();
            chain.close();
            return null;
        }
        TaskEnd end = new TaskEnd(chain, parts, passed);
        chain.join();
        parts.completion().settle();
        end.barrier(asked);
        return end;
    }

    Task.ProgressState run() {
        for (Mailbox.Command next = parts.mailbox().poll(); next != null; next = parts.mailbox().poll()) {
            if (next instanceof Mailbox.Command.Barrier barrier) {
                barrier(barrier.epoch());
            } else if (next instanceof Mailbox.Command.Complete complete) {
                chain.complete(complete);
            } else if (next instanceof Mailbox.Command.Call call) {
                call.call().run();
            } else {
                next.missed();
            }
        }
        JobCompletion.Decision decision = parts.completion().decision();
        if (decision == JobCompletion.Decision.WAIT) {
            return chain.write(parts.clock()) ? Task.ProgressState.WORKED : Task.ProgressState.IDLE;
        }
        parts.mailbox().close();
        chain.drop();
        if (decision == JobCompletion.Decision.SUCCEED) {
            chain.succeed();
        }
        chain.close();
        return Task.ProgressState.DONE;
    }

    /** There are no inputs any more by which it would come. */
    private void barrier(long epoch) {
        if (epoch > passed) {
            passed = epoch;
            chain.freeze(epoch);
        }
    }
}
