package io.despina.buffer;

/** A deployment, or an operator's state, that does not fit into its resource's budget. The message says which number to raise. */
public final class BudgetException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BudgetException(String message) {
        super(message);
    }
}
