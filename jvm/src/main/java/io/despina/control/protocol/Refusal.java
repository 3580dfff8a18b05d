package io.despina.control.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.descriptor.Place;

/** Something that cannot be done, or failed, in the words that the user sees: rule, message and, where it helps, a hint. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String hint;
    private final transient Subject subject;

    /**
     * What it is about.
     *
     * @param operator null for no operator
     * @param file     of the graph; null while the operator's place is not known
     */
    private record Subject(String operator, String file, Place place) {
        static final Subject NONE = new Subject(null, null, null);
    }

    /** @param hint what to do about it; null if there is nothing to say */
    public Refusal(String rule, String message, String hint) {
        this(rule, message, hint, Subject.NONE);
    }

    private Refusal(String rule, String message, String hint, Subject subject) {
        super(message);
        this.rule = rule;
        this.hint = hint;
        this.subject = subject;
    }

    /** The same, about that operator; null if it is about none. */
    public Refusal about(String operatorId) {
        return new Refusal(rule, getMessage(), hint, new Subject(operatorId, subject.file, subject.place));
    }

    /** The same, with the place of its operator. */
    public Refusal at(String graphFile, Place operatorPlace) {
        return new Refusal(rule, getMessage(), hint, new Subject(subject.operator, graphFile, operatorPlace));
    }

    /** The refusal in {@code e}, or one of rule {@code internal} that names what happened. */
    public static Refusal of(Throwable e) {
        if (e instanceof Refusal refusal) {
            return refusal;
        }
        if (e instanceof StackOverflowError) {
            return new Refusal("nesting", "an expression or a value of the graph nests too deep: the stack is full",
                    "let a project before the operator compute parts of a long expression");
        }
        // the user gets one line; whoever looks for the fault finds the rest on standard error
        e.printStackTrace();
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getClass().getSimpleName() + ": "
                + e.getMessage();
        return new Refusal("internal", message, "this is a fault of Despina: please report it with the graph");
    }

    public String rule() {
        return rule;
    }

    /** Null if it is about none. */
    public String operator() {
        return subject.operator;
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

    /** {@code {"rule", "message", "hint"}}, and of an operator that failed also its place in the graph. */
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
