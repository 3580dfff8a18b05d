package io.despina.state;

import io.despina.spec.Partition;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The part of an operator's state that an instance takes.
 *
 * @param instance    from 0
 * @param parallelism instances of the operator
 * @param buckets     the graph's number of buckets for keys
 */
public record Share(int instance, int parallelism, int buckets) {

    /** Whether this instance takes an entry of that bucket, or of {@link SectionWriter#NO_BUCKET}. */
    boolean takes(int bucket) {
        return bucket == SectionWriter.NO_BUCKET ? instance == 0 : Partition.Hash.owner(bucket, buckets, parallelism) == instance;
    }

    /**
     * Restores this instance's part of all states of an operator: at the same parallelism its own sections, at another one its
     * part of all instances' sections.
     *
     * @param from the sections of the snapshot's instances, in order
     * @throws SnapshotException if a section does not fit the states; all states are then empty
     */
    public void restore(List<? extends State> states, List<? extends Sections> from) throws IOException {
        boolean whole = false;
        try {
            for (State state : states) {
                state.clear();
                restore(state, from);
                state.restoredAll();
            }
            whole = true;
        } finally {
            if (!whole) {
                states.forEach(State::clear);
            }
        }
    }

    /**
     * Restores the first entries of a state, as many as are wanted, for practice.
     *
     * @param from a section alone
     */
    public static void practise(State state, Sections from, BooleanSupplier more) throws IOException {
        state.clear();
        try (SectionReader reader = new SectionReader(state.name(), 0, 1, from)) {
            reader.begin(state);
            boolean follows = true;
            while (more.getAsBoolean() && (follows = reader.next())) {
                state.restore(reader);
            }
            restoredSome(state, follows);
        }
    }

    /** @param mayLack whether entries are missing that others need */
    private static void restoredSome(State state, boolean mayLack) throws SnapshotException {
        try {
            state.restoredAll();
        } catch (SnapshotException lacking) {
            if (!mayLack) {
                throw lacking;
            }
            state.clear();
        }
    }

    private void restore(State state, List<? extends Sections> from) throws IOException {
        for (int k = 0; k < from.size(); k++) {
            if (from.size() != parallelism || k == instance) {
                try (SectionReader reader = new SectionReader(state.name(), k, from.size(), from.get(k))) {
                    read(state, reader, from.size() == parallelism);
                } catch (MissingStateException none) {
                    if (!state.mayBeMissing()) {
                        throw none;
                    }
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
