package io.despina.state;

/** The snapshot is whole, and does not have the state. */
public final class MissingStateException extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public MissingStateException(String message) {
        super(message);
    }
}
