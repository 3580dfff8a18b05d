package io.despina.connect;

import java.io.IOException;

/**
 * A server does not let us in. When a job begins, that is so for good. Later, when we were in before, another try may help: a
 * server that begins anew may not have its users yet.
 */
public final class LoginException extends IOException {
    private static final long serialVersionUID = 1L;

    public LoginException(String message, Throwable cause) {
        super(message, cause);
    }
}
