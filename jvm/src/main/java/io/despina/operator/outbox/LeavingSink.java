package io.despina.operator.outbox;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;

/**
 * A sink whose rows leave at once. An {@link Outbox} opens it, and then calls it from another thread, with the rows of one epoch
 * after the other.
 */
public interface LeavingSink extends Sink {

    /**
     * In place of {@link #open}, by an outbox: nothing leaves before an epoch is complete. So it does not wait for its target,
     * or one that is away would hold up the first epoch.
     */
    default void openForLater(OperatorContext context) throws Exception {
        open(context);
    }

    /**
     * The rows that follow, up to the next {@link #release}, are of one epoch.
     *
     * @param outbox a name that no other outbox has, and that stays over all attempts of the job: visible ASCII characters. With
     *               the epoch, the target may tell by it that it has these rows already
     */
    default void begin(String outbox, long epoch) throws Exception {
    }

    /** By an outbox, from another thread: the input has ended, and its last row has left. */
    default void over() throws Exception {
    }

    /** By an outbox, from another thread: the job ends, and what the sink waits for outside is of no use any more. */
    default void cut() {
    }
}
