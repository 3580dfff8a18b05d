package io.despina.connect;

import java.io.IOException;

/** A server, or the way to it, is not as the graph says: to try again is of no use. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
