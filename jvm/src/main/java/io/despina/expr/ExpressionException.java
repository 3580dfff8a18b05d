package io.despina.expr;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Expressions that do not type-check; carries every problem that was found. */
public final class ExpressionException extends Exception {
    private static final long serialVersionUID = 1L;
    private static final Pattern CONDITION = Pattern.compile("\\[[A-Z0-9_]+(\\.[A-Z0-9_]+)*]\\s*");
    private static final Pattern SQL_STATE = Pattern.compile("\\s*SQLSTATE: \\w+\\s*$");
    /** Before the expression that Spark quotes, and under each of its lines. */
    private static final Pattern SQL = Pattern.compile("\\n== SQL[^\\n]*==\\n");
    /** What to do instead, which Spark says at length. */
    private static final Pattern INSTEAD = Pattern.compile("( because it is malformed)?\\.( Correct the value as per the syntax, "
            + "or change its target type\\.)? Use `(try_\\w+)` to tolerate .*? and return NULL instead\\.");
    private static final Pattern SETTING = Pattern.compile("\\. If necessary (set .*) to bypass this error\\.");
    /** Jackson's places, which name no source: where a value began, and where it went wrong. */
    private static final Pattern BEGINNING = Pattern.compile("\\s*\\(start marker at \\[Source: REDACTED[^]]*]\\)");
    private static final Pattern JACKSON = Pattern.compile("\\s*at \\[Source: REDACTED[^]]*; line: \\d+, column: (\\d+)]");
    private static final Pattern CARETS = Pattern.compile("(?m)^\\s*\\^+\\s*$");

    /**
     * One problem.
     *
     * @param text  the index of the offending text in the list (or lists, counted on) that was given
     * @param from  where in that text it begins, 0-based; -1 if Spark does not say
     * @param to    where it ends, exclusive
     * @param rule  its code, for example {@code unknown_column}
     * @param hint  what to do, for example {@code did you mean `mf01`?}; null if there is none
     */
    public record Problem(int text, int from, int to, String rule, String message, String hint) {
    }

    private final transient List<Problem> problems;

    public ExpressionException(List<Problem> problems) {
        super(problems.get(0).message());
        this.problems = List.copyOf(problems);
    }

    /** Whether Spark said it: it puts the condition first, as in {@code [DIVIDE_BY_ZERO] Division by zero.} */
    public static boolean isSparks(String message) {
        return CONDITION.matcher(message).lookingAt();
    }

    /**
     * What Spark says while packets are computed, in one line: without its condition and SQL state, with the expression at the
     * end, and with the graph's settings named in place of its own. What others say stays as it is.
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
     * What Spark says, or its JSON parser, with the graph's settings named in place of its own, and a place in a record as
     * a column.
     */
    public static String inGraphWords(String message) {
        String placed = JACKSON.matcher(BEGINNING.matcher(message).replaceAll("")).replaceAll(" (column $1)");
        return placed.replace("set \"spark.sql.ansi.enabled\" to \"false\"", "set \"ansi\" to false in \"settings\"");
    }

    public List<Problem> problems() {
        return problems;
    }
}
