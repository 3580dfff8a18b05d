package io.despina.operator.outbox;

import java.io.IOException;

/** A transaction may have ended, or may not: its target must be asked. */
public final class UnknownCommitException extends IOException {
    private static final long serialVersionUID = 1L;

    public UnknownCommitException(String message, Throwable cause) {
        super(message, cause);
    }
}
