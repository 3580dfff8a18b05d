package io.despina.state;

import java.io.IOException;
import java.io.InputStream;

/** The sections that one operator instance has written into a snapshot. */
@FunctionalInterface
public interface Sections {

    /**
     * The section of a state, from its beginning.
     *
     * @throws SnapshotException if there is none, or it is damaged
     */
    InputStream section(String state) throws IOException;
}
