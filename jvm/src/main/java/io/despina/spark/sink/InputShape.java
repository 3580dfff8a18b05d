package io.despina.spark.sink;

import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlannedPort;
import java.util.List;
import org.apache.spark.sql.connector.distributions.Distribution;
import org.apache.spark.sql.connector.distributions.Distributions;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.types.StructType;

/**
 * What a source wants of Spark's rows.
 *
 * @param order     the event-time column and those that break ties; empty if the source has no event time
 * @param instances of the source
 */
record InputShape(StructType columns, List<String> order, int instances) {

    /** Asks the job, or plans the graph. */
    static InputShape of(SinkOptions options) {
        if (options.graph() != null) {
            PlannedOperator source = options.planned();
            PlannedPort out = source.outputs().get(0);
            return new InputShape(SparkTypes.struct(out.schema()), out.order(), source.parallelism());
        }
        try (JobInput input = JobInput.open(options)) {
            return new InputShape(SparkTypes.struct(input.schema()), input.order(), input.instances());
        }
    }

    /**
     * Each instance gets rows of one partition, from all over an epoch's time: else one instance's watermark would pass what
     * comes later in the epoch.
     */
    Distribution distribution() {
        return order.isEmpty() ? Distributions.unspecified()
                : Distributions.clustered(new Expression[] {Expressions.column(Column.inSql(order.get(0)))});
    }

    /** 0 for any number. */
    int partitions() {
        return order.isEmpty() ? 0 : instances;
    }

    /** In event order. */
    SortOrder[] ordering() {
        return order.stream().map(name -> Expressions.sort(Expressions.column(Column.inSql(name)), SortDirection.ASCENDING))
                .toArray(SortOrder[]::new);
    }
}
