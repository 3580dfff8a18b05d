package io.despina.connect;

import java.io.IOException;

/** A server, or the way to it, is not as the graph says: to try again is of no use. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * The target has a later epoch of an outbox than the one that is to be written.
     *
     * @param outbox its name, and of which operator it is
     * @param found  which it has, and where
     */
    public static RefusedException olderState(String outbox, long epoch, String found) {
        return new RefusedException("the outbox " + outbox + " is to write epoch " + epoch + ", and " + found + ": the state "
                + "folder is an older copy of the one that the job ran with. Go on with that one. If it is lost, begin with a "
                + "new state folder: rows may then come twice", null);
    }
}
