package io.despina.operator;

import io.despina.state.Held;
import io.despina.state.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** All states of one operator instance, counted together. */
public final class OperatorState {
    private final OperatorContext context;
    private final List<State> states = new ArrayList<>();
    private final Supplier<String> contents = this::contents;
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
            context.stateBytes(bytes, contents);
        }
    }

    /** What the states have, in words: keys and packets; empty if they have neither. */
    private String contents() {
        long keys = 0;
        long packets = 0;
        for (State state : states) {
            keys += state.keys();
            packets += state.packets();
        }
        String ofKeys = keys == 0 ? "" : keys == 1 ? "1 key" : keys + " keys";
        String ofPackets = packets == 0 ? "" : packets == 1 ? "1 packet" : packets + " packets";
        return ofKeys.isEmpty() || ofPackets.isEmpty() ? ofKeys + ofPackets : ofKeys + ", " + ofPackets;
    }

    /** What the states hold, see {@link Operator#held}. */
    public Held held() {
        Held sum = Held.NONE;
        for (State state : states) {
            sum = sum.plus(state.held());
        }
        return sum;
    }

    /** For {@link Operator#states}. */
    public List<State> all() {
        return states;
    }
}
