package io.despina.state;

import java.io.IOException;

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
     * The state at this instant. The state may change while the returned object is written; that object does not. All calls come
     * from the operator's thread. The returned object must be closed before the next call.
     */
    Frozen freeze();

    /** Removes everything. */
    void clear();

    /**
     * Adds an entry of a snapshot. After {@link #clear}, the entries of a section are added in order, section after section.
     *
     * @throws SnapshotException if the entry is damaged, or does not fit this state
     */
    void restore(SectionReader entry) throws IOException;
}
