package io.despina.expr.catalyst;

import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.catalyst.trees.Origin;

/** Collects what is wrong with a list of texts, in Spark's words, with places in the given text and a hint. */
final class Problems {
    private final List<String> texts;
    private final List<Problem> found = new ArrayList<>();

    Problems(List<String> texts) {
        this.texts = texts;
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    List<Problem> found() {
        return List.copyOf(found);
    }

    void throwIfAny() throws ExpressionException {
        if (!found.isEmpty()) {
            throw exception();
        }
    }

    ExpressionException exception() {
        found.sort(Comparator.comparingInt(Problem::text));
        return new ExpressionException(found);
    }

    void add(int text, String rule, String message, String hint) {
        found.add(new Problem(text, -1, -1, rule, message, hint));
    }

    /** Adds a problem at the place in its text where Spark's parser found the expression. */
    void add(int text, Origin origin, Problem words) {
        int[] range = range(text, origin.getQueryContext());
        add(text, range[0], range[1], words);
    }

    /** Adds a problem at that place in its text. */
    void add(int text, int from, int to, Problem words) {
        found.add(new Problem(text, from, to, words.rule(), words.message(), words.hint()));
    }

    /** Adds Spark's error about a text. */
    void add(int text, Exception e) {
        if (e instanceof Refused refused) {
            add(text, refused.origin(), refused.problem());
            return;
        }
        if (!(e instanceof SparkThrowable spark)) {
            found.add(new Problem(text, -1, -1, "UNSUPPORTED_EXPRESSION", message(e), null));
            return;
        }
        int[] range = range(text, spark.getQueryContext());
        if (range[0] < 0 && e instanceof AnalysisException a) {
            range = range(text, a);
        }
        String rule = spark.getCondition() == null ? "UNSUPPORTED_EXPRESSION" : spark.getCondition();
        found.add(new Problem(text, range[0], range[1], rule, message(e), hint(rule, spark.getMessageParameters())));
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

    /** From line and position in line, as parse errors give them. */
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

    /** Spark's message in one line, without the condition before it, the SQL state and the plan behind it, in a graph's words. */
    static String message(Throwable e) {
        String text = e instanceof AnalysisException a ? a.message() : String.valueOf(e.getMessage());
        String first = text.strip().replaceAll("(?s)\n== SQL.*", "").replaceAll("(?s);?\\s*(line \\d+ pos \\d+)?;?\n'.*", "");
        return ExpressionException.inGraphWords(first).replaceFirst("(?s) Did you mean one of the following\\?.*", "").replaceFirst(" on search path \\[.*?]", "")
                .replaceFirst("^\\[[A-Z0-9_.]+]\\s*", "").replaceFirst("(?s)\\s*SQLSTATE: \\w+.*", "")
                .strip().replaceAll("\\s*\n\\s*", " ");
    }

    private static String hint(String rule, Map<String, String> parameters) {
        if (rule.startsWith("UNRESOLVED_COLUMN") || rule.startsWith("UNRESOLVED_FIELD")) {
            return columnHint(parameters);
        }
        if (rule.startsWith("UNRESOLVED_ROUTINE")) {
            String name = bare(parameters.getOrDefault("routineName", ""));
            String nearest = nearest(name, Functions.known());
            return nearest == null ? "the built-in functions of Spark SQL may be used"
                    : "did you mean `" + Functions.SYNONYMS.getOrDefault(nearest, nearest) + "`?";
        }
        if (rule.startsWith("DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN")) {
            return "a condition gives BOOLEAN: compare with something, or cast";
        }
        if (rule.startsWith("INVALID_WHERE_CONDITION")) {
            return "filter the output of an `aggregate` operator instead";
        }
        if (rule.startsWith("MISSING_AGGREGATION") || rule.startsWith("MISSING_GROUP_BY")) {
            return "add the column to `group_by`, or wrap it in an aggregate, for example any_value()";
        }
        return null;
    }

    private static String columnHint(Map<String, String> parameters) {
        String proposal = parameters.getOrDefault("proposal", parameters.getOrDefault("fields", ""));
        if (proposal.isEmpty()) {
            return null;
        }
        List<String> proposals = List.of(proposal.split(", "));
        String wanted = bare(parameters.getOrDefault("objectName", parameters.getOrDefault("fieldName", "")));
        String nearest = nearest(wanted, proposals.stream().map(Problems::bare).toList());
        return nearest == null ? "there are " + proposal
                : "did you mean " + proposals.stream().filter(p -> bare(p).equals(nearest)).findFirst().orElse(nearest) + "?";
    }

    private static String bare(String quoted) {
        return quoted.substring(quoted.lastIndexOf(".`") + 1).replace("`", "");
    }

    /** The candidate that differs least, if it differs by less than about a third. */
    private static String nearest(String wanted, List<String> candidates) {
        String best = null;
        int least = Math.max(2, wanted.length() / 3) + 1;
        for (String candidate : candidates) {
            int distance = distance(wanted.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (distance < least || distance == least && best != null && common(wanted, candidate) > common(wanted, best)) {
                least = distance;
                best = candidate;
            }
        }
        return best;
    }

    private static int common(String a, String b) {
        int n = 0;
        while (n < Math.min(a.length(), b.length()) && Character.toLowerCase(a.charAt(n)) == Character.toLowerCase(b.charAt(n))) {
            n++;
        }
        return n;
    }

    private static int distance(String a, String b) {
        return org.apache.spark.unsafe.types.UTF8String.fromString(a)
                .levenshteinDistance(org.apache.spark.unsafe.types.UTF8String.fromString(b));
    }
}
