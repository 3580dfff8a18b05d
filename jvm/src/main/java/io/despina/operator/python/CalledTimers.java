package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.python.SentBatch.Of;
import io.despina.spec.Clock;

/** Which timers have been called, of a function whose keys have some, and which are due. */
final class CalledTimers {
    /** Before all times of timers. */
    static final long NONE = Long.MIN_VALUE;

    private final Arrivals arrivals;
    /** Null if the function keeps none. */
    private final KeyedStates states;
    private final BatchPace pace;
    /** What keys go by; null for packets as they arrive. */
    private final Clock clock;
    /** All timers that are due before then have been asked for. */
    private long asked = NONE;
    /** The same, and they have been answered. */
    private long called = NONE;
    /** There were more before a row than a batch calls. Those that are left go alone: nothing else tells their pace. */
    private boolean alone;

    /** @param pace of what they take */
    CalledTimers(Arrivals arrivals, Clock clock, BatchPace pace) {
        this.arrivals = arrivals;
        this.clock = clock;
        this.pace = pace;
        states = arrivals.keyed();
    }

    BatchPace pace() {
        return pace;
    }

    void restored(long before) {
        called = before;
        asked = before;
    }

    /** What has been asked for, and has not been answered, is asked again. */
    void forget() {
        asked = called;
    }

    /** All timers that are due before then have been called, in microseconds since 1970. */
    long called() {
        return called;
    }

    /** Whether those are that the watermark has passed. */
    boolean areCalled() {
        boolean waits = clock == Clock.EVENT || clock == Clock.PROCESSING && arrivals.watermark() == NEVER;
        return !waits || called >= arrivals.watermark();
    }

    long asked() {
        return asked;
    }

    /** Whether some are due by the wall clock: they go between batches, however many packets there are. */
    boolean areOverdue(long time) {
        return clock == Clock.PROCESSING && time != NEVER && states.firstTimer() < time;
    }

    /**
     * Before which time timers are due that no packet calls; {@code NONE} if none is.
     *
     * @param next which packet is sent next: it could not be gathered
     */
    long dueBefore(int next, long time, boolean nothingFlies) {
        if (clock == null) {
            return NONE;
        }
        if (nothingFlies) {
            states.takeBackTimers();        // what a worker has been told of, and has not called
        }
        if (next < arrivals.held().size()) {           // timers that are due before it must be called first
            return nothingFlies && clock == Clock.EVENT ? arrivals.time(arrivals.held().at(next)) : NONE;
        }
        // packets in flight may set timers by event time; those by the wall clock are known in time when they are answered
        boolean areKnown = nothingFlies || clock == Clock.PROCESSING && time != NEVER;
        if (time <= asked || areKnown && (states.firstTimer() >= time || states.firstTimer() == NEVER)) {
            if (nothingFlies) {
                asked = Math.max(asked, time);
                called = asked;
            }
            return NONE;
        }
        return time;
    }

    /**
     * Has the keys in slots whose timers are due before a row.
     *
     * @param suspected whether something has killed a worker: a timer that may have done so goes alone then
     * @return false if some go in a batch of their own before it
     */
    boolean knowDue(long time, boolean free, boolean suspected) {
        if ((suspected || alone) && states.firstTimer() < time) {
            return false;
        }
        alone = !states.knowDue(time, pace.rows(), pace.limits().bytes(), free);
        return !alone;
    }

    /** The same of a batch without rows. @return whether all of them are */
    boolean knowDue(long before, boolean nothingFlies) {
        return states.knowDue(before, pace.rows(), pace.limits().bytes(), nothingFlies);
    }

    /** A batch without rows asks for them. @param all whether for all that are due before then */
    void ask(boolean all, long before) {
        alone = false;
        asked = all ? before : asked;
    }

    /** The first batch is answered. */
    void answered(SentBatch first, boolean nothingFlies) {
        called = first.isOfTimers() ? first.before() : called;
        if (first.of() == Of.SOME_TIMERS || clock == Clock.PROCESSING && nothingFlies) {
            states.takeBackTimers();        // some were not called: another came in their place, or their batch was not sent
        }
    }
}
