package io.despina.runtime.task;

/** What the tasks of a job say about its epochs. Any thread may call it. */
public interface EpochWords {

    /** A sink that commits has passed its END: it takes part in the epochs that begin from now on, also without snapshots. */
    void join(JobSnapshots.Instance part);

    /** The part is written, and prepared. */
    void frozen(long epoch, FrozenInstance part);

    /** It could not be written or prepared. */
    void failed(long epoch, JobSnapshots.Instance part, Throwable why);

    /** The part has committed, or acknowledged, that epoch and all before it. */
    void committed(long epoch, JobSnapshots.Instance part);
}
