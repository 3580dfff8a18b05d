package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.state.NamedNumbers;
import io.despina.state.State;

/**
 * The wall clock as the time of an operator's packets: each has the instant at which it is taken. It never goes back. A snapshot
 * keeps the latest instant that it has shown, for a job that goes on where the clock is behind.
 */
public final class WallTime {
    /** In place of the ordinal of an event time. */
    public static final int COLUMN = -1;

    private final OperatorContext context;
    private final NamedNumbers latest = new NamedNumbers("clock", Long.MIN_VALUE);

    public WallTime(OperatorContext context) {
        this.context = context;
    }

    /** Microseconds since 1970. */
    public long now() {
        long now = Math.max(latest.get(0), context.wallMicros());
        latest.set(0, now);
        return now;
    }

    /** For {@link OperatorState}. */
    public State state() {
        return latest;
    }
}
