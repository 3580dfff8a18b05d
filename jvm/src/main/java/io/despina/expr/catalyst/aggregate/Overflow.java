package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.codegen.BufferSlot;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Add;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.BinaryArithmetic;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.BitwiseAnd;
import org.apache.spark.sql.catalyst.expressions.BitwiseOr;
import org.apache.spark.sql.catalyst.expressions.BitwiseXor;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Coalesce;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Greatest;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.IsNotNull;
import org.apache.spark.sql.catalyst.expressions.IsNull;
import org.apache.spark.sql.catalyst.expressions.Least;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;
import org.apache.spark.sql.catalyst.expressions.Or;
import org.apache.spark.sql.types.DataTypes;

/** Whether buffers of aggregates may become so full that they refuse further packets. */
public final class Overflow {
    /** These never throw. Neither does arithmetic of doubles, because Spark's merges never divide by a count that may be 0. */
    private static final List<Class<?>> SAFE = List.of(BufferSlot.class, Literal.class, If.class, CaseWhen.class, Coalesce.class,
            IsNull.class, IsNotNull.class, Not.class, And.class, Or.class, BinaryComparison.class, Greatest.class, Least.class,
            BitwiseAnd.class, BitwiseOr.class, BitwiseXor.class);

    private Overflow() {
    }

    /** Aggregates with buffers of their own accept everything. Distinct aggregates are not examined. */
    public static boolean isPossible(AggregateProgram program) {
        return program.parts().stream().anyMatch(part -> part.isPlain()
                ? !Arrays.stream(part.merge().values()).allMatch(value -> isCount(value) || isSafe(value))
                : part.inputs().areDistinct());
    }

    /** Plain additions of longs count packets, of which there are fewer than a long can count; sums check for NULL. */
    private static boolean isCount(Expression value) {
        return value instanceof Add add && add.dataType().equals(DataTypes.LongType) && add.left() instanceof BufferSlot
                && add.right() instanceof BufferSlot;
    }

    private static boolean isSafe(Expression value) {
        boolean floating = value.dataType().equals(DataTypes.DoubleType) || value.dataType().equals(DataTypes.FloatType);
        boolean safe = SAFE.stream().anyMatch(known -> known.isInstance(value))
                || floating && value instanceof BinaryArithmetic;
        return safe && Scala.<Expression>list(value.children()).stream().allMatch(Overflow::isSafe);
    }
}
