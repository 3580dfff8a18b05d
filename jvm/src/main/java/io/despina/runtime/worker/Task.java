package io.despina.runtime.worker;

/** The unit of work: one operator instance or one fused chain. One thread at a time calls it; a worker sees no more than this. */
public interface Task {

    /** What a run came to. */
    enum ProgressState {
        /** There is more to do: run again. */
        WORKED,
        /** Nothing to do until woken, or until {@link Task#deadline}. */
        IDLE,
        /** What it does next may wait: it is run again on a thread of its own. */
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
     * The job's time is up: takes nothing more, drops what is at hand, and has its sinks prepare what they have. Called at most
     * once, in place of a run, perhaps after one that was interrupted; runs follow unless it answers {@link ProgressState#DONE}.
     */
    ProgressState cut();

    /** Gives everything back without finishing: sinks leave what is not committed. Called at most once, in place of a run. */
    void abort();
}
