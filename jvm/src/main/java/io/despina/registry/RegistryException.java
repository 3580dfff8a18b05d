package io.despina.registry;

import java.io.IOException;

/** A registry has not done what it was asked for. */
public final class RegistryException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Why {
        /** It does not answer, or is not able to just now: it may be asked again. */
        AWAY,
        /** It does not have that schema, subject or version. */
        UNKNOWN,
        /** It does not want to, and will not. */
        REFUSED
    }

    private final Why why;

    public RegistryException(Why why, String message, Throwable cause) {
        super(message, cause);
        this.why = why;
    }

    public Why why() {
        return why;
    }
}
