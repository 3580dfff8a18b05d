package io.despina.operator.order;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.state.State;
import java.util.function.LongSupplier;

/** The wall clock as what closes an operator's windows: it is the watermark, and the time of each packet that is taken. */
public final class WallWindows {
    /** Closes windows. */
    @FunctionalInterface
    public interface Closing {
        /** @return false if the output is full, and windows that end then or before are left */
        boolean until(long micros) throws Exception;
    }

    private final OperatorContext context;
    private final WallTime time;
    private final Closing closing;
    private final LongSupplier firstEnd;

    /** @param firstEnd when the first open window ends; {@link Long#MAX_VALUE} if none is open */
    public WallWindows(OperatorContext context, Closing closing, LongSupplier firstEnd) {
        this.context = context;
        this.closing = closing;
        this.firstEnd = firstEnd;
        time = new WallTime(context);
    }

    /** As {@link WallTime#now}. */
    public long now() {
        return time.now();
    }

    /** Asks for a call when the first window ends; after each change of the windows. */
    public void wake() {
        context.wakeAt(firstEnd.getAsLong());
    }

    /** That call. @return as {@link Operator#timer} */
    public boolean ring() throws Exception {
        boolean done = closing.until(time.now());
        if (done) {
            wake();
        }
        return done;
    }

    /** For {@link OperatorState}. */
    public State state() {
        return time.state();
    }
}
