package io.despina.expr.catalyst.analysis;

import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.CreateStruct;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.First;
import org.apache.spark.sql.catalyst.expressions.aggregate.Last;
import org.apache.spark.sql.catalyst.expressions.aggregate.MaxBy;
import org.apache.spark.sql.catalyst.expressions.aggregate.MinBy;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import scala.Option;

/**
 * {@code first} and {@code last} in event order. Spark takes rows as they arrive, an order that is arbitrary in a window or at
 * the end of a stream. Here {@code first(x)} is {@code min_by(x, order)}, and {@code last(x)} is {@code max_by(x, order)}. The
 * order must be total: among equal rows both take the last to arrive.
 */
public final class FirstAndLast {
    private FirstAndLast() {
    }

    /**
     * Makes a Spark aggregate compute what the engine does.
     *
     * @param rows  of a query with GROUP BY
     * @param order columns of the grouped rows, the event time first
     */
    public static org.apache.spark.sql.Dataset<Row> by(org.apache.spark.sql.Dataset<Row> rows, List<String> order) {
        Dataset<Row> classic = (Dataset<Row>) rows;
        LogicalPlan plan = classic.queryExecution().analyzed();
        LogicalPlan ordered = by(plan, order);
        return ordered == plan ? rows : Dataset.ofRows(classic.sparkSession(), ordered);
    }

    /**
     * The same for its checked plan. Changes only the outermost aggregate: those below belong to other operators.
     *
     * @param order as above; nothing changes if it is empty
     */
    static LogicalPlan by(LogicalPlan plan, List<String> order) {
        if (order.isEmpty()) {
            return plan;
        }
        if (plan instanceof Aggregate aggregate) {
            List<Attribute> columns = Scala.list(aggregate.child().output());
            List<Attribute> by = order.stream().map(name -> column(name, columns)).toList();
            return aggregate.transformExpressions(
                    Scala.<Expression>replacing(e -> e instanceof AggregateExpression a ? ordered(a, by) : null));
        }
        List<LogicalPlan> children = Scala.list(plan.children());
        return children.size() != 1 ? plan : plan.withNewChildren(Scala.seq(by(children.get(0), order)));
    }

    private static Attribute column(String name, List<Attribute> columns) {
        return columns.stream().filter(c -> c.name().equalsIgnoreCase(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no column " + name + " to order by"));
    }

    /** The replacement of a function; null for any other function. */
    private static Expression ordered(AggregateExpression aggregate, List<Attribute> order) {
        Expression value;
        boolean ignoresNulls;
        AggregateFunction function;
        if (aggregate.aggregateFunction() instanceof First first) {
            value = first.child();
            ignoresNulls = first.ignoreNulls();
            function = new MinBy(value, CreateStruct.apply(Scala.seq(order)));
        } else if (aggregate.aggregateFunction() instanceof Last last) {
            value = last.child();
            ignoresNulls = last.ignoreNulls();
            function = new MaxBy(value, CreateStruct.apply(Scala.seq(order)));
        } else {
            return null;
        }
        Option<Expression> filter = aggregate.filter();
        if (ignoresNulls) {
            Expression known = new IsNotNull(value);
            filter = Option.apply(filter.isEmpty() ? known : new And(filter.get(), known));
        }
        return new AggregateExpression(function, aggregate.mode(), false, filter, aggregate.resultId());
    }
}
