package io.despina.state;

import java.io.IOException;
import java.io.InputStream;

/** The sections that one operator instance has written: in a file, and perhaps what has changed since in others after it. */
@FunctionalInterface
public interface Sections {

    /**
     * The newest section of a state, from its beginning.
     *
     * @throws SnapshotException if there is none, or it is damaged
     */
    InputStream section(String state) throws IOException;

    /** How many files it has sections in. */
    default int pieces() {
        return 1;
    }

    /** The same, of the k-th file; the last is the newest. */
    default InputStream section(String state, int k) throws IOException {
        return section(state);
    }
}
