package io.despina.state;

import io.despina.spec.Partition;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/**
 * Which part of an operator's state an instance takes.
 *
 * @param instance    from 0
 * @param parallelism instances of the operator
 * @param buckets     that the graph deals keys out to
 */
public record Share(int instance, int parallelism, int buckets) {

    /** Whether this instance takes an entry of that bucket, or of {@link SectionWriter#NO_BUCKET}. */
    boolean takes(int bucket) {
        return bucket == SectionWriter.NO_BUCKET ? instance == 0 : Partition.Hash.owner(bucket, buckets, parallelism) == instance;
    }

    /**
     * Restores what this instance takes of all states of an operator: at the same parallelism what it wrote itself, at another
     * one its part of what all wrote.
     *
     * @param from what the instances wrote that a snapshot was taken of, in their order
     * @throws SnapshotException if one does not go with the states; then all are empty
     */
    public void restore(List<? extends State> states, List<? extends Sections> from) throws IOException {
        boolean whole = false;
        try {
            for (State state : states) {
                state.clear();
                restore(state, from);
            }
            whole = true;
        } finally {
            if (!whole) {
                states.forEach(State::clear);
            }
        }
    }

    private void restore(State state, List<? extends Sections> from) throws IOException {
        for (int k = 0; k < from.size(); k++) {
            if (from.size() != parallelism || k == instance) {
                try (InputStream section = from.get(k).section(state.name())) {
                    read(state, new SectionReader(state.name(), k, from.size(), section), from.size() == parallelism);
                } catch (EOFException cut) {
                    throw new SnapshotException("state `" + state.name() + "`: an entry is cut short", cut);
                }
            }
        }
    }

    private void read(State state, SectionReader reader, boolean own) throws IOException {
        reader.begin(state);
        while (reader.next()) {
            int bucket = reader.bucket();
            if (bucket < SectionWriter.NO_BUCKET || bucket >= buckets) {
                throw new SnapshotException("state `" + state.name() + "`: bucket " + bucket + " of " + buckets);
            }
            if (own || state.rule() != RestoreRule.BY_BUCKET || takes(bucket)) {
                state.restore(reader);
            } else {
                reader.skip();
            }
        }
    }
}
