package io.despina.state;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Something that an operator instance keeps from packet to packet. */
public interface State {

    /** Unique within the operator: the name of its section in a snapshot. */
    String name();

    /** What it takes now, in bytes, an estimate to be counted against the budget. */
    long bytes();

    /** Writes all that {@link #restore} needs. */
    void snapshot(DataOutput out) throws IOException;

    /**
     * Takes the place of what is held now.
     *
     * @throws SnapshotException if the section is of another kind, version or schema, or is damaged
     */
    void restore(DataInput in) throws IOException;
}
