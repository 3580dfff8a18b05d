package io.despina.state;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What an operator instance kept at one instant, written to memory, slice by slice. The thread of the operator writes it; when it
 * is whole, any thread may read it.
 */
public final class WrittenStates implements Sections, AutoCloseable {
    private static final int SLICE = 1 << 16;

    private final List<? extends State> states;
    private final List<Frozen> frozen = new ArrayList<>();
    private final SlicedSections written = new SlicedSections();
    private final SectionWriter writer = new SectionWriter(SLICE);
    private int next;
    private boolean begun;

    /** Freezes the states. */
    public WrittenStates(List<? extends State> states) {
        this.states = states;
        states.forEach(state -> frozen.add(state.freeze()));
    }

    /** Writes a slice. @return whether everything is written */
    public boolean write() throws IOException {
        if (next == states.size()) {
            return true;
        }
        State state = states.get(next);
        if (!begun) {
            writer.begin(state);
            begun = true;
        }
        if (frozen.get(next).write(writer)) {
            writer.end();
            frozen.get(next).close();
            next++;
            begun = false;
        }
        if (writer.size() > 0) {
            written.add(state.name(), Arrays.copyOf(writer.bytes(), writer.size()));
            writer.replace(writer.bytes());
        }
        return next == states.size();
    }

    @Override
    public InputStream section(String state, int k) throws IOException {
        return written.section(state, k);
    }

    /** Lets the states go, also before everything is written. */
    @Override
    public void close() {
        frozen.forEach(Frozen::close);
    }
}
