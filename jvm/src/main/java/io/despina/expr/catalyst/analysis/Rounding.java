package io.despina.expr.catalyst.analysis;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BRound;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.KnownNullable;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Round;
import org.apache.spark.sql.catalyst.expressions.RoundBase;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * Makes {@code round} and {@code bround} of DOUBLE and FLOAT work on the number itself. Spark prints the number and rounds the
 * decimal digits, which takes most of the time of a graph that rounds. The results are equal bit for bit; design page 064 has the
 * proof. Generated code calls its methods.
 */
public final class Rounding extends Rule<LogicalPlan> {
    /** Below it a DOUBLE has room for halves. */
    private static final double HALVES = 1L << 52;
    /** A number times its power of ten must stay below, so that the two numbers around it and the half between are exact. */
    private static final double EXACT = 1L << 50;
    private static final double[] POWERS = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transformAllExpressions(Scala.<Expression>replacing(Rounding::plain));
    }

    private static Expression plain(Expression e) {
        if (!(e instanceof Round) && !(e instanceof BRound)) {
            return null;
        }
        RoundBase round = (RoundBase) e;
        if (!(round.right() instanceof Literal literal) || !(literal.value() instanceof Integer scale)) {
            return null;
        }
        DataType type = round.left().dataType();
        boolean isPlain = type.equals(DataTypes.DoubleType) && scale >= 0 && scale < POWERS.length
                || type.equals(DataTypes.FloatType) && scale == 0;
        return isPlain ? call(e instanceof Round ? "halfUp" : "halfEven", round, scale) : null;
    }

    private static Expression call(String method, RoundBase round, int scale) {
        Expression number = round.left();
        List<Expression> arguments = scale == 0 ? List.of(number) : List.of(number, round.right());
        Expression call = new StaticInvoke(Rounding.class, number.dataType(), method, Scala.seq(arguments), Scala.seq(), true,
                false, true, Scala.none());
        return number.nullable() ? call : new KnownNullable(call);      // Spark's is always nullable, and so is the column
    }

    public static double halfUp(double x) {
        double size = Math.abs(x);
        if (size < HALVES) {
            double below = Math.floor(size);
            return signed(x, size - below >= 0.5 ? below + 1 : below);
        }
        return decimal(x, 0, RoundingMode.HALF_UP);
    }

    public static double halfEven(double x) {
        double size = Math.abs(x);
        return size < HALVES ? signed(x, Math.rint(size)) : decimal(x, 0, RoundingMode.HALF_EVEN);
    }

    public static float halfUp(float x) {
        return (float) halfUp((double) x);
    }

    public static float halfEven(float x) {
        return (float) halfEven((double) x);
    }

    /** @param scale 1 to 15 */
    public static double halfUp(double x, int scale) {
        return atScale(x, scale, RoundingMode.HALF_UP);
    }

    /** @param scale 1 to 15 */
    public static double halfEven(double x, int scale) {
        return atScale(x, scale, RoundingMode.HALF_EVEN);
    }

    private static double atScale(double x, int scale, RoundingMode mode) {
        double size = Math.abs(x);
        double power = POWERS[scale];
        double below = Math.floor(size * power);
        double half = (below + 0.5) / power;
        if (below < EXACT && size != half) {
            return signed(x, (size > half ? below + 1 : below) / power);
        }
        return decimal(x, scale, mode);         // the text decides, as of 1.005, or there is no room
    }

    /** As Spark does it. */
    private static double decimal(double x, int scale, RoundingMode mode) {
        return Double.isNaN(x) || Double.isInfinite(x) ? x : BigDecimal.valueOf(x).setScale(scale, mode).doubleValue();
    }

    /** {@code size} with the sign of {@code x}, but never -0.0, which decimals do not have. */
    private static double signed(double x, double size) {
        return x < 0 ? 0.0 - size : size;
    }
}
