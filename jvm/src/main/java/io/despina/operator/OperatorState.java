package io.despina.operator;

import io.despina.state.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** All states of one operator instance, counted together. */
public final class OperatorState {
    private final OperatorContext context;
    private final List<State> states = new ArrayList<>();
    private LongSupplier shared = () -> 0;
    private long reported;

    public OperatorState(OperatorContext context) {
        this.context = context;
    }

    /** Adds states; they are written in this order. */
    public OperatorState with(State... more) {
        states.addAll(List.of(more));
        return this;
    }

    /** Counts memory that several states share. */
    public OperatorState counting(LongSupplier bytes) {
        shared = bytes;
        return this;
    }

    /** Reports the size of the states to the context, if it has changed. */
    public void report() {
        long bytes = shared.getAsLong();
        for (int k = 0; k < states.size(); k++) {
            bytes += states.get(k).bytes();
        }
        if (bytes != reported) {
            reported = bytes;
            context.stateBytes(bytes);
        }
    }

    /** For {@link Operator#states}. */
    public List<State> all() {
        return states;
    }
}
