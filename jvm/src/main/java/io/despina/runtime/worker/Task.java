package io.despina.runtime.worker;

/**
 * The unit of work: one operator instance or one fused chain. One thread at a time calls it. A worker knows nothing else of a
 * task.
 */
public interface Task {

    /** The result of a run. */
    enum ProgressState {
        /** There is more to do: run again. */
        WORKED,
        /** Nothing to do until woken, or until {@link Task#deadline}. */
        IDLE,
        /** Its next step may block: it is run again on a thread of its own. */
        BLOCKS,
        /** It has ended and released everything; it is not run again. */
        DONE
    }

    /**
     * Does up to about a millisecond of work.
     *
     * @param now nanoseconds of the job's clock
     * @throws RuntimeException if an operator fails; then {@link #abort} follows
     */
    ProgressState run(long now);

    /** After {@link ProgressState#IDLE}: when to be run again without having been woken, or {@link Long#MAX_VALUE}. */
    long deadline();

    /**
     * The job's time is up: the task takes nothing more, drops the packets that it holds, and lets its sinks prepare. Called at
     * most once, in place of a run, perhaps after one that was interrupted; runs follow unless it returns
     * {@link ProgressState#DONE}.
     */
    ProgressState cut();

    /** Releases everything without finishing: sinks leave what is not committed. Called at most once, in place of a run. */
    void abort();
}
