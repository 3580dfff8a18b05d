package io.despina.operator;

import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** All states of one operator instance: written, read and counted together. */
public final class OperatorState {
    private final OperatorContext context;
    private final List<State> states = new ArrayList<>();
    private LongSupplier shared = () -> 0;
    private long reported;

    public OperatorState(OperatorContext context) {
        this.context = context;
    }

    /** Adds states; the order is that of {@link #restore}. */
    public OperatorState with(State... more) {
        states.addAll(List.of(more));
        return this;
    }

    /** Counts memory that several states share. */
    public OperatorState counting(LongSupplier bytes) {
        shared = bytes;
        return this;
    }

    /** Tells the context what the states take, if that has changed. */
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

    public void snapshot(SnapshotWriter writer) throws IOException {
        for (State state : states) {
            state.snapshot(writer.section(state.name()));
        }
    }

    public void restore(SnapshotReader reader) throws IOException {
        for (State state : states) {
            state.restore(reader.section(state.name()));
        }
        report();
    }
}
