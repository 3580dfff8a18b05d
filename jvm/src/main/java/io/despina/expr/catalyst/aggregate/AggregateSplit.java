package io.despina.expr.catalyst.aggregate;

import io.despina.expr.ExpressionException;
import io.despina.expr.catalyst.analysis.AggregateAnalysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.codegen.Leaf;
import io.despina.expr.catalyst.codegen.PacketColumn;
import io.despina.expr.catalyst.codegen.Program;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.CreateNamedStruct;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Splits a finished plan {@code Project* → Aggregate → Project* → input} into keys over the packet, aggregates over the packet,
 * and results over the aggregates, the key, the window and the row's packet.
 */
public final class AggregateSplit {
    /** The input of results that is the row's packet. */
    static final int CURRENT = 0;
    private static final int KEY = 1;

    private final AggregateAnalysis list;
    private final Aggregate aggregate;
    private final List<Project> above = new ArrayList<>();
    /** What the projections below the aggregate define, over the input's columns. */
    private final Map<ExprId, Expression> below = new HashMap<>();
    /** The keys as the aggregate's results refer to them. */
    private final List<Expression> grouping;
    private final Map<ExprId, PacketColumn> input;
    private final AggregateBinder aggregates = new AggregateBinder(this::overPacket);
    private final AggregateProgram program;

    public AggregateSplit(AggregateAnalysis list, LogicalPlan finished) throws ExpressionException {
        this.list = list;
        input = PacketColumn.of(list.input());
        LogicalPlan plan = finished;
        while (plan instanceof Project project) {
            above.add(0, project);
            plan = project.child();
        }
        aggregate = (Aggregate) plan;
        define(aggregate.child());
        grouping = Scala.<Expression>list(aggregate.groupingExpressions()).subList(0, list.keys().size());
        try {
            List<Expression> results = finalExpressions().stream().map(this::result).toList();
            program = new AggregateProgram(aggregates.parts(), aggregates.places(), aggregates.columns(),
                    Program.of(2, List.of(), results));
        } catch (IllegalArgumentException e) {
            throw list.refuse("expression", e.getMessage());
        }
    }

    /**
     * Whether packets may be aggregated in parts and in any order, and the accumulators hold no objects. Functions that are not
     * known to be so do not count.
     */
    public boolean isMergeable() {
        return aggregates.areMergeable() && aggregates.places().objects() == 0;
    }

    public AggregateProgram program() {
        return program;
    }

    /** The keys over the packet, with floats normalised as in Spark's groups. */
    public Program keys() {
        return Program.of(1, List.of(), grouping.stream()
                .map(k -> overPacket(NormalizeFloatingNumbers$.MODULE$.normalize(substitute(k, below)))).toList());
    }

    private void define(LogicalPlan plan) {
        if (plan instanceof Project project) {
            define(project.child());
            define(Scala.list(project.projectList()), below);
        }
    }

    private static void define(List<NamedExpression> expressions, Map<ExprId, Expression> into) {
        Map<ExprId, Expression> defined = new HashMap<>();
        for (NamedExpression e : expressions) {
            if (e instanceof Alias alias) {
                defined.put(alias.exprId(), substitute(alias.child(), into));
            }
        }
        into.putAll(defined);
    }

    private static Expression substitute(Expression e, Map<ExprId, Expression> definitions) {
        return e.transformUp(Scala.<Expression>replacing(x -> x instanceof Attribute a ? definitions.get(a.exprId()) : null));
    }

    /** The result's columns, over the aggregate's output. */
    private List<Expression> finalExpressions() {
        Map<ExprId, Expression> outputs = new HashMap<>();
        List<NamedExpression> last = Scala.list(aggregate.aggregateExpressions());
        define(last, outputs);
        for (Project project : above) {
            last = Scala.list(project.projectList());
            define(last, outputs);
        }
        List<Expression> results = new ArrayList<>();
        for (NamedExpression e : last) {
            results.add(outputs.getOrDefault(e.exprId(), (Expression) e));
        }
        return results;
    }

    private Expression result(Expression e) {
        return e.transformDown(Scala.<Expression>replacing(this::replaced));
    }

    private Expression replaced(Expression e) {
        if (e instanceof AggregateExpression a) {
            return aggregates.result(a);
        }
        for (int k = 0; k < grouping.size(); k++) {
            if (!(e instanceof Leaf) && grouping.get(k).semanticEquals(e)) {
                return new PacketColumn(KEY, k, e.dataType(), e.nullable());
            }
        }
        if (e instanceof GetStructField field && isWindow(field.child())) {
            return WindowBound.of(list.windowFields().get(field.ordinal()));
        }
        if (!(e instanceof AttributeReference a)) {
            return null;
        }
        if (isWindow(a)) {
            return new CreateNamedStruct(Scala.seq(list.windowFields().stream().flatMap(field -> Stream.<Expression>of(
                    Literal$.MODULE$.apply(field.name()), WindowBound.of(field))).toList()));
        }
        if (!list.window().isEmpty() && a.exprId().equals(list.window().get(1).exprId())) {
            return WindowBound.TIME;
        }
        return current(a);
    }

    private boolean isWindow(Expression e) {
        return e instanceof AttributeReference a && !list.window().isEmpty()
                && a.exprId().equals(list.window().get(0).exprId());
    }

    /** A column of the row's packet. */
    private Expression current(AttributeReference a) {
        PacketColumn column = input.get(a.exprId());
        if (column != null) {
            return new PacketColumn(CURRENT, column.ordinal, column.dataType(), column.nullable());
        }
        Expression defined = below.get(a.exprId());
        return defined == null ? null : result(defined);
    }

    private Expression overPacket(Expression e) {
        return substitute(e, below).transformUp(Scala.<Expression>replacing(x -> {
            if (!(x instanceof Attribute a)) {
                return null;
            }
            PacketColumn column = input.get(a.exprId());
            if (column == null) {
                throw new IllegalArgumentException("`" + a.name() + "` cannot be used inside an aggregate");
            }
            return column;
        }));
    }
}
