package io.despina.operator;

/**
 * An operator that takes packets out of the graph, epoch by epoch. One that {@link #commits} prepares its last epoch when its
 * input has ended, and waits: the coordinator has all sinks of the job commit, or none. Only then it is closed.
 *
 * <p>Its {@link #states} have the epochs that are prepared and not committed. What was prepared after the snapshot that it is
 * restored from is dropped then.
 */
public interface Sink extends Operator {

    /** What {@link #rollAt} answers when there is nothing to roll. */
    long NEVER = Long.MAX_VALUE;

    /** Whether it prepares and commits. If not, its task ends with its input, and none of the calls below is made. */
    default boolean commits() {
        return false;
    }

    /**
     * Called after each run of its task, and at {@link #rollAt}: may make all that was processed so far visible, as that epoch,
     * without waiting for the job's end.
     *
     * @param now nanoseconds of the job's clock
     * @return whether it did: then the next epoch begins
     */
    default boolean roll(long epoch, long now) throws Exception {
        return false;
    }

    /** When {@link #roll} is to be called at the latest, on the same clock; or {@link #NEVER}. */
    default long rollAt() {
        return NEVER;
    }

    /** Makes all that was processed so far durable, but not yet visible, as {@code epoch}. */
    default void prepare(long epoch) throws Exception {
    }

    /**
     * Makes a prepared epoch visible, epoch after epoch. May be called again for the same epoch after a restart.
     *
     * @throws java.io.IOException also if the epoch is neither prepared nor visible
     */
    default void commit(long epoch) throws Exception {
    }

    /** The last epoch that is visible, so that whoever restarts the job can tell what is out; 0 if there is none. */
    default long committed() {
        return 0;
    }

    /** Every sink of the job has committed; nothing of the job failed or was cut short. */
    default void succeed() throws Exception {
    }

    /** The job failed: what is not committed stays, hidden, and {@link OperatorContext#leftBehind} is told where. */
    default void abort() throws Exception {
    }
}
