package io.despina.state;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Takes snapshots of states in memory, slice by slice. */
public final class Snapshots implements AutoCloseable {
    private final List<? extends State> states;
    private final List<Frozen> frozen = new ArrayList<>();
    private final SectionWriter writer;
    private final Map<String, byte[]> sections = new LinkedHashMap<>();
    private ByteArrayOutputStream section;
    private int next;

    /** Freezes all states. @param room of a slice, in bytes */
    public Snapshots(List<? extends State> states, int room) {
        this(states, room, false);
    }

    /** The same. @param changes whether to write only what has changed since the states were frozen last */
    public Snapshots(List<? extends State> states, int room, boolean changes) {
        this.states = states;
        writer = new SectionWriter(room);
        states.forEach(state -> frozen.add(changes ? state.freezeChanges() : state.freeze()));
    }

    /** Writes a slice; false if more follows. */
    public boolean write() throws IOException {
        if (next == frozen.size()) {
            return true;
        }
        State state = states.get(next);
        if (section == null) {
            section = new ByteArrayOutputStream();
            writer.begin(state, frozen.get(next).form());
        }
        boolean done = frozen.get(next).write(writer);
        if (done) {
            writer.end();
        }
        section.write(writer.bytes(), 0, writer.size());
        writer.replace(new byte[writer.bytes().length]);
        if (done) {
            if (sections.put(state.name(), section.toByteArray()) != null) {
                throw new AssertionError("two states are named " + state.name());
            }
            section = null;
            frozen.get(next++).close();
        }
        return next == frozen.size();
    }

    /** Writes the rest, and gives the sections by name. */
    public Map<String, byte[]> all() throws IOException {
        while (!write()) {
            continue;
        }
        return sections;
    }

    @Override
    public void close() {
        frozen.forEach(Frozen::close);
    }

    /** The section of one state. */
    public static byte[] of(State state) throws IOException {
        try (Snapshots snapshot = new Snapshots(List.of(state), 1 << 10)) {
            return snapshot.all().get(state.name());
        }
    }

    public static Sections sections(Map<String, byte[]> sections) {
        return (name, k) -> {
            if (!sections.containsKey(name)) {
                throw new MissingStateException("state `" + name + "` is not in the snapshot");
            }
            return new ByteArrayInputStream(sections.get(name));
        };
    }

    /** Of snapshots that follow each other, all but the first of which have what has changed. */
    public static Sections chain(List<Map<String, byte[]>> chain) {
        return new Sections() {
            @Override
            public int pieces() {
                return chain.size();
            }

            @Override
            public InputStream section(String state, int k) throws IOException {
                return sections(chain.get(k)).section(state, 0);
            }
        };
    }

    /** Restores a state of the only instance. */
    public static void restore(State state, byte[] section) throws IOException {
        new Share(0, 1, 256).restore(List.of(state), List.of(sections(Map.of(state.name(), section))));
    }
}
