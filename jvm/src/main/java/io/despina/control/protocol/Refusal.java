package io.despina.control.protocol;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Something that cannot be done, or failed, in the words that the user sees: rule, message and, where it helps, a hint. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String hint;

    /** @param hint what to do about it; null if there is nothing to say */
    public Refusal(String rule, String message, String hint) {
        super(message);
        this.rule = rule;
        this.hint = hint;
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
        String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getClass().getSimpleName() + ": " + e.getMessage();
        return new Refusal("internal", message, "this is a fault of Despina: please report it with the graph");
    }

    public String rule() {
        return rule;
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

    /** {@code {"rule", "message", "hint"}}. */
    public ObjectNode body() {
        ObjectNode error = Json.object().put("rule", rule).put("message", getMessage());
        if (hint != null) {
            error.put("hint", hint);
        }
        return error;
    }
}
