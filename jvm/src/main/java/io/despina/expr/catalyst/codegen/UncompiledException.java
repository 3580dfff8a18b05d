package io.despina.expr.catalyst.codegen;

/** Generated source that does not compile, such as a method that is too long. Whoever meets it interprets the expression. */
public final class UncompiledException extends Exception {
    private static final long serialVersionUID = 1L;

    UncompiledException(String message, Throwable cause) {
        super(message, cause);
    }
}
