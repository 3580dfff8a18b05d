package io.despina.operator.outbox;

import io.despina.operator.Sink;

/**
 * A sink whose rows leave at once. An {@link Outbox} opens it, and then calls it from another thread, with the rows of one epoch
 * after the other.
 */
public interface LeavingSink extends Sink {

    /**
     * The rows that follow, up to the next {@link #release}, are of one epoch.
     *
     * @param outbox a name that no other outbox has, and that stays over all attempts of the job: visible ASCII characters. With
     *               the epoch, the target may tell by it that it has these rows already
     */
    default void begin(String outbox, long epoch) throws Exception {
    }
}
