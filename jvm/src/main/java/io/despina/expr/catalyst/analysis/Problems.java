package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.trees.Origin;

/** Collects the problems of a list of texts, in a graph's words, with places in the texts and hints. */
public final class Problems {
    /** Finds texts that may hold what {@link #caution} tells of. */
    public static final Pattern CAUTION = Pattern.compile(Functions.CHANCE + "|null", Pattern.CASE_INSENSITIVE);

    private final List<String> texts;
    /** What the texts may name; null if that is unknown. */
    private final Scope scope;
    private final List<Problem> found = new ArrayList<>();

    public Problems(List<String> texts) {
        this(texts, null);
    }

    public Problems(List<String> texts, Scope scope) {
        this.texts = texts;
        this.scope = scope;
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    public List<Problem> found() {
        return List.copyOf(found);
    }

    public void throwIfAny() throws ExpressionException {
        if (!found.isEmpty()) {
            throw exception();
        }
    }

    public ExpressionException exception() {
        found.sort(Comparator.comparingInt(Problem::text));
        return new ExpressionException(found);
    }

    public void add(int text, String rule, String message, String hint) {
        found.add(new Problem(text, -1, -1, rule, message, hint));
    }

    /** Adds a problem at the place in its text where Spark's parser found the expression. */
    void add(int text, Origin origin, Problem words) {
        int[] range = range(text, origin.getQueryContext());
        add(text, range[0], range[1], words);
    }

    /** Adds a problem at that place in its text. */
    public void add(int text, int from, int to, Problem words) {
        found.add(new Problem(text, from, to, words.rule(), words.message(), words.hint()));
    }

    /** Adds Spark's error about a text. */
    void add(int text, Exception e) {
        if (e instanceof Refused refused) {
            add(text, refused.origin(), refused.problem());
            return;
        }
        if (!(e instanceof SparkThrowable spark)) {
            found.add(new Problem(text, -1, -1, "expression", message(e), null));
            return;
        }
        int[] range = range(text, spark.getQueryContext());
        if (range[0] < 0 && e instanceof AnalysisException a) {
            range = range(text, a);
        }
        String condition = spark.getCondition() == null ? "" : spark.getCondition();
        add(text, range[0], range[1], new Conditions(condition, spark.getMessageParameters(), message(e), qualified())
                .problem());
    }

    /** The scope's names with a qualifier, as in {@code window.start}. */
    private List<String> qualified() {
        return scope == null ? List.of() : scope.inputs().stream()
                .filter(input -> input.name() != null && !input.name().equals(Scope.PATHS))
                .flatMap(input -> input.schema().names().stream().map(column -> input.name() + "." + column)).toList();
    }

    private int[] range(int text, QueryContext[] contexts) {
        int length = texts.get(text).length();
        for (QueryContext c : contexts) {
            if (c.contextType() == org.apache.spark.QueryContextType.SQL && c.startIndex() >= 0
                    && c.stopIndex() < length && c.startIndex() <= c.stopIndex()) {
                return new int[] {c.startIndex(), c.stopIndex() + 1};
            }
        }
        return new int[] {-1, -1};
    }

    /** The range from a parse error's line and position in line. */
    private int[] range(int text, AnalysisException e) {
        if (e.line().isEmpty() || e.startPosition().isEmpty()) {
            return new int[] {-1, -1};
        }
        String s = texts.get(text);
        int at = 0;
        for (int line = 1; line < (Integer) e.line().get(); line++) {
            at = s.indexOf('\n', at) + 1;
        }
        int from = Math.min(at + (Integer) e.startPosition().get(), s.length());
        int to = from;
        while (to < s.length() && Character.isJavaIdentifierPart(s.charAt(to))) {
            to++;
        }
        return new int[] {from, Math.max(to, Math.min(from + 1, s.length()))};
    }

    /** Spark's message in one line and in a graph's words, without condition, SQL state and plan. */
    public static String message(Throwable e) {
        String text = e instanceof AnalysisException a ? a.message() : String.valueOf(e.getMessage());
        String first = text.strip().replaceAll("(?s)\n== SQL.*", "").replaceAll("(?s);?\\s*(line \\d+ pos \\d+)?;?\n'.*", "");
        return ExpressionException.inGraphWords(first).replaceFirst("(?s) Did you mean one of the following\\?.*", "")
                .replaceFirst(" on search path \\[.*?]", "")
                .replaceFirst(" Please, refer to '.*?' for a fix\\.", "")
                .replaceFirst("^\\[[A-Z0-9_.]+]\\s*", "").replaceFirst("(?s)\\s*SQLSTATE: \\w+.*", "")
                .strip().replaceAll("\\s*\n\\s*", " ");
    }

    /** Adds a caution for each random function of the parsed expression, and for each of its comparisons with NULL. */
    public void caution(int text, Expression parsed) {
        parsed.foreach(Scala.each(e -> {
            Problem chance = Functions.caution(e);
            if (chance != null) {
                add(text, e.origin(), chance);
            }
        }));
        NullComparisons.in(parsed, (e, problem) -> add(text, e.origin(), problem));
    }
}
