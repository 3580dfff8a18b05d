package io.despina.spark.frame;

import io.despina.expr.catalyst.analysis.Scala;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Aggregates of distinct values, which Spark does not do in streams. */
public final class DistinctValues {

    private DistinctValues() {
    }

    /** Whether the aggregate that the frame ends with has one. */
    public static boolean areAggregated(Dataset<Row> rows) {
        LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution().analyzed();
        while (!(plan instanceof Aggregate) && plan.children().size() == 1) {
            plan = plan.children().head();
        }
        return Scala.list(plan.expressions()).stream().anyMatch(e -> e.exists(Scala.test(DistinctValues::isDistinct)));
    }

    private static boolean isDistinct(Object e) {
        return e instanceof AggregateExpression aggregate && aggregate.isDistinct();
    }
}
