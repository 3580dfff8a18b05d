package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Severity;
import io.despina.descriptor.Text;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.Hash;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The compiler for planning. It reports problems at their places in the file and then returns null. It creates the compiler with
 * the first expression, so a graph without expressions does not load Spark.
 */
public final class ExpressionChecker {
    private final Diagnostics diagnostics;
    private final Supplier<ExpressionCompiler> compilers;
    private ExpressionCompiler compiler;
    /** Places, and positions in their texts, that already have a warning. */
    private final Set<List<Object>> cautioned;
    private final Explanation words;

    ExpressionChecker(Diagnostics diagnostics, Supplier<ExpressionCompiler> compilers) {
        this(diagnostics, new Once(compilers), new HashSet<>(), (snippet, problem) -> problem);
    }

    private ExpressionChecker(Diagnostics diagnostics, Supplier<ExpressionCompiler> compilers, Set<List<Object>> cautioned,
            Explanation words) {
        this.diagnostics = diagnostics;
        this.compilers = compilers;
        this.cautioned = cautioned;
        this.words = words;
    }

    /** The compiler that all checkers of a graph share. */
    private static final class Once implements Supplier<ExpressionCompiler> {
        private final Supplier<ExpressionCompiler> compilers;
        private ExpressionCompiler made;

        Once(Supplier<ExpressionCompiler> compilers) {
            this.compilers = compilers;
        }

        @Override
        public ExpressionCompiler get() {
            if (made == null) {
                made = compilers.get();
            }
            return made;
        }
    }

    /** Says what is wrong with a text in the words of the operator that has it. */
    @FunctionalInterface
    public interface Explanation {
        /** The same problem, perhaps with another message or hint. */
        ExpressionException.Problem of(Snippet snippet, ExpressionException.Problem problem);
    }

    /** The same checker, whose problems are told in these words. */
    public ExpressionChecker explaining(Explanation others) {
        return new ExpressionChecker(diagnostics, compilers, cautioned, others);
    }

    /** A question to the compiler. */
    private interface Question<T> {
        T ask(ExpressionCompiler compiler) throws ExpressionException;
    }

    public ProjectionPlan project(Scope scope, List<Snippet> select) {
        return ask(select, c -> c.project(scope, Snippet.sql(select)));
    }

    /** A select list that is not in the file; problems are reported at {@code place}. */
    public ProjectionPlan project(Scope scope, List<String> select, Place place) {
        return ask(place, List.of(), c -> c.project(scope, select));
    }

    public Compiled<Predicate> predicate(Scope scope, Snippet condition) {
        return askUnnamed(List.of(condition), c -> c.predicate(scope, condition.sql()));
    }

    public Compiled<Predicate> predicate(Scope scope, String condition, Place place) {
        return ask(place, List.of(), c -> c.predicate(scope, condition));
    }

    Compiled<Hash> hash(Scope scope, List<Snippet> keys) {
        return askUnnamed(keys, c -> c.hash(scope, Snippet.sql(keys)));
    }

    Compiled<Hash> hash(Scope scope, List<String> keys, Place place) {
        return ask(place, List.of(), c -> c.hash(scope, keys));
    }

    /** @param order the order for first and last; empty if packets arrive in it, or have no total order */
    public AggregationPlan aggregate(Schema input, List<Snippet> groupBy, List<Snippet> select, boolean perPacket,
            WindowNames window, List<Integer> order) {
        List<Snippet> all = new ArrayList<>(groupBy);
        all.addAll(select);
        return ask(all, c -> c.aggregate(input, Snippet.sql(groupBy), Snippet.sql(select), perPacket, window, order));
    }

    /** Ordinals of columns that never fall. The texts must be valid; nothing is reported. */
    public Set<Integer> rising(Scope scope, List<Snippet> select) {
        Set<Integer> rising = answer(select.get(0).text().place(), select, c -> c.rising(scope, Snippet.sql(select)));
        return rising == null ? Set.of() : rising;
    }

    /** The keys of a join, with equal bytes for equal values. Problems are reported at {@code place}. */
    public ProjectionPlan keys(Scope scope, List<String> select, Place place) {
        return ask(place, List.of(), c -> c.keys(scope, select));
    }

    /** The key of a group, without column names, and with floats normalised as in GROUP BY. */
    public ProjectionPlan keys(Schema input, List<Snippet> groupBy) {
        AggregationPlan plan = askUnnamed(groupBy,
                c -> c.aggregate(input, Snippet.sql(groupBy), List.of("count(*) AS n"), false, WindowNames.NONE, List.of()));
        return plan == null ? null : plan.keys();
    }

    public Equalities equalities(Scope scope, Snippet condition) {
        return askUnnamed(List.of(condition), c -> c.equalities(scope, condition.sql()));
    }

    /** Whether no text has a name, where names are useless. Reports a text that has one. */
    public boolean areUnnamed(List<Text> texts) {
        return areUnnamed(texts.get(0).place(), Snippet.of(texts));
    }

    private boolean areUnnamed(Place place, List<Snippet> snippets) {
        return Boolean.TRUE.equals(answer(place, snippets, c -> {
            c.checkUnnamed(Snippet.sql(snippets));
            return true;
        }));
    }

    /** Parses texts that may not have been checked yet. Reports nothing for texts that already have an error. */
    void checkSyntax(List<Text> texts) {
        List<Snippet> silent = Snippet.of(texts.stream().filter(t -> !diagnostics.hasErrors(t.place())).toList());
        if (!silent.isEmpty()) {
            ask(silent, c -> {
                c.checkSyntax(Snippet.sql(silent));
                return true;
            });
        }
    }

    /** The same for texts in places where names are useless. */
    private <T> T askUnnamed(List<Snippet> snippets, Question<T> question) {
        T answer = ask(snippets, question);
        return areUnnamed(snippets.get(0).text().place(), snippets) ? answer : null;
    }

    private <T> T ask(List<Snippet> snippets, Question<T> question) {
        return ask(snippets.get(0).text().place(), snippets, question);
    }

    private <T> T ask(Place place, List<Snippet> snippets, Question<T> question) {
        T answer = answer(place, snippets, question);
        if (answer != null) {
            caution(place, snippets);
        }
        return answer;
    }

    /** Without warnings. */
    private <T> T answer(Place place, List<Snippet> snippets, Question<T> question) {
        try {
            return question.ask(compiler());
        } catch (ExpressionException e) {
            for (ExpressionException.Problem problem : e.problems()) {
                report(Severity.ERROR, problem, place, snippets);
            }
            return null;
        } catch (StackOverflowError e) {
            Place longest = snippets.stream().map(Snippet::text).max(Comparator.comparingInt(text -> text.value().length()))
                    .map(text -> text.place(0)).orElse(place);
            diagnostics.error(longest, Rule.NESTING, ExpressionException.TOO_DEEP, ExpressionException.LESS_DEEP);
            return null;
        }
    }

    private ExpressionCompiler compiler() {
        if (compiler == null) {
            compiler = compilers.get();
        }
        return compiler;
    }

    /** Warns once per place, however often its text is checked. */
    private void caution(Place place, List<Snippet> snippets) {
        for (ExpressionException.Problem problem : compiler.cautions(Snippet.sql(snippets))) {
            Snippet of = snippets.get(problem.text());
            if (cautioned.add(List.of(of.text().place(), problem.from() - of.shift()))) {
                report(Severity.WARNING, problem, place, snippets);
            }
        }
    }

    /** Whether some aggregate goes by which packets come first. The texts must be valid. */
    public boolean goesByArrival(List<Snippet> select) {
        return !compiler().arrivals(Snippet.sql(select), List.of()).isEmpty();
    }

    /**
     * Warns of aggregates that go by which packets arrive first. The texts must be valid.
     *
     * @param order names of the columns that settle the order: the event time, and those that break ties; may be empty
     */
    public void warnOfArrival(List<Snippet> select, List<String> order) {
        for (ExpressionException.Problem problem : compiler().arrivals(Snippet.sql(select), order)) {
            report(Severity.WARNING, problem, select.get(0).text().place(), select);
        }
    }

    private void report(Severity severity, ExpressionException.Problem found, Place place, List<Snippet> snippets) {
        Place at = place;
        ExpressionException.Problem problem = found;
        if (problem.text() >= 0 && problem.text() < snippets.size()) {
            Snippet snippet = snippets.get(problem.text());
            problem = inTheText(snippet, words.of(snippet, problem));
            int index = problem.from() < 0 ? 0 : problem.from() - snippet.shift();
            at = snippet.text().place(Math.max(0, Math.min(index, snippet.text().value().length())));
        }
        diagnostics.add(at, severity, Rule.of(problem.rule()), problem.message(), problem.hint());
    }

    /** A bracket that planning has put behind the text is none that its author wrote. */
    private static ExpressionException.Problem inTheText(Snippet snippet, ExpressionException.Problem problem) {
        return problem.message().equals("syntax error at ')'") && snippet.isBehind(problem.from())
                ? problem.with("the expression ends too early", problem.hint()) : problem;
    }
}
