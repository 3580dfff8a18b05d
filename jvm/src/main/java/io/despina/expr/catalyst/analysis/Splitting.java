package io.despina.expr.catalyst.analysis;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.StringSplit;
import org.apache.spark.sql.catalyst.expressions.StringSplitSQL;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.CollationFactory;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Makes {@code split_part}, and {@code split} by a regular expression that means one text, cut a string's bytes. Spark decodes
 * the string, compiles a regular expression of the delimiter, and encodes each part anew. In UTF-8 no character's bytes lie
 * within another's, so the parts are the same where both strings are valid. The others are left to Spark, whose decoder puts
 * something in their place. Generated code calls the method.
 */
public final class Splitting extends Rule<LogicalPlan> {
    private static final String METHOD = "parts";
    /** Characters that are special in a regular expression without a backslash. */
    private static final String META = "\\^$.|?*+()[{";

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transformAllExpressions(Scala.<Expression>replacing(Splitting::plain));
    }

    private static Expression plain(Expression e) {
        if (e instanceof StringSplitSQL split && split.collationId() == CollationFactory.UTF8_BINARY_COLLATION_ID) {
            return cut(e, split.str(), split.delimiter());
        }
        UTF8String delimiter = e instanceof StringSplit split ? delimiter(split) : null;
        return delimiter == null ? null
                : cut(e, ((StringSplit) e).str(), new Literal(delimiter, DataTypes.StringType));
    }

    private static Expression cut(Expression split, Expression text, Expression delimiter) {
        return new StaticInvoke(Splitting.class, split.dataType(), METHOD, Scala.seq(List.of(text, delimiter)), Scala.seq(), true,
                false, true, Scala.none());
    }

    /** What a split into all parts cuts at, if its regular expression means one text; else null. */
    private static UTF8String delimiter(StringSplit split) {
        if (!split.str().dataType().equals(DataTypes.StringType) || !(split.limit() instanceof Literal limit)
                || !(limit.value() instanceof Integer most) || most > 0 || !(split.regex() instanceof Literal regex)
                || !(regex.value() instanceof UTF8String pattern) || !pattern.isValid()) {
            return null;
        }
        String written = pattern.toString();
        StringBuilder meant = new StringBuilder();
        for (int k = 0; k < written.length(); k++) {
            boolean escaped = written.charAt(k) == '\\' && k + 1 < written.length()
                    && !Character.isLetterOrDigit(written.codePointAt(k + 1));
            k += escaped ? 1 : 0;
            if (!escaped && META.indexOf(written.charAt(k)) >= 0) {
                return null;
            }
            meant.append(written.charAt(k));
        }
        return meant.isEmpty() ? null : UTF8String.fromString(meant.toString());
    }

    /** The text that {@code e} cuts into all its parts at one ASCII character; null if it is anything else. */
    public static Expression text(Expression e) {
        return delimiter(e) < 0 ? null : ((StaticInvoke) e).arguments().head();
    }

    /** The ASCII character at which {@code e} cuts a text into all its parts; -1 if it is anything else. */
    public static int delimiter(Expression e) {
        return e instanceof StaticInvoke cut && cut.staticObject() == Splitting.class && cut.functionName().equals(METHOD)
                && cut.arguments().last() instanceof Literal literal && literal.value() instanceof UTF8String delimiter
                && delimiter.numBytes() == 1 ? delimiter.getByte(0) : -1;
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
