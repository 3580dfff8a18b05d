package io.despina.snapshot;

import io.despina.state.SnapshotException;

/** A file of states is not as it was written, or is gone. Whoever meets it says so in the folder: {@link StateFolder#rotten}. */
public final class RottenStatesException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    private final String file;

    /**
     * @param file its path in the store
     * @param what is wrong with it
     */
    RottenStatesException(String file, String what) {
        super(file + ": " + what);
        this.file = file;
    }

    /** Its path in the store: no epoch whose manifest names it can be gone on from. */
    String file() {
        return file;
    }
}
