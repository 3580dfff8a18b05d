package io.despina.state;

import io.despina.spec.BucketMap;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The part of an operator's state that an instance takes.
 *
 * @param instance from 0
 * @param map      who has which bucket now
 * @param before   who had which when the states were written; null if no bucket had moved, and all instances had some
 */
public record Share(int instance, BucketMap map, BucketMap before) {

    /**
     * Where no bucket has moved, and all instances have some.
     *
     * @param parallelism instances of the operator
     * @param buckets     the graph's number of buckets for keys
     */
    public Share(int instance, int parallelism, int buckets) {
        this(instance, BucketMap.even(buckets, parallelism), null);
    }

    /**
     * Restores this instance's part of all states of an operator: where all buckets are as they were its own sections, else the
     * entries of its buckets from all instances' sections.
     *
     * @param from the sections of the snapshot's instances, in order
     * @throws SnapshotException if a section does not fit the states; all states are then empty
     */
    public void restore(List<? extends State> states, List<? extends Sections> from) throws IOException {
        boolean whole = false;
        try (Restoring restoring = begin(states, from)) {
            while (!whole) {
                whole = restoring.some(Integer.MAX_VALUE);
            }
        } finally {
            if (!whole) {
                states.forEach(State::clear);
            }
        }
    }

    /** The same, some entries at a time. @param from null for an instance of which no bucket comes here */
    public Restoring begin(List<? extends State> states, List<? extends Sections> from) {
        return new Restoring(this, states, from);
    }

    /** Whether each of so many writers takes what it has written itself. */
    boolean isOwn(int writers) {
        return isAlike(writers) && map.hasOwnersOf(before == null ? BucketMap.even(map.buckets(), writers) : before);
    }

    private boolean isAlike(int writers) {
        return writers == map.instances();
    }

    /** Where buckets have moved: whether this instance looks at what another has written of a state. */
    boolean reads(State state, int writers) {
        return !isAlike(writers) || state.rule() == RestoreRule.BY_BUCKET;
    }

    /**
     * Whether this instance takes the entry. What has no bucket stays where it is if there are as many instances as there were.
     *
     * @param own as {@link #isOwn}
     */
    boolean takes(State state, SectionReader entry, boolean own) throws SnapshotException {
        int bucket = entry.bucket();
        if (bucket < SectionWriter.NO_BUCKET || bucket >= map.buckets()) {
            throw new SnapshotException("state `" + state.name() + "`: bucket " + bucket + " of " + map.buckets());
        }
        boolean keyed = state.rule() == RestoreRule.BY_BUCKET;
        if (own || keyed && bucket != SectionWriter.NO_BUCKET) {
            return own || map.owner(bucket) == instance;
        }
        return isAlike(entry.writers()) ? entry.writer() == instance : !keyed || instance == 0;
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
}
