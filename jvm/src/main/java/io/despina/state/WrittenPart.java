package io.despina.state;

import io.despina.spec.BucketMap;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The entries of written states whose buckets go to one instance, copied some at a time, to be sent elsewhere. */
public final class WrittenPart implements Closeable {
    private static final int SLICE = 1 << 18;

    /**
     * A piece of a state's section.
     *
     * @param state its name
     */
    public record Slice(String state, byte[] bytes) {
    }

    private final WrittenStates from;
    private final List<? extends State> states;
    private final BucketMap map;
    private final int to;
    private final SectionWriter writer = new SectionWriter(SLICE);
    private final List<Slice> slices = new ArrayList<>();
    private int next;
    private SectionReader reader;

    /**
     * @param from   whole
     * @param states that have written it
     * @param map    says which buckets the instance {@code to} has
     */
    public WrittenPart(WrittenStates from, List<? extends State> states, BucketMap map, int to) {
        this.from = from;
        this.states = states.stream().filter(state -> state.rule() == RestoreRule.BY_BUCKET).toList();
        this.map = map;
        this.to = to;
    }

    /** Copies some. @return whether all are copied */
    public boolean some(int most) throws IOException {
        for (int k = 0; k < most && next < states.size(); k++) {
            State state = states.get(next);
            if (reader == null) {
                reader = new SectionReader(state.name(), 0, 1, from);
                reader.begin(state);
                writer.begin(state);
            } else if (reader.next()) {
                copy(state);
            } else {
                writer.end();
                cut(state);
                close();
                next++;
            }
        }
        return next == states.size();
    }

    private void copy(State state) {
        if (reader.bucket() == SectionWriter.NO_BUCKET || map.owner(reader.bucket()) != to) {
            reader.skip();
            return;
        }
        reader.copy(writer);
        if (!writer.hasRoom()) {
            cut(state);
        }
    }

    /** A large entry takes several. */
    private void cut(State state) {
        for (int from = 0; from < writer.size(); from += SLICE) {
            slices.add(new Slice(state.name(), Arrays.copyOfRange(writer.bytes(), from, Math.min(from + SLICE, writer.size()))));
        }
        writer.replace(writer.bytes());
    }

    /** In order, none larger than a message may be; each state has at least one. */
    public List<Slice> slices() {
        return List.copyOf(slices);
    }

    /** Copies no more. */
    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
