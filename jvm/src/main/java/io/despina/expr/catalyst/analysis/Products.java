package io.despina.expr.catalyst.analysis;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.Multiply;
import org.apache.spark.sql.catalyst.expressions.UnscaledValue;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/**
 * Makes a product of two decimals whose unscaled values are longs one multiplication of longs, where its type has room for all
 * digits: then nothing is rounded, and nothing overflows. Spark multiplies two {@link BigDecimal}s. The number and its scale are
 * the same; design page 077 says why. Generated code calls its method.
 */
public final class Products extends Rule<LogicalPlan> {
    private static final int BIGINT_DIGITS = 19;

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transformAllExpressions(Scala.<Expression>replacing(Products::plain));
    }

    private static Expression plain(Expression e) {
        if (!(e instanceof Multiply product) || !(e.dataType() instanceof DecimalType type) || !isExact(product, type)) {
            return null;
        }
        Expression left = unscaled(product.left());
        Expression right = unscaled(product.right());
        if (left == null || right == null) {
            return null;
        }
        Expression call = new StaticInvoke(Products.class, type, "times", Scala.seq(List.of(left, right,
                Literal$.MODULE$.apply(type.precision()), Literal$.MODULE$.apply(type.scale()))), Scala.seq(), true, false, true,
                Scala.none());
        return product.nullable() && !call.nullable() ? new KnownNullable(call) : call;     // the type is seen in the graph
    }

    private static boolean isExact(Multiply product, DecimalType type) {
        return product.left().dataType() instanceof DecimalType left && product.right().dataType() instanceof DecimalType right
                && type.precision() == left.precision() + right.precision() + 1 && type.scale() == left.scale() + right.scale();
    }

    /** The digits of a decimal as a BIGINT; null where they may be more than one has. */
    private static Expression unscaled(Expression decimal) {
        DecimalType type = (DecimalType) decimal.dataType();
        if (decimal instanceof Cast cast && cast.child().dataType().equals(DataTypes.LongType) && type.scale() == 0
                && type.precision() >= BIGINT_DIGITS) {
            return cast.child();
        }
        if (type.precision() > Decimal.MAX_LONG_DIGITS()) {
            return null;
        }
        return decimal instanceof Literal literal && literal.value() instanceof Decimal value
                ? Literal$.MODULE$.apply(value.toUnscaledLong()) : new UnscaledValue(decimal);
    }

    /** The decimal of these digits' product. */
    public static Decimal times(long left, long right, int precision, int scale) {
        long product = left * right;
        if (Math.multiplyHigh(left, right) == product >> Long.SIZE - 1) {
            return Decimal.apply(product, precision, scale);
        }
        BigInteger digits = BigInteger.valueOf(left).multiply(BigInteger.valueOf(right));
        return Decimal.apply(new BigDecimal(digits, scale), precision, scale);
    }
}
