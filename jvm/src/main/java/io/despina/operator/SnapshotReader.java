package io.despina.operator;

import java.io.DataInput;
import java.io.IOException;

/** Gives back what a {@link SnapshotWriter} took. */
public interface SnapshotReader {

    /**
     * The section of that name, from its beginning.
     *
     * @throws IOException if the snapshot has no such section
     */
    DataInput section(String name) throws IOException;
}
