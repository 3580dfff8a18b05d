package io.despina.runtime.task;

import io.despina.runtime.worker.Task;

/** The end of a task: its chain is closed at once, or, where a sink commits, when the job has said what becomes of it. */
final class TaskEnd {
    private final Chain chain;
    private final Closing.Part closing;
    private boolean committed;

    private TaskEnd(Chain chain, Closing.Part closing) {
        this.chain = chain;
        this.closing = closing;
    }

    /** @return null if the chain has no sink that commits: then it is closed */
    static TaskEnd of(Chain chain, Closing.Part closing) {
        if (!chain.commits()) {
            chain.close();
            return null;
        }
        closing.prepared();
        return new TaskEnd(chain, closing);
    }

    Task.Progress run() {
        Closing.Word word = closing.word();
        if (word == Closing.Word.WAIT) {
            return Task.Progress.IDLE;
        }
        if (!committed) {
            chain.commit();
            committed = true;
            closing.committed();
        }
        if (word == Closing.Word.COMMIT) {
            return Task.Progress.IDLE;
        }
        if (word == Closing.Word.SUCCEED) {
            chain.succeed();
        }
        chain.close();
        return Task.Progress.DONE;
    }
}
