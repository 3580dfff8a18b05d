package io.despina.arrow;

/** A message is no record batch of the schema that was agreed. */
public final class ArrowException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ArrowException(String message) {
        super("a malformed batch: " + message);
    }
}
