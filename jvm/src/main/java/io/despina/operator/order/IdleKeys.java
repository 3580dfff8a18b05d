package io.despina.operator.order;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;

/**
 * Looks over the clocks of an operator's keys, for those of which nothing has come for {@code idle_after_ms} by the wall clock.
 * It looks four times in that time, so a key may be silent for a quarter longer.
 */
public final class IdleKeys {
    private static final int LOOKS = 4;
    private static final long LEAST = 1_000;

    /** Looks at a clock. */
    @FunctionalInterface
    public interface Looking {
        /**
         * Moves the clock on if its key is silent, and gives what has ended by it.
         *
         * @param since the key is silent if nothing came after this, in microseconds since 1970
         * @return false if there is no room: call again
         */
        boolean look(int clock, long since) throws Exception;
    }

    private final OperatorContext context;
    private final long after;
    private long now;
    private boolean looking;
    /** How many clocks have been looked at this time. */
    private int looked;

    /** @param after how long a silence may be, in microseconds; {@code NEVER} for any time */
    public IdleKeys(OperatorContext context, long after) {
        this.context = context;
        this.after = after;
    }

    /** Packets come. @return the instant, in microseconds since 1970; it has no meaning if keys are never idle */
    public long hear() {
        if (after != NEVER) {
            now = context.wallMicros();
            if (!looking) {
                lookAfter(now);
            }
        }
        return now;
    }

    private void lookAfter(long instant) {
        looking = true;
        context.wakeAt(instant + Math.max(after / LOOKS, LEAST));
    }

    /**
     * Called by the operator's {@link Operator#timer}.
     *
     * @param limit clocks have numbers below this
     * @return false if there is no room: call again
     */
    public boolean look(long micros, int limit, Looking at) throws Exception {
        if (after == NEVER) {
            return true;
        }
        while (looked < limit) {
            if (!at.look(looked, micros - after)) {
                return false;
            }
            looked++;
        }
        looked = 0;
        lookAfter(micros);
        return true;
    }

    /** Called by the operator's {@link Operator#restored}. @return the instant from which silence is counted */
    public long restored() {
        looked = 0;
        looking = false;
        return hear();
    }
}
