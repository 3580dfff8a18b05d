package io.despina.snapshot;

import io.despina.state.SnapshotException;

/** A later attempt has claimed the state folder: whoever meets this must end, and complete nothing. */
public final class FencedException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    FencedException(String message) {
        super(message);
    }
}
