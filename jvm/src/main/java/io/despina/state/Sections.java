package io.despina.state;

import java.io.IOException;
import java.io.InputStream;

/** The sections that one operator instance has written: in a file, and perhaps what has changed since in others after it. */
@FunctionalInterface
public interface Sections {

    /**
     * The section of a state in the k-th file, from its beginning; the last is the newest.
     *
     * @throws SnapshotException if there is none, or it is damaged
     */
    InputStream section(String state, int k) throws IOException;

    /** How many files it has sections in. */
    default int pieces() {
        return 1;
    }
}
