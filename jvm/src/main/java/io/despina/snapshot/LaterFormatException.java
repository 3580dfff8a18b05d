package io.despina.snapshot;

import io.despina.state.SnapshotException;

/** A later engine wrote it. It is no rot: nothing may be done without it. */
public final class LaterFormatException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    LaterFormatException(String path, int format) {
        super(path + ": format " + format + "; this engine reads up to " + Manifest.WITH_BUCKETS);
    }
}
