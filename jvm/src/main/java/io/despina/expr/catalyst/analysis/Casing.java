package io.despina.expr.catalyst.analysis;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InitCap;
import org.apache.spark.sql.catalyst.expressions.Lower;
import org.apache.spark.sql.catalyst.expressions.Upper;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.CollationSupport;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Makes {@code upper}, {@code lower} and {@code initcap} change ASCII by its bytes. Spark's code does the same, but from within a
 * class that first looks every character of Unicode up, by ICU: most of a second of processor time at the first row of a job.
 * Other text is still left to it. Generated code calls the methods.
 */
public final class Casing extends Rule<LogicalPlan> {
    private static final int BETWEEN_CASES = 'a' - 'A';

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transformAllExpressions(Scala.<Expression>replacing(Casing::plain));
    }

    private static Expression plain(Expression e) {
        return e instanceof Upper upper ? changed(upper.child(), "upper")
                : e instanceof Lower lower ? changed(lower.child(), "lower")
                : e instanceof InitCap initCap ? changed(initCap.child(), "initcap") : null;
    }

    private static Expression changed(Expression text, String method) {
        return !text.dataType().equals(DataTypes.StringType) ? null : new StaticInvoke(Casing.class, text.dataType(), method,
                Scala.seq(List.of(text)), Scala.seq(), true, false, true, Scala.none());
    }

    /** The text with upper case letters. */
    public static UTF8String upper(UTF8String text) {
        byte[] changed = ascii(text, 'a', 'z', -BETWEEN_CASES);
        return changed == null ? CollationSupport.Upper.execBinaryICU(text) : UTF8String.fromBytes(changed);
    }

    /** The text with lower case letters. */
    public static UTF8String lower(UTF8String text) {
        byte[] changed = ascii(text, 'A', 'Z', BETWEEN_CASES);
        return changed == null ? CollationSupport.Lower.execBinaryICU(text) : UTF8String.fromBytes(changed);
    }

    /** The text with lower case letters, but upper case ones at its beginning and behind each blank. */
    public static UTF8String initcap(UTF8String text) {
        byte[] changed = ascii(text, 'A', 'Z', BETWEEN_CASES);
        if (changed == null) {
            return CollationSupport.InitCap.execBinaryICU(text);
        }
        for (int k = 0; k < changed.length; k++) {
            if (changed[k] >= 'a' && changed[k] <= 'z' && (k == 0 || changed[k - 1] == ' ')) {
                changed[k] -= BETWEEN_CASES;
            }
        }
        return UTF8String.fromBytes(changed);
    }

    /** The bytes, where those of a range have so much added; null if there is another character than ASCII. */
    private static byte[] ascii(UTF8String text, int first, int last, int add) {
        byte[] bytes = new byte[text.numBytes()];
        text.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET);
        for (int k = 0; k < bytes.length; k++) {
            byte b = bytes[k];
            if (b < 0) {
                return null;
            }
            bytes[k] = b >= first && b <= last ? (byte) (b + add) : b;
        }
        return bytes;
    }
}
