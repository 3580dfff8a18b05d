package io.despina.connect;

import java.io.IOException;

/** A connection has come to its end, or the server cannot do it just now: another try may help. */
public final class LostException extends IOException {
    private static final long serialVersionUID = 1L;

    public LostException(String message, Throwable cause) {
        super(message, cause);
    }
}
