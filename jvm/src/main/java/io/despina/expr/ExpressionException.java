package io.despina.expr;

import java.util.List;

/** Expressions that do not type-check; carries every problem that was found. */
public final class ExpressionException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * One problem.
     *
     * @param text  the index of the offending text in the list (or lists, counted on) that was given
     * @param from  where in that text it begins, 0-based; -1 if Spark does not say
     * @param to    where it ends, exclusive
     * @param rule  Spark's error condition, for example {@code UNRESOLVED_COLUMN}
     * @param hint  what to do, for example {@code did you mean `mf01`?}; null if there is none
     */
    public record Problem(int text, int from, int to, String rule, String message, String hint) {
    }

    private final transient List<Problem> problems;

    public ExpressionException(List<Problem> problems) {
        super(problems.get(0).message());
        this.problems = List.copyOf(problems);
    }

    /** What Spark says, also while packets are computed, with the graph's settings named in place of its own. */
    public static String inGraphWords(String message) {
        return message.replace("set \"spark.sql.ansi.enabled\" to \"false\"", "set \"ansi\" to false in \"settings\"");
    }

    public List<Problem> problems() {
        return problems;
    }
}
