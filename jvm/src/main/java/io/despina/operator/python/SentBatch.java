package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

/**
 * A batch that has been sent.
 *
 * @param calls      rows or keys that its process is called with; 0 for those of timers, which nobody has counted
 * @param at         nanoseconds of the job's clock
 * @param isOfTimers whether it has no packets, and calls timers
 * @param before     of timers: all that are due before then have been called when it is answered
 * @param by         who answers it; null for none
 */
record SentBatch(long number, int packets, int calls, long at, boolean isOfTimers, long before, FunctionWorker by) {
    /** Of packets. */
    static SentBatch of(long number, int packets, long at, FunctionWorker by) {
        return new SentBatch(number, packets, packets, at, false, Long.MIN_VALUE, by);
    }

    /** Of timers. */
    static SentBatch ofTimers(long number, long at, long before, FunctionWorker by) {
        return new SentBatch(number, 0, 0, at, true, before, by);
    }

    /** Of the end of so many keys, behind all timers. */
    static SentBatch ofEnds(long number, int keys, long at, long before, FunctionWorker by) {
        return new SentBatch(number, 0, keys, at, true, before, by);
    }

    /** Whether no worker answers it. */
    boolean isGivenUp() {
        return at == NEVER;
    }
}
