package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException;
import io.despina.expr.Scope;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Divide;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.IntegralDivide;
import org.apache.spark.sql.catalyst.expressions.MicrosToTimestamp;
import org.apache.spark.sql.catalyst.expressions.MillisToTimestamp;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.SecondsToTimestamp;
import org.apache.spark.sql.catalyst.expressions.Subtract;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Finds columns that never fall if their inputs do not. Rounding preserves that; an overflow would not, but is an error in ANSI
 * mode.
 */
public final class Rising {
    private Rising() {
    }

    /** Ordinals in the select list. */
    public static Set<Integer> in(Analysis analysis, Scope scope, List<String> select) throws ExpressionException {
        ScopePlan inputs = new ScopePlan(scope);
        SelectList list = new SelectList(analysis, select, new Problems(select), 0);
        list.parse(inputs::preferUnqualified);
        Set<Integer> rising = new HashSet<>();
        if (list.analyse(inputs::project) instanceof Project project) {
            List<NamedExpression> columns = Scala.list(project.projectList());
            for (int k = 0; k < columns.size(); k++) {
                if (isRising((Expression) columns.get(k))) {
                    rising.add(k);
                }
            }
        }
        return rising;
    }

    private static boolean isRising(Expression e) {
        if (e instanceof Alias alias) {
            return isRising(alias.child());
        }
        if (!isOrdered(e)) {
            return false;
        }
        if (e.foldable() || e instanceof AttributeReference) {
            return true;
        }
        if (e instanceof Add sum) {
            return isRising(sum.left()) && isRising(sum.right());
        }
        if (e instanceof Subtract difference) {
            return isRising(difference.left()) && difference.right().foldable();
        }
        if (e instanceof Multiply product) {
            return isRising(product.left()) && constant(product.right()) >= 0
                    || isRising(product.right()) && constant(product.left()) >= 0;
        }
        if (e instanceof Divide || e instanceof IntegralDivide) {
            List<Expression> sides = Scala.list(e.children());
            return isRising(sides.get(0)) && constant(sides.get(1)) > 0;
        }
        return (e instanceof Cast || e instanceof SecondsToTimestamp || e instanceof MillisToTimestamp
                || e instanceof MicrosToTimestamp) && isRising(Scala.<Expression>list(e.children()).get(0));
    }

    private static boolean isOrdered(Expression e) {
        return e.dataType() instanceof NumericType || e.dataType() instanceof TimestampType;
    }

    /** The expression's value; NaN if it is not a number or not a constant. */
    private static double constant(Expression e) {
        Object value = e.foldable() ? e.eval(null) : null;
        return value instanceof Decimal decimal ? decimal.toDouble() : value instanceof Number number ? number.doubleValue()
                : Double.NaN;
    }
}
