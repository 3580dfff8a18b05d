package io.despina.operator.python;

/** A row that the function has no answer for. */
final class FunctionException extends Exception {
    private static final long serialVersionUID = 1L;

    FunctionException(String why) {
        super(why);
    }
}
