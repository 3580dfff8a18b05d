package io.despina.spool;

import java.io.IOException;

/** Rows that cannot be read: they were cut, or what is on disk is not what was written. */
public final class SpoolException extends IOException {
    private static final long serialVersionUID = 1L;

    public SpoolException(String message) {
        super(message);
    }
}
