package io.despina.control.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.descriptor.Place;
import io.despina.json.Json;

/** A refused request or a failure, in words for the user: rule, message and possibly a hint. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String hint;
    private final transient Subject subject;

    /**
     * The operator that it is about, and its place.
     *
     * @param operator null for no operator
     * @param record   digest of the record that the operator did not come back from, or null
     * @param file     of the graph; null while the operator's place is unknown
     * @param resource that told it; null for none
     */
    private record Subject(String operator, String record, String file, Place place, String resource) {
        static final Subject NONE = new Subject(null, null, null, null, null);
    }

    /** @param hint what to do about it; null for no hint */
    public Refusal(String rule, String message, String hint) {
        this(rule, message, hint, Subject.NONE);
    }

    private Refusal(String rule, String message, String hint, Subject subject) {
        super(message);
        this.rule = rule;
        this.hint = hint;
        this.subject = subject;
    }

    /** A copy about that operator; null for no operator. */
    public Refusal about(String operatorId) {
        return new Refusal(rule, getMessage(), hint, new Subject(operatorId, subject.record, subject.file, subject.place,
                subject.resource));
    }

    /** A copy about that record of its operator; null for none. @param digest of the record */
    public Refusal on(String digest) {
        return new Refusal(rule, getMessage(), hint, new Subject(subject.operator, digest, subject.file, subject.place,
                subject.resource));
    }

    /** A copy of what that resource has told of itself. */
    public Refusal in(String resource) {
        return new Refusal(rule, getMessage(), hint, new Subject(subject.operator, subject.record, subject.file, subject.place,
                resource));
    }

    /** A copy with another message. */
    public Refusal saying(String message) {
        return new Refusal(rule, message, hint, subject);
    }

    /** A copy with the place of its operator. */
    public Refusal at(String graphFile, Place operatorPlace) {
        return new Refusal(rule, getMessage(), hint, new Subject(subject.operator, subject.record, graphFile, operatorPlace,
                subject.resource));
    }

    /** {@code e} itself if it is a refusal, else one of rule {@code internal} that describes it. */
    public static Refusal of(Throwable e) {
        if (e instanceof Refusal refusal) {
            return refusal;
        }
        if (e instanceof StackOverflowError) {
            return new Refusal("nesting", "an expression or a value of the graph nests too deep: the stack is full",
                    "let a project before the operator compute parts of a long expression");
        }
        // the user gets one line; standard error has the rest for debugging
        e.printStackTrace();
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getClass().getSimpleName() + ": "
                + e.getMessage();
        return new Refusal("internal", message, "this is a fault of Despina: please report it with the graph");
    }

    /** As people read it, in the command's words: one line with its place, if it has one, and one more for the hint. */
    public String render() {
        Place place = subject.place;
        String where = place == null ? "" : subject.file + ":" + place.line() + ":" + place.column() + ": ";
        return where + "error[" + rule + "]: " + getMessage() + (hint == null ? "" : "\n  hint: " + hint);
    }

    public String rule() {
        return rule;
    }

    /** That has told it of itself; null if none has. */
    public String resource() {
        return subject.resource;
    }

    /** Null if it is about no operator. */
    public String operator() {
        return subject.operator;
    }

    /** The digest of the record that the operator did not come back from; null if it is about none. */
    public String record() {
        return subject.record;
    }

    public String hint() {
        return hint;
    }

    /** {@code {"error": {"rule", "message", "hint"}}}. */
    public ObjectNode json() {
        ObjectNode answer = Json.object();
        answer.set("error", body());
        return answer;
    }

    /** {@code {"rule", "message", "hint"}}, and for a failed operator also its place in the graph. */
    public ObjectNode body() {
        ObjectNode error = Json.object().put("rule", rule).put("message", getMessage());
        if (hint != null) {
            error.put("hint", hint);
        }
        if (subject.operator != null) {
            error.put("operator", subject.operator);
        }
        Place place = subject.place;
        if (place != null) {
            error.put("file", subject.file).put("line", place.line()).put("column", place.column())
                    .put("pointer", place.pointer());
        }
        return error;
    }
}
