package io.despina.runtime.task;

import io.despina.operator.Reason;

/** An operator instance failed, or a channel between two, and with it the job. */
public final class TaskFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final String operatorId;
    private final String hint;
    private final String record;

    /**
     * An operator instance.
     *
     * @param record the {@link RecordDigest} of what it did not come back from; null for any other failure
     */
    record Place(String operatorId, int instance, String record) {
    }

    public TaskFailedException(String operatorId, int instance, Throwable cause) {
        this(new Place(operatorId, instance, null), Reason.of(cause), cause, null);
    }

    private TaskFailedException(Place place, String reason, Throwable cause, String hint) {
        super("operator " + place.operatorId + ", instance " + place.instance + ": " + reason, cause);
        operatorId = place.operatorId;
        this.hint = hint;
        record = place.record;
    }

    private TaskFailedException(String reason) {
        super(reason);
        operatorId = null;
        hint = null;
        record = null;
    }

    /** A channel to or from another resource broke. If its task failed there, that resource reports the reason. */
    public static TaskFailedException ofChannel(String reason) {
        return new TaskFailedException(reason);
    }

    public boolean isOfChannel() {
        return operatorId == null;
    }

    /** The operator failed on a bad record, as {@code on_error} asks for. @param record its text; empty if the reason has it */
    static TaskFailedException ofRecord(Place place, Exception why, String record) {
        if (why instanceof TaskFailedException already) {
            return already;
        }
        return new TaskFailedException(place, withRecord(Reason.of(why), record), why,
                "\"on_error\": {\"type\": \"skip\"} leaves such records out; \"dead_letter\" sends them to port errors");
    }

    private static String withRecord(String reason, String record) {
        return record.isEmpty() ? reason
                : (reason.endsWith(".") ? reason.substring(0, reason.length() - 1) : reason) + "; record: " + record;
    }

    /**
     * The operator did not come back from a record, as where the stack was full. What it keeps is not to be trusted, so the
     * record cannot be left out here and now.
     *
     * @param text of the record
     */
    static TaskFailedException onRecord(Place place, Error why, String text) {
        return new TaskFailedException(place, withRecord(Reason.of(why), text), why, null);
    }

    /** Null if a channel failed. */
    public String operatorId() {
        return operatorId;
    }

    /** The {@link RecordDigest} of the record that the operator did not come back from; null for any other failure. */
    public String record() {
        return record;
    }

    /** What to do about it; null if unknown. */
    public String hint() {
        return hint;
    }
}
