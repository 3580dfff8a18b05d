package io.despina.runtime;

import io.despina.operator.Reason;

/** An operator instance failed, and with it the job. */
public final class TaskFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String operatorId;
    private final int instance;
    private final String hint;

    public TaskFailedException(String operatorId, int instance, Throwable cause) {
        this(operatorId, instance, cause, null);
    }

    private TaskFailedException(String operatorId, int instance, Throwable cause, String hint) {
        super("operator " + operatorId + ", instance " + instance + ": " + Reason.of(cause), cause);
        this.operatorId = operatorId;
        this.instance = instance;
        this.hint = hint;
    }

    /** It failed on a record, where {@code on_error} has it so. */
    static TaskFailedException ofRecord(String operatorId, int instance, Exception why) {
        return why instanceof TaskFailedException already ? already : new TaskFailedException(operatorId, instance, why,
                "\"on_error\": {\"type\": \"skip\"} leaves such records out; \"dead_letter\" sends them to port errors");
    }

    public String operatorId() {
        return operatorId;
    }

    public int instance() {
        return instance;
    }

    /** What to do about it; null if there is nothing to say. */
    public String hint() {
        return hint;
    }
}
