package io.despina.asking;

import java.io.IOException;

/** The server cannot be reached, or cannot answer now: it may be asked again. */
final class ServerAwayException extends IOException {
    private static final long serialVersionUID = 1;

    /** Nanoseconds that it wants to be left alone. */
    private final long least;
    /** Whether it is well, and only wants fewer requests. */
    private final boolean busy;

    ServerAwayException(String message, Throwable cause) {
        super(message, cause);
        least = 0;
        busy = false;
    }

    ServerAwayException(String message, long least, boolean busy) {
        super(message);
        this.least = least;
        this.busy = busy;
    }

    long least() {
        return least;
    }

    boolean isBusy() {
        return busy;
    }
}
