package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.catalyst.row.SparkTypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.analysis.MultiAlias;
import org.apache.spark.sql.catalyst.analysis.Star;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.UnresolvedWindowExpression;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.optimizer.SpecialDatetimeValues$;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;
import org.apache.spark.sql.catalyst.trees.TreePattern$;

/** Turns texts into a checked plan: parses them, inspects them, and analyses them together, or one by one if that fails. */
public final class SelectList {
    /** A function with a random constant that Spark declares deterministic. */
    private static final Pattern RANDOM = Pattern.compile("aes_encrypt", Pattern.CASE_INSENSITIVE);

    private final Analysis analysis;
    private final List<String> texts;
    private final Problems problems;
    /** The index of the list's first text in problems. */
    private final int first;
    private final List<Expression> parsed = new ArrayList<>();
    private LogicalPlan analysed;
    private LogicalPlan finished;

    public SelectList(Analysis analysis, List<String> texts, Problems problems, int first) {
        this.analysis = analysis;
        this.texts = texts;
        this.problems = problems;
        this.first = first;
    }

    /** Parses all texts, and passes each expression to {@code prepare}. Collects problems, which {@link #analyse} throws. */
    public List<Expression> parse(Function<Expression, Expression> prepare) {
        for (int k = 0; k < texts.size(); k++) {
            try {
                Expression e = analysis.parse(texts.get(k));
                parsed.add(isAllowed(k, e) ? prepare.apply(e) : null);
            } catch (Exception e) {
                problems.add(first + k, e);
                parsed.add(null);
            }
        }
        return parsed;
    }

    private boolean isAllowed(int k, Expression e) {
        Expression bad = find(e, x -> x instanceof PlanExpression);
        if (bad != null) {
            problems.add(first + k, bad.origin(), new Problem(0, 0, 0, "subquery", "an expression cannot contain a subquery",
                    "join streams with a `join` operator"));
            return false;
        }
        bad = find(e, x -> x instanceof WindowExpression || x instanceof UnresolvedWindowExpression);
        if (bad != null) {
            problems.add(first + k, bad.origin(), new Problem(0, 0, 0, "window_function",
                    "an expression cannot contain a window function (OVER)",
                    "use an `aggregate` operator with a `trailing` window, or `scan`"));
            return false;
        }
        bad = find(e, x -> x instanceof Literal literal && analysis.readsClock(literal));
        if (bad != null) {
            problems.add(first + k, bad.origin(), new Problem(0, 0, 0, "unstable_literal", "`" + Analysis.written(bad)
                    + "` changes each time it is read", "write current_date(), now() or CAST('today' AS DATE): these"
                    + " have one value in the whole job"));
            return false;
        }
        return true;
    }

    private static Expression find(Expression e, java.util.function.Predicate<Expression> wanted) {
        return e.find(Scala.test(wanted)).getOrElse(() -> null);
    }

    /** Checks that every text names its column. */
    public void needNames() {
        for (int k = 0; k < parsed.size(); k++) {
            Expression e = parsed.get(k);
            if (e == null || e instanceof UnresolvedAttribute || e instanceof AttributeReference || e instanceof Star
                    || e instanceof Alias || isField(e)) {
                continue;
            }
            missingAlias(k, e instanceof MultiAlias ? "one name" : "a name");
            parsed.set(k, null);
        }
    }

    private static boolean isField(Expression e) {
        return e instanceof org.apache.spark.sql.catalyst.analysis.UnresolvedExtractValue u
                && (u.child() instanceof AttributeReference || isField(u.child()));
    }

    private void missingAlias(int k, String what) {
        problems.add(first + k, "missing_alias", "`" + texts.get(k) + "` needs " + what + " for its column",
                "write `" + texts.get(k).strip() + " AS name`");
    }

    /** The parsed expression with a name, as Spark's plans require; a struct's field gets the field's name. */
    static NamedExpression named(Expression e) {
        if (e instanceof NamedExpression n) {
            return n;
        }
        if (e instanceof org.apache.spark.sql.catalyst.analysis.UnresolvedExtractValue u) {
            return alias(e, u.extraction().toString());
        }
        return alias(e, "value");
    }

    public static Alias alias(Expression e, String name) {
        return new Alias(e, name, NamedExpression.newExprId(), Scala.seq(), Scala.none(), Scala.seq());
    }

    public static Expression unnamed(Expression e) {
        return e instanceof Alias a ? a.child() : e;
    }

    /**
     * Analyses the whole list. If Spark refuses it, analyses each text alone, to report the first problem of every text. Also
     * refuses a constant that fails, such as {@code 1 / 0}, because Spark computes it before the first row.
     *
     * @param plan makes a plan of parsed expressions
     */
    public LogicalPlan analyse(Function<List<Expression>, LogicalPlan> plan) throws ExpressionException {
        if (parsed.contains(null)) {
            each(plan);
            problems.throwIfAny();
        }
        try {
            analysed = analysis.check(plan.apply(parsed));
            if (problems.isEmpty() && !hasForeignNodes(analysed)) {
                finished = finish(analysed);
                return analysed;
            }
            each(plan);
        } catch (Exception e) {
            each(plan);
            if (problems.isEmpty()) {
                problems.add(first, e);
            }
        }
        problems.throwIfAny();
        throw new IllegalStateException("refused together, but not one by one: " + texts);
    }

    private LogicalPlan finish(LogicalPlan checked) {
        LogicalPlan plan = analysis.finish(checked);
        TrialCode.generate(plan);
        return plan;
    }

    /** After {@link #analyse}: its plan, ready to compile. */
    public LogicalPlan finished() {
        return finished;
    }

    /** After {@link #analyse}: whether repeating it would give the same result. The time and random functions prevent that. */
    public boolean isRepeatable() {
        return analysed.deterministic() && !analysed.containsPattern(TreePattern$.MODULE$.CURRENT_LIKE())
                && SpecialDatetimeValues$.MODULE$.apply(analysed) == analysed
                && texts.stream().noneMatch(text -> RANDOM.matcher(text).find());
    }

    private void each(Function<List<Expression>, LogicalPlan> plan) {
        List<Expression> good = new ArrayList<>();      // a text may name columns of earlier texts
        for (int k = 0; k < parsed.size(); k++) {
            if (parsed.get(k) == null) {
                continue;
            }
            good.add(parsed.get(k));
            try {
                LogicalPlan checked = analysis.check(plan.apply(good));
                if (!foreignNodes(k, checked)) {
                    finish(checked);
                    continue;
                }
            } catch (Exception e) {
                problems.add(first + k, e);
            }
            good.remove(good.size() - 1);
        }
    }

    private static boolean isForeign(LogicalPlan p) {
        return p instanceof Window || p instanceof Generate;
    }

    private static boolean hasForeignNodes(LogicalPlan plan) {
        return plan.exists(Scala.test(SelectList::isForeign));
    }

    private boolean foreignNodes(int k, LogicalPlan plan) {
        if (plan.exists(Scala.test(p -> p instanceof Generate))) {
            problems.add(first + k, "generator", "`" + texts.get(k) + "` makes several rows from one",
                    "use the operator `explode`");
            return true;
        }
        if (hasForeignNodes(plan)) {
            problems.add(first + k, "window_function", "`" + texts.get(k) + "` is a window function",
                    "use an `aggregate` operator with a `trailing` window, or `scan`");
            return true;
        }
        return false;
    }

    /**
     * Checks the names and types of a checked plan's columns.
     *
     * @param outputs its columns, in the order of the list
     */
    public void checkColumns(List<NamedExpression> outputs, Function<List<Expression>, LogicalPlan> plan)
            throws ExpressionException {
        Map<String, String> names = new HashMap<>();
        int column = 0;
        for (int k = 0; k < parsed.size(); k++) {
            int width = parsed.get(k) instanceof Star
                    ? Scala.list(analysis.check(plan.apply(List.of(parsed.get(k)))).output()).size() : 1;
            for (int end = column + width; column < end; column++) {
                NamedExpression output = outputs.get(column);
                checkName(k, output, names);
                checkType(k, output);
            }
        }
        problems.throwIfAny();
    }

    private void checkName(int k, NamedExpression output, Map<String, String> names) {
        if (parsed.get(k) instanceof UnresolvedAttribute && !isColumn((Expression) output)) {
            missingAlias(k, "a name");
        }
        String other = names.putIfAbsent(output.name().toLowerCase(Locale.ROOT), output.name());
        if (other != null) {
            problems.add(first + k, "duplicate_column", "columns `" + other + "` and `" + output.name()
                    + "` have the same name", "rename one of them with AS; upper and lower case do not differ");
        }
    }

    private static boolean isColumn(Expression output) {
        if (!(output instanceof Alias a)) {
            return output instanceof Attribute;
        }
        Expression child = a.child();
        while (child instanceof GetStructField f) {
            child = f.child();
        }
        return child instanceof Attribute;
    }

    private void checkType(int k, NamedExpression output) {
        Expression e = (Expression) output;
        if (SparkTypes.type(e.dataType()) == null) {
            problems.add(first + k, "unsupported_type", "column `" + output.name() + "` has type " + e.dataType().sql()
                    + ", which a packet cannot hold", "cast it, for example CAST(… AS STRING)");
        }
    }
}
