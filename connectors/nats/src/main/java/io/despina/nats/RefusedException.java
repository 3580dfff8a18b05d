package io.despina.nats;

import java.io.IOException;

/** To try again is of no use. */
final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
