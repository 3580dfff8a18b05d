package io.despina.operator;

import static io.despina.spec.Never.NEVER;

import java.util.concurrent.CompletableFuture;

/**
 * An operator that takes packets out of the graph, epoch by epoch. A sink that {@link #commits} prepares an epoch at each
 * barrier, and the last one when all inputs of the job have ended. An epoch is committed by all sinks of the job, or by none.
 * Then the sink is closed.
 *
 * <p>{@link #prepare} and {@link #commit} are called by the task's thread, as everything is. What may block, such as to force a
 * file or to rename it, belongs to another thread, which completes the future. The thread of the task meanwhile goes on to
 * {@link #process} rows.
 *
 * <p>Its {@link #states} hold the epochs that are prepared and not committed. They are asked for right after {@link #prepare} was
 * called, before its future completes. On restore the sink drops what was prepared after the snapshot.
 */
public interface Sink extends Operator {
    /** Completed. */
    CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

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

    /** The latest time for the next call of {@link #roll}, on the same clock; or {@code NEVER}. */
    default long rollAt() {
        return NEVER;
    }

    /** No row follows: the epoch that is prepared next is the last. */
    default void finish() throws Exception {
    }

    /**
     * Makes everything processed so far durable as {@code epoch}, but not yet visible. May be called while an earlier epoch is
     * still being prepared or committed.
     *
     * @return completes when it is durable. If it fails, the task fails
     */
    default CompletableFuture<Void> prepare(long epoch) throws Exception {
        return DONE;
    }

    /** The same for an epoch behind which others may go on, as from a savepoint: nothing of it is in a file that goes on. */
    default CompletableFuture<Void> prepareWhole(long epoch) throws Exception {
        return prepare(epoch);
    }

    /**
     * Makes a prepared epoch visible. Epochs are committed in order, the next one when this one's future has completed. May be
     * called again for the same epoch after a restart.
     *
     * @return completes when it is visible. If it fails, also because the epoch is neither prepared nor visible, the task fails
     */
    default CompletableFuture<Void> commit(long epoch) throws Exception {
        return DONE;
    }

    /**
     * The last epoch of the job is committed: no commit of another sink waits any more.
     *
     * @return completes when nobody needs the sink: so long the job lasts
     */
    default CompletableFuture<Void> taken() throws Exception {
        return DONE;
    }

    /**
     * Whether anybody sees rows by the commit of an epoch that is prepared. If nobody does, the job may go on from an
     * epoch before it, should its states turn out to be damaged. A sink that cannot tell says yes.
     */
    default boolean shows(long epoch) {
        return true;
    }

    /** Every sink of the job has committed; nothing of the job failed or was cut short. */
    default void succeed() throws Exception {
    }

    /**
     * The job failed. Uncommitted rows stay hidden; {@link OperatorContext#leftBehind} gets their place. Not called where the job
     * {@link OperatorContext#takesSnapshots}: what is prepared belongs to the next attempt.
     */
    default void abort() throws Exception {
    }
}
