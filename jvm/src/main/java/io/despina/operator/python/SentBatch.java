package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

/**
 * A batch that has been sent.
 *
 * @param calls  how often its process is called, as far as that is known: with rows, timers or keys
 * @param at     nanoseconds of the job's clock
 * @param before of what has no packets: all timers that are due before then have been called when it is answered
 * @param by     who answers it; null for none
 * @param ahead  its answer, if that is there already; else null
 */
record SentBatch(long number, Of of, int packets, int calls, long at, long before, FunctionWorker by, Crossing.Batch ahead) {

    /** What it calls. */
    enum Of {
        /** Rows, and what is due before them. */
        PACKETS,
        TIMERS,
        /** So many of the timers that are due, the earliest. */
        SOME_TIMERS,
        /** The end of keys, behind all timers. */
        ENDS
    }

    SentBatch(long number, Of of, int packets, int calls, long at, long before, FunctionWorker by) {
        this(number, of, packets, calls, at, before, by, null);
    }

    /** @param timers that are due before the packets */
    static SentBatch ofPackets(long number, int packets, int timers, long at, FunctionWorker by) {
        return new SentBatch(number, Of.PACKETS, packets, packets + timers, at, Long.MIN_VALUE, by);
    }

    /** Of packets whose answer has come with that of the function before. */
    static SentBatch answered(Crossing.Batch answer, long at) {
        return new SentBatch(answer.events().getLast().batch(), Of.PACKETS, answer.rows(), answer.rows(), at, Long.MIN_VALUE,
                null, answer);
    }

    /** Of packets that no worker answers. */
    static SentBatch givenUp(long number, int packets) {
        return ofPackets(number, packets, 0, NEVER, null);
    }

    /** Whether it has no packets. */
    boolean isOfTimers() {
        return of != Of.PACKETS;
    }

    /** Whether no worker answers it. */
    boolean isGivenUp() {
        return at == NEVER;
    }
}
