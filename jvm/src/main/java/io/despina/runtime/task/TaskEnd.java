package io.despina.runtime.task;

import io.despina.runtime.worker.Task;

/** The end of a task: its chain is closed at once, or, if a sink commits, when the job has decided. */
final class TaskEnd {
    private final Chain chain;
    private final JobCompletion.Part completion;
    private boolean committed;

    private TaskEnd(Chain chain, JobCompletion.Part completion) {
        this.chain = chain;
        this.completion = completion;
    }

    /** @return null if the chain has no sink that commits: then it is closed */
    static TaskEnd of(Chain chain, JobCompletion.Part completion) {
        if (!chain.commits()) {
            chain.close();
            return null;
        }
        completion.prepared();
        return new TaskEnd(chain, completion);
    }

    Task.ProgressState run() {
        JobCompletion.Decision decision = completion.decision();
        if (decision == JobCompletion.Decision.WAIT) {
            return Task.ProgressState.IDLE;
        }
        if (!committed) {
            chain.commit();
            committed = true;
            completion.committed();
        }
        if (decision == JobCompletion.Decision.COMMIT) {
            return Task.ProgressState.IDLE;
        }
        if (decision == JobCompletion.Decision.SUCCEED) {
            chain.succeed();
        }
        chain.close();
        return Task.ProgressState.DONE;
    }
}
