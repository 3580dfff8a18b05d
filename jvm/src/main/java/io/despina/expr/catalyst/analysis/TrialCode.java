package io.despina.expr.catalyst.analysis;

import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BinaryExpression;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.FromUTCTimestamp;
import org.apache.spark.sql.catalyst.expressions.RLike;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.ToUTCTimestamp;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.util.DateTimeUtils$;

/**
 * Generates the code of a plan's expressions without compiling it, because Spark evaluates some constants, such as time zones and
 * patterns, only then. Otherwise such an error would fail the job when it is deployed, without a place in the graph.
 */
final class TrialCode {

    private TrialCode() {
    }

    /** Throws what Spark throws. */
    static void generate(LogicalPlan finished) {
        finished.foreach(Scala.each(p -> {
            if (p instanceof Project || p instanceof Filter || p instanceof Aggregate) {
                Scala.<Expression>list(p.expressions()).forEach(TrialCode::generate);
            }
        }));
    }

    private static void generate(Expression e) {
        if (e instanceof SortOrder order) {     // of WITHIN GROUP: Spark interprets it and generates no code
            generate(order.child());
            return;
        }
        Expression bound = e.transformDown(Scala.<Expression>replacing(TrialCode::bound));
        if (!(bound instanceof BoundReference)) {
            bound.genCode(new CodegenContext());
            bound.foreach(Scala.each(TrialCode::lateConstant));
        }
    }

    /** Evaluates constants that Spark evaluates only when an object of the generated class is made. */
    private static void lateConstant(Expression e) {
        if (e instanceof FromUTCTimestamp || e instanceof ToUTCTimestamp) {
            constant(e, DateTimeUtils$.MODULE$::getZoneId);
        } else if (e instanceof RLike) {
            constant(e, Pattern::compile);
        }
    }

    private static void constant(Expression of, Consumer<String> use) {
        Expression right = ((BinaryExpression) of).right();
        Object value = right.foldable() ? right.eval(null) : null;
        if (value != null) {
            use.accept(value.toString());
        }
    }

    /** References to the code's inputs; an aggregate's own expressions have code of their own. */
    private static Expression bound(Expression e) {
        if (e instanceof AggregateExpression aggregate) {
            Scala.<Expression>list(aggregate.aggregateFunction().children()).forEach(TrialCode::generate);
            aggregate.filter().foreach(Scala.each(TrialCode::generate));
        }
        boolean isRead = e instanceof Attribute || e instanceof AggregateExpression;
        return isRead ? new BoundReference(0, e.dataType(), e.nullable()) : null;
    }
}
