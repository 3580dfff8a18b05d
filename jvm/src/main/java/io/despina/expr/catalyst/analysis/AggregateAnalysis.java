package io.despina.expr.catalyst.analysis;

import io.despina.expr.AggregationPlan;
import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Checks a select list with aggregates as Spark's {@code GROUP BY} would. It groups by the keys, the window, and, if a row is
 * made per packet, by all of the packet's columns, so that all of these may be used outside of aggregates.
 */
public final class AggregateAnalysis {
    private static final Column WINDOW_TIME = new Column("window_time", Type.Simple.TIMESTAMP, false);

    /** The arguments of {@link io.despina.expr.ExpressionCompiler#aggregate}. */
    public record Request(Schema input, List<String> groupBy, List<String> select, boolean perPacket, WindowNames window,
            List<Integer> order) {
    }

    private final Analysis analysis;
    private final Request request;
    private final Problems problems;
    private final ScopePlan input;
    /** The struct {@code window} and {@code window_time}; empty without windows. */
    private final List<AttributeReference> window;
    /** Resolved, in order. */
    private final List<NamedExpression> keys = new ArrayList<>();
    /** The keys that {@code group_by} names with AS, by lower-case name. */
    private final Map<String, Expression> namedKeys = new HashMap<>();
    private List<NamedExpression> outputs;
    private boolean repeatable = true;

    public AggregateAnalysis(Analysis analysis, Request request) {
        this.analysis = analysis;
        this.request = request;
        Scope names = Scope.of(request.input());
        problems = new Problems(Stream.concat(request.groupBy().stream(), request.select().stream()).toList(),
                request.window() == WindowNames.NONE ? names : names.and("window", new Schema(request.window().fields())));
        input = new ScopePlan(Scope.of(request.input()));
        window = request.window() == WindowNames.NONE ? List.of() : List.of(ScopePlan.attribute(
                new Column("window", new Type.Struct(request.window().fields()), false)), ScopePlan.attribute(WINDOW_TIME));
    }

    public ScopePlan input() {
        return input;
    }

    public List<AttributeReference> window() {
        return window;
    }

    /** The fields of the struct. */
    public List<Column> windowFields() {
        return request.window().fields();
    }

    /** The keys' columns, after {@link #check}. */
    public List<NamedExpression> keys() {
        return keys;
    }

    /** The result's columns, after {@link #check}. */
    public List<NamedExpression> outputs() {
        return outputs;
    }

    /** After {@link #check}: as {@link SelectList#isRepeatable}. */
    public boolean isRepeatable() {
        return repeatable;
    }

    /** As in {@link AggregationPlan#origins}. */
    public List<Integer> origins() {
        List<Integer> origins = new ArrayList<>(input.origins(outputs));
        for (int k = 0; k < origins.size(); k++) {
            Expression e = (Expression) outputs.get(k);
            Expression source = e instanceof Alias a ? a.child() : e;
            if (!window.isEmpty() && source instanceof AttributeReference a && a.exprId().equals(window.get(1).exprId())) {
                origins.set(k, AggregationPlan.WINDOW_TIME);
            }
        }
        return origins;
    }

    /** The checked plan, fit to compile: an aggregate over the input, perhaps with projections around it. */
    public LogicalPlan check() throws ExpressionException {
        checkKeys();
        SelectList list = new SelectList(analysis, request.select(), problems, request.groupBy().size());
        list.parse(this::withKeys);
        list.needNames();
        Function<List<Expression>, LogicalPlan> plan = this::aggregate;
        LogicalPlan checked = list.analyse(plan);
        outputs = checked instanceof Project p ? Scala.list(p.projectList())
                : Scala.list(((Aggregate) checked).aggregateExpressions());
        list.checkColumns(outputs, plan);
        repeatable &= list.isRepeatable();
        return FirstAndLast.by(list.finished(), request.order().stream().map(k -> request.input().column(k).name()).toList());
    }

    private void checkKeys() throws ExpressionException {
        if (request.groupBy().isEmpty()) {
            return;
        }
        SelectList list = new SelectList(analysis, request.groupBy(), problems, 0);
        List<Expression> parsed = list.parse(e -> e);
        for (int k = 0; k < parsed.size(); k++) {
            Expression e = parsed.get(k);
            if (e != null && !(e instanceof NamedExpression)) {
                parsed.set(k, SelectList.alias(e, "key_" + (k + 1)));
            }
        }
        Function<List<Expression>, LogicalPlan> plan = all -> new Project(
                Scala.seq(all.stream().map(SelectList::named).toList()), input.plan());
        LogicalPlan checked = list.analyse(plan);
        if (!(checked instanceof Project project)) {
            problems.add(0, "aggregate_function", "a key cannot contain an aggregate", null);
            problems.throwIfAny();
            return;
        }
        keys.addAll(Scala.list(project.projectList()));
        list.checkColumns(keys, plan);
        repeatable = list.isRepeatable();
        for (int k = 0; k < keys.size(); k++) {
            Expression key = (Expression) keys.get(k);
            if (!key.deterministic()) {
                problems.add(k, key.origin(), new Problem(0, 0, 0, "nondeterministic_key",
                        "a key must give the same value each time", "compute it in a `project` operator before this one"));
            }
            if (parsed.get(k) instanceof Alias a && request.input().indexOf(a.name()) < 0) {
                namedKeys.put(a.name().toLowerCase(Locale.ROOT), ((Alias) key).child());
            }
        }
        problems.throwIfAny();
    }

    /** Replaces names of keys by the keys. */
    private Expression withKeys(Expression parsed) {
        if (parsed instanceof UnresolvedAttribute u && key(u) != null) {
            return SelectList.alias(key(u), u.name());
        }
        return parsed.transformUp(Scala.<Expression>replacing(e -> e instanceof UnresolvedAttribute u ? key(u) : null));
    }

    private Expression key(UnresolvedAttribute u) {
        return u.nameParts().size() == 1 ? namedKeys.get(u.name().toLowerCase(Locale.ROOT)) : null;
    }

    private LogicalPlan aggregate(List<Expression> parsed) {
        List<Expression> grouping = new ArrayList<>();
        keys.forEach(k -> grouping.add(k instanceof Alias a ? a.child() : (Expression) k));
        if (request.perPacket()) {
            grouping.addAll(input.attributes(0));
        }
        grouping.addAll(window);
        LogicalPlan child = window.isEmpty() ? input.plan() : new Join(input.plan(), ScopePlan.relation(window),
                Inner$.MODULE$, Scala.none(), JoinHint.NONE());
        return new Aggregate(Scala.seq(grouping), Scala.seq(parsed.stream().map(SelectList::named).toList()), child,
                Scala.none());
    }

    /** Adds a problem with the list as a whole. */
    public ExpressionException refuse(String rule, String message) {
        problems.add(request.groupBy().size(), rule, message, null);
        return problems.exception();
    }
}
