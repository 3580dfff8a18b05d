package io.despina.mqtt;

import java.io.IOException;

/** A broker, or the way to it, is not as the graph says: to try again would not help. */
final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
