package io.despina.operator.outbox;

import io.despina.connect.Marker;

/**
 * A sink whose target keeps a marker of each epoch, written in the same transaction as the epoch's rows. {@link #begin} begins
 * the transaction, {@link #release} ends it. Rows come exactly once.
 */
public interface MarkedSink extends LeavingSink {

    /**
     * Asks for an epoch's marker. The answer is for good: a transaction of that epoch that was under way has ended by then.
     *
     * @param outbox as of {@link #begin}
     * @throws java.io.IOException if the target does not answer: then the job stops, and the next attempt asks again
     */
    Marker marker(String outbox, long epoch) throws Exception;
}
