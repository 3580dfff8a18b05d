package io.despina.expr.catalyst.analysis;

import io.despina.packet.Bytes;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.ArrayRepeat;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Sequence;
import org.apache.spark.sql.catalyst.expressions.StringLPad;
import org.apache.spark.sql.catalyst.expressions.StringRPad;
import org.apache.spark.sql.catalyst.expressions.StringRepeat;
import org.apache.spark.sql.catalyst.expressions.StringSpace;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Makes functions that build a value of any size from a number check the number first. No packet could hold such a value, and an
 * array of 2 GB could kill the resource before it is put into a packet. Generated code calls its methods.
 */
public final class LargeValues extends Rule<LogicalPlan> {
    /** A value may use at most this part of the heap, because several copies may exist at once. */
    private static final int HEAP_SHARE = 8;
    private static final long MOST = Math.min(Bytes.MAX_LENGTH, Runtime.getRuntime().maxMemory() / HEAP_SHARE);

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transformAllExpressions(Scala.<Expression>replacing(LargeValues::bounded));
    }

    private static Expression bounded(Expression e) {
        if (e instanceof StringRepeat repeat) {
            return call(e.dataType(), "repeat", repeat.str(), repeat.times());
        }
        if (e instanceof StringSpace space) {
            return call(e.dataType(), "space", space.child());
        }
        if (e instanceof StringLPad pad) {
            return call(e.dataType(), "lpad", pad.str(), pad.len(), pad.pad());
        }
        if (e instanceof StringRPad pad) {
            return call(e.dataType(), "rpad", pad.str(), pad.len(), pad.pad());
        }
        if (e instanceof ArrayRepeat repeat) {
            return isBounded(repeat.right()) ? null
                    : new ArrayRepeat(repeat.left(), call(DataTypes.IntegerType, "elements", repeat.right()));
        }
        return e instanceof Sequence sequence && !isBounded(sequence.stop()) ? sequence(sequence) : null;
    }

    private static Expression sequence(Sequence s) {
        DataType type = s.stop().dataType();
        if (!type.equals(DataTypes.IntegerType) && !type.equals(DataTypes.LongType)) {
            return null;
        }
        Expression stop = s.stepOpt().isEmpty() ? call(type, "stop", s.start(), s.stop())
                : call(type, "stop", s.start(), s.stop(), s.stepOpt().get());
        return new Sequence(s.start(), stop, s.stepOpt(), s.timeZoneId());
    }

    private static boolean isBounded(Expression e) {
        return e instanceof StaticInvoke call && call.staticObject() == LargeValues.class;
    }

    private static Expression call(DataType type, String method, Expression... arguments) {
        return new StaticInvoke(LargeValues.class, type, method, Scala.seq(List.of(arguments)), Scala.seq(), true, true, true,
                Scala.none());
    }

    private static void check(String function, long bytes) {
        if (bytes > MOST) {
            throw new IllegalArgumentException("`" + function + "` would make a value of at least " + bytes
                    + " bytes; the most here is " + MOST + " (max_packet_bytes is at most "
                    + Bytes.MAX_LENGTH + ")");
        }
    }

    public static UTF8String repeat(UTF8String text, int times) {
        check("repeat", (long) text.numBytes() * times);
        return text.repeat(times);
    }

    public static UTF8String space(int length) {
        check("space", length);
        return UTF8String.blankString(Math.max(0, length));
    }

    public static UTF8String lpad(UTF8String text, int length, UTF8String pad) {
        check("lpad", length);
        return text.lpad(length, pad);
    }

    public static UTF8String rpad(UTF8String text, int length, UTF8String pad) {
        check("rpad", length);
        return text.rpad(length, pad);
    }

    /** Checks and returns the number of elements of an array. */
    public static int elements(int count) {
        check("array_repeat", (long) count * Long.BYTES);
        return count;
    }

    /** Checks and returns the {@code stop} of a sequence. */
    public static int stop(int start, int stop) {
        return (int) stop(start, (long) stop, stop < start ? -1L : 1L);
    }

    public static int stop(int start, int stop, int step) {
        return (int) stop(start, (long) stop, (long) step);
    }

    public static long stop(long start, long stop) {
        return stop(start, stop, stop < start ? -1L : 1L);
    }

    /** Spark refuses a step of 0 or in the wrong direction. */
    public static long stop(long start, long stop, long step) {
        boolean leadsThere = step != 0 && (step > 0 ? start <= stop : start >= stop);
        double count = leadsThere ? ((double) stop - start) / step : 0;
        check("sequence", (long) (count * Long.BYTES));
        return stop;
    }
}
