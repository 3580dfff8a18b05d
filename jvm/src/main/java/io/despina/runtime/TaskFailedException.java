package io.despina.runtime;

/** An operator instance failed, and with it the job. */
public final class TaskFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String operatorId;
    private final int instance;

    public TaskFailedException(String operatorId, int instance, Throwable cause) {
        super("operator " + operatorId + ", instance " + instance + ": " + reason(cause), cause);
        this.operatorId = operatorId;
        this.instance = instance;
    }

    private static String reason(Throwable cause) {
        String text = cause.getMessage();
        return text == null || text.isBlank() ? cause.getClass().getSimpleName()
                : cause instanceof NullPointerException || cause instanceof IndexOutOfBoundsException
                ? cause.getClass().getSimpleName() + ": " + text : text;
    }

    public String operatorId() {
        return operatorId;
    }

    public int instance() {
        return instance;
    }
}
