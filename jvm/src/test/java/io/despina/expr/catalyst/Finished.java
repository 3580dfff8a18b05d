package io.despina.expr.catalyst;

import io.despina.expr.Scope;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.analysis.ScopePlan;
import io.despina.expr.catalyst.analysis.SelectList;
import io.despina.expr.catalyst.codegen.Binder;
import io.despina.packet.Schema;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Expressions as they are after all rules. */
final class Finished {

    private Finished() {
    }

    /** Whether an expression of that kind is left in {@code text} over a schema. */
    static boolean has(Schema schema, String text, Class<?> kind) {
        Analysis analysis = new Analysis(true, "UTC");
        return analysis.under(() -> {
            ScopePlan inputs = new ScopePlan(Scope.of(schema));
            LogicalPlan checked = analysis.check(inputs.project(List.of(SelectList.alias(analysis.parse(text), "r"))));
            Expression result = new Binder(inputs).bind(analysis.finish(checked)).results()[0];
            return result.find(Scala.test(kind::isInstance)).isDefined();
        });
    }
}
