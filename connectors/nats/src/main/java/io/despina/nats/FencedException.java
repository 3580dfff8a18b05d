package io.despina.nats;

import java.io.IOException;

/** Another one has written a mark meanwhile. */
final class FencedException extends IOException {
    private static final long serialVersionUID = 1L;

    FencedException(String message, Throwable cause) {
        super(message, cause);
    }
}
