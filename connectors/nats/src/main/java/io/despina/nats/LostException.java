package io.despina.nats;

import java.io.IOException;

/** The connection, or the consumer at the server, has come to its end: another one goes on. */
final class LostException extends IOException {
    private static final long serialVersionUID = 1L;

    LostException(String message, Throwable cause) {
        super(message, cause);
    }
}
