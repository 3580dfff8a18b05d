package io.despina.operator;

/** The user's code cannot be opened, whatever packets there are: it would fail in the same way again. */
public final class OpeningException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** @param cause null where it was thrown elsewhere */
    public OpeningException(String message, Throwable cause) {
        super(message, cause);
    }
}
