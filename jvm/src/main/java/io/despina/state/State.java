package io.despina.state;

import java.io.IOException;
import java.util.Map;

/** Data that an operator instance keeps between packets. */
public interface State extends StateDescriptor {

    /** An estimate of its present memory in bytes, charged to the budget. */
    long bytes();

    /** How many keys it has values for; of several windows, those of each. Asked when the state is too much, never per packet. */
    default long keys() {
        return 0;
    }

    /** How many packets wait in it, without those that are the value of a key. Asked as {@link #keys} is. */
    default long packets() {
        return 0;
    }

    /**
     * The packets in it whose rows have not all left. Asked once, when the operator's task ends. Packets that were restored from
     * a snapshot as a window of some group count as one.
     */
    default Held held() {
        return Held.waiting(packets());
    }

    /**
     * The state at this instant. The state may change while the returned object is written; that object does not. All calls come
     * from the operator's thread. The returned object must be closed before the next call.
     */
    Frozen freeze();

    /**
     * The same, where what was frozen last is kept: what has changed since. Some states give all that they have, and so does
     * each that was never frozen, or cleared since.
     */
    default Frozen freezeChanges() {
        return freeze();
    }

    /** What was frozen last, as a few texts by name, for people who look at a snapshot; empty for most states. */
    default Map<String, String> texts() {
        return Map.of();
    }

    /**
     * Whether a snapshot that does not have it may be gone on from, as one of an engine whose operator did without: then it is
     * empty.
     */
    default boolean mayBeMissing() {
        return false;
    }

    /** Removes everything. */
    void clear();

    /**
     * Adds an entry of a snapshot. After {@link #clear}, the entries of a section are added in order, section after section.
     *
     * @throws SnapshotException if the entry is damaged, or does not fit this state
     */
    void restore(SectionReader entry) throws IOException;

    /**
     * All entries of a snapshot have been added.
     *
     * @throws SnapshotException if they do not fit each other
     */
    default void restoredAll() throws SnapshotException {
        // most states are whole with each entry
    }
}
