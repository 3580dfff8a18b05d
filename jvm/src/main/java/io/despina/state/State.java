package io.despina.state;

import java.io.IOException;

/** Something that an operator instance keeps from packet to packet. */
public interface State extends StateDescriptor {

    /** What it takes now, in bytes, an estimate to be counted against the budget. */
    long bytes();

    /**
     * The state as it is now. It may change while the answer is being written; the answer does not. All calls come from the
     * thread of the operator. A state is frozen once at a time: the answer is closed before the next call.
     */
    Frozen freeze();

    /** Forgets all. */
    void clear();

    /**
     * Adds an entry of a snapshot to what is held. After {@link #clear}, the entries of the section are added in their order;
     * sections of several instances follow each other.
     *
     * @throws SnapshotException if the entry is damaged, or does not go with what is held
     */
    void restore(SectionReader entry) throws IOException;
}
