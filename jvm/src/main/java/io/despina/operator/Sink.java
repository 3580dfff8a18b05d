package io.despina.operator;

/**
 * An operator that takes packets out of the graph, epoch by epoch. A sink that {@link #commits} prepares its last epoch when its
 * input has ended, then waits: the coordinator commits all sinks of the job, or none. Then the sink is closed.
 *
 * <p>Its {@link #states} hold the epochs that are prepared and not committed. On restore it drops what was prepared after the
 * snapshot.
 */
public interface Sink extends Operator {

    /** What {@link #rollAt} answers when there is nothing to roll. */
    long NEVER = Long.MAX_VALUE;

    /** Whether it prepares and commits. If not, its task ends with its input, and none of the calls below is made. */
    default boolean commits() {
        return false;
    }

    /**
     * May make everything processed so far visible as that epoch, before the job ends. Called after each run of its task, and at
     * {@link #rollAt}.
     *
     * @param now nanoseconds of the job's clock
     * @return whether it did: then the next epoch begins
     */
    default boolean roll(long epoch, long now) throws Exception {
        return false;
    }

    /** The latest time for the next call of {@link #roll}, on the same clock; or {@link #NEVER}. */
    default long rollAt() {
        return NEVER;
    }

    /** Makes everything processed so far durable as {@code epoch}, but not yet visible. */
    default void prepare(long epoch) throws Exception {
    }

    /**
     * Makes a prepared epoch visible. Epochs are committed in order. May be called again for the same epoch after a restart.
     *
     * @throws java.io.IOException also if the epoch is neither prepared nor visible
     */
    default void commit(long epoch) throws Exception {
    }

    /** The last visible epoch, so that a restarted job knows what was written; 0 if there is none. */
    default long committed() {
        return 0;
    }

    /** Every sink of the job has committed; nothing of the job failed or was cut short. */
    default void succeed() throws Exception {
    }

    /** The job failed. Uncommitted rows stay hidden; {@link OperatorContext#leftBehind} gets their place. */
    default void abort() throws Exception {
    }
}
