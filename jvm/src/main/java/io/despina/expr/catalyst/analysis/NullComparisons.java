package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException.Problem;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.spark.sql.catalyst.expressions.BinaryComparison;
import org.apache.spark.sql.catalyst.expressions.CaseWhen;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.In;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Not;

/** Finds comparisons with a NULL that is written out, such as {@code x = NULL}. They give NULL, which is never true. */
final class NullComparisons {
    private final BiConsumer<Expression, Problem> found;

    private NullComparisons(BiConsumer<Expression, Problem> found) {
        this.found = found;
    }

    /** @param found called with each such comparison of the parsed expression, and what to say of it */
    static void in(Expression parsed, BiConsumer<Expression, Problem> found) {
        new NullComparisons(found).look(parsed, parsed);
    }

    private void look(Expression e, Expression parent) {
        boolean ofParent = e != parent && e.origin().equals(parent.origin());       // one piece of the text made both
        boolean negated = ofParent && parent instanceof Not;
        if (e instanceof In in) {
            list(in, Scala.list(in.list()), negated);
        } else if (e instanceof BinaryComparison pair && !(e instanceof EqualNullSafe)
                && (isNull(pair.left()) || isNull(pair.right()))) {
            compare(pair, isNull(pair.right()) ? pair.left() : pair.right(), negated, ofParent && parent instanceof CaseWhen);
        }
        Scala.<Expression>list(e.children()).forEach(child -> look(child, e));
    }

    /** @param branch whether it is from {@code CASE other WHEN NULL} */
    private void compare(BinaryComparison pair, Expression other, boolean negated, boolean branch) {
        String test = Analysis.written(other) + (negated ? " IS NOT NULL" : " IS NULL");
        if (branch) {
            tell(pair, "`WHEN NULL` is never true", "write CASE WHEN " + test);
        } else {
            tell(pair, "`" + Analysis.written(pair) + "` is never true",
                    (pair instanceof EqualTo ? "write " : "NULL is found by ") + test);
        }
    }

    private void list(In in, List<Expression> values, boolean negated) {
        if (values.stream().noneMatch(NullComparisons::isNull)) {
            return;
        }
        String value = Analysis.written(in.value());
        String whole = "`" + value + " " + Analysis.written(in) + "`";      // the parser's origin begins behind the value
        String test = value + (negated ? " IS NOT NULL" : " IS NULL");
        if (values.stream().allMatch(NullComparisons::isNull)) {
            tell(in, whole + " is never true", "write " + test);
        } else if (negated) {
            tell(in, whole + " is never true", "leave NULL out of the list: where " + value + " is NULL, it is not true either");
        } else {
            tell(in, "no value equals the NULL in " + whole, "leave it out, or add OR " + test);
        }
    }

    private static boolean isNull(Expression e) {
        return e instanceof Literal literal ? literal.value() == null : e instanceof Cast cast && isNull(cast.child());
    }

    private void tell(Expression at, String message, String hint) {
        found.accept(at, new Problem(0, 0, 0, "null_comparison", message, hint));
    }
}
