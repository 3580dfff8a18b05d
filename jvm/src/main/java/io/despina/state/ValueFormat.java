package io.despina.state;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** How the values of a keyed table are written, read and counted. */
public interface ValueFormat<V> {

    /** Told in snapshots, and compared on restore. */
    String schema();

    void write(V value, DataOutput out) throws IOException;

    V read(DataInput in) throws IOException;

    /** What {@code value} takes, in bytes, an estimate. */
    long bytes(V value);
}
