package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

/**
 * A batch that has been sent.
 *
 * @param at         nanoseconds of the job's clock
 * @param isOfTimers whether it has no packets, and calls timers
 * @param before     of timers: all that are due before then have been called when it is answered
 * @param slots      of each packet, where the worker has its key; null if it keeps no state, or no worker answers
 * @param by         who answers it; null for none
 */
record SentBatch(long number, int packets, long at, boolean isOfTimers, long before, int[] slots, FunctionWorker by) {
    /** Of packets. */
    static SentBatch of(long number, int packets, long at, int[] slots, FunctionWorker by) {
        return new SentBatch(number, packets, at, false, Long.MIN_VALUE, slots, by);
    }

    /** Of timers. */
    static SentBatch ofTimers(long number, long at, long before, FunctionWorker by) {
        return new SentBatch(number, 0, at, true, before, null, by);
    }

    /** Whether no worker answers it. */
    boolean isGivenUp() {
        return at == NEVER;
    }
}
