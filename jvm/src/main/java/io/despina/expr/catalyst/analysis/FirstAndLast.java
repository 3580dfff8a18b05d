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
 * {@code first} and {@code last} in event order. Spark takes them in the order in which rows come, which in a window or at the
 * end of a stream is nobody's; here {@code first(x)} is {@code min_by(x, order)}, and {@code last(x)}
 * {@code max_by(x, order)}. The order has to be a total one: of rows that are alike in it either takes the last to come.
 */
public final class FirstAndLast {
    private FirstAndLast() {
    }

    /**
     * A Spark aggregate as the engine works it out.
     *
     * @param rows  of a query with GROUP BY
     * @param order names of columns of what it groups, the event time first
     */
    public static org.apache.spark.sql.Dataset<Row> by(org.apache.spark.sql.Dataset<Row> rows, List<String> order) {
        Dataset<Row> classic = (Dataset<Row>) rows;
        LogicalPlan plan = classic.queryExecution().analyzed();
        LogicalPlan ordered = by(plan, order);
        return ordered == plan ? rows : Dataset.ofRows(classic.sparkSession(), ordered);
    }

    /**
     * The same for its checked plan. Only the outermost aggregate is meant: those below are other operators'.
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

    /** Null if it is another function. */
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
