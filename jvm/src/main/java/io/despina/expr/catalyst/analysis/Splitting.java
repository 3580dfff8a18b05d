package io.despina.expr.catalyst.analysis;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.StringSplitSQL;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Makes {@code split_part} cut a string's bytes. Spark decodes the string, compiles a regular expression of the delimiter, and
 * encodes each part anew. In UTF-8 no character's bytes lie within another's, so the parts are the same where both strings are
 * valid. The others are left to Spark, whose decoder puts something in their place. Generated code calls the method.
 */
public final class Splitting extends Rule<LogicalPlan> {

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transformAllExpressions(Scala.<Expression>replacing(Splitting::plain));
    }

    private static Expression plain(Expression e) {
        if (!(e instanceof StringSplitSQL split) || split.collationId() != CollationFactory.UTF8_BINARY_COLLATION_ID) {
            return null;
        }
        return new StaticInvoke(Splitting.class, split.dataType(), "parts", Scala.seq(List.of(split.str(), split.delimiter())),
                Scala.seq(), true, false, true, Scala.none());
    }

    /** The parts between delimiters, one at least. They are views of {@code text}. */
    public static ArrayData parts(UTF8String text, UTF8String delimiter) {
        if (delimiter.numBytes() == 0 || !delimiter.isValid() || !text.isValid()) {
            return new GenericArrayData(text.splitSQL(delimiter, -1));
        }
        int count = 1;
        for (int at = next(text, delimiter, 0); at >= 0; at = next(text, delimiter, at + delimiter.numBytes())) {
            count++;
        }
        Object[] parts = new Object[count];
        int from = 0;
        for (int k = 0; k < count; k++) {
            int to = k == count - 1 ? text.numBytes() : next(text, delimiter, from);
            parts[k] = UTF8String.fromAddress(text.getBaseObject(), text.getBaseOffset() + from, to - from);
            from = to + delimiter.numBytes();
        }
        return new GenericArrayData(parts);
    }

    /** Where the first delimiter from a place on begins, in bytes; -1 if there is none. */
    private static int next(UTF8String text, UTF8String delimiter, int from) {
        byte first = delimiter.getByte(0);
        Object base = text.getBaseObject();
        long offset = text.getBaseOffset();
        for (int at = from; at <= text.numBytes() - delimiter.numBytes(); at++) {
            if (Platform.getByte(base, offset + at) == first && text.matchAt(delimiter, at)) {
                return at;
            }
        }
        return -1;
    }
}
