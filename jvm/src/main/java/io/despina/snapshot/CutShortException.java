package io.despina.snapshot;

import io.despina.state.SnapshotException;

/** The end of a file is missing: whoever created it died meanwhile, or a disk lost it. */
public final class CutShortException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    CutShortException(String message) {
        super(message);
    }
}
