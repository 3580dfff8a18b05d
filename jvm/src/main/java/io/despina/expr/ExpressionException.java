package io.despina.expr;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Expressions that do not type-check, with every problem found. */
public final class ExpressionException extends Exception {
    /** The message of an expression that the stack cannot hold, and its hint. */
    public static final String TOO_DEEP = "the expression nests too deep: the stack is full";
    public static final String LESS_DEEP = "let a project before the operator compute parts of it";

    private static final long serialVersionUID = 1L;
    private static final Pattern CONDITION = Pattern.compile("\\[[A-Z0-9_]+(\\.[A-Z0-9_]+)*]\\s*");
    private static final Pattern SQL_STATE = Pattern.compile("\\s*SQLSTATE: \\w+\\s*$");
    /** The text before the expression that Spark quotes, and under each of its lines. */
    private static final Pattern SQL = Pattern.compile("\\n== SQL[^\\n]*==\\n");
    /** Spark's lengthy advice. */
    private static final Pattern INSTEAD = Pattern.compile("( because it is malformed)?\\.( Correct the value as per the syntax, "
            + "or change its target type\\.)? Use `(try_\\w+)` to tolerate .*? and return NULL instead\\.");
    private static final Pattern SETTING = Pattern.compile("\\. If necessary (set .*) to bypass this error\\.");
    /** Jackson's places without a source: the beginning of a value, and the place of the error. */
    private static final Pattern BEGINNING = Pattern.compile("\\s*\\(start marker at \\[Source: REDACTED[^]]*]\\)");
    private static final Pattern JACKSON = Pattern.compile("\\s*at \\[Source: REDACTED[^]]*; line: \\d+, column: (\\d+)]");
    private static final Pattern CARETS = Pattern.compile("(?m)^\\s*\\^+\\s*$");

    /**
     * One problem.
     *
     * @param text  the index of the offending text in the given list (or lists, counted through)
     * @param from  its beginning in that text, 0-based; -1 if unknown
     * @param to    its end, exclusive
     * @param rule  its code, for example {@code unknown_column}
     * @param hint  what to do, for example {@code did you mean `mf01`?}; null if there is none
     */
    public record Problem(int text, int from, int to, String rule, String message, String hint) {
        /** The same in other words. */
        public Problem with(String otherMessage, String otherHint) {
            return new Problem(text, from, to, rule, otherMessage, otherHint);
        }
    }

    private final transient List<Problem> problems;

    public ExpressionException(List<Problem> problems) {
        super(problems.get(0).message());
        this.problems = List.copyOf(problems);
    }

    /** Whether it is a message of Spark, which begins with a condition, as in {@code [DIVIDE_BY_ZERO] Division by zero.} */
    public static boolean isSparks(String message) {
        return CONDITION.matcher(message).lookingAt();
    }

    /**
     * A message of Spark's at run time in one line: without condition and SQL state, with the expression at the end, and with the
     * graph's settings instead of Spark's. Other messages stay unchanged.
     */
    public static String plain(String message) {
        Matcher condition = CONDITION.matcher(message);
        if (!condition.lookingAt()) {
            return inGraphWords(message);
        }
        String[] parts = SQL.split(message.substring(condition.end()), 2);
        String words = INSTEAD.matcher(SQL_STATE.matcher(parts[0]).replaceFirst("").strip())
                .replaceFirst("; `$3` gives NULL instead.");
        words = SETTING.matcher(words).replaceFirst(", or $1.");
        String expression = parts.length == 1 ? "" : CARETS.matcher(parts[1]).replaceAll("").strip();
        return inGraphWords(words + (expression.isEmpty() ? "" : " In: " + expression)).replaceAll("\\s*\n\\s*", " ");
    }

    /**
     * A message of Spark or its JSON parser, with the graph's settings instead of Spark's, and with a place in a record as a
     * column.
     */
    public static String inGraphWords(String message) {
        String placed = JACKSON.matcher(BEGINNING.matcher(message).replaceAll("")).replaceAll(" (column $1)");
        return placed.replace("set \"spark.sql.ansi.enabled\" to \"false\"", "set \"ansi\" to false in \"settings\"");
    }

    public List<Problem> problems() {
        return problems;
    }
}
