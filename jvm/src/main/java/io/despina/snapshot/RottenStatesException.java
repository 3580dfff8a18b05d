package io.despina.snapshot;

import io.despina.state.SnapshotException;

/** A file of states is not as it was written, or is gone. Whoever meets it says so in the folder: {@link StateFolder#rotten}. */
public final class RottenStatesException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    RottenStatesException(String message) {
        super(message);
    }
}
