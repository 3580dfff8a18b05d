package io.despina.state;

import java.io.IOException;

/** The snapshot cannot be restored into this state. */
public class SnapshotException extends IOException {
    private static final long serialVersionUID = 1L;

    public SnapshotException(String message) {
        super(message);
    }

    SnapshotException(String message, Throwable cause) {
        super(message, cause);
    }
}
