package io.despina.operator;

import java.io.DataOutput;
import java.io.IOException;

/** Takes an operator's state, one named section after the other. */
public interface SnapshotWriter {

    /** Begins the section of that name; names are unique within one operator's snapshot. */
    DataOutput section(String name) throws IOException;
}
