package io.despina.expr.catalyst.analysis;

import io.despina.expr.Equalities;
import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;

/** Splits a checked condition at its ANDs. Cuts texts out of the written condition, at the places that Spark's parser records. */
public final class EqualitySplit {
    private static final int LEFT = 1;
    private static final int RIGHT = 2;

    private final Analysis analysis;
    private final ScopePlan inputs;
    private final String condition;
    private final List<String> left = new ArrayList<>();
    private final List<String> right = new ArrayList<>();
    private final List<String> rest = new ArrayList<>();
    private final Problems problems;

    public EqualitySplit(Analysis analysis, ScopePlan inputs, String condition) {
        this.analysis = analysis;
        this.inputs = inputs;
        this.condition = condition;
        problems = new Problems(List.of(condition));
    }

    /** @throws ExpressionException if an equality casts a text each time, which fails with the first that cannot be cast */
    public Equalities split() throws ExpressionException {
        take(analysis.parse(condition));
        problems.throwIfAny();
        return new Equalities(left, right, rest.isEmpty() ? null : String.join(" AND ", rest));
    }

    private void take(Expression parsed) {
        if (parsed instanceof And and) {
            take(and.left());
            take(and.right());
        } else if (!(parsed instanceof EqualTo equal) || !takeKeys(equal)) {
            rest.add("(" + text(parsed) + ")");
        }
    }

    private boolean takeKeys(EqualTo parsed) {
        Expression first = resolved(parsed.left());
        Expression second = resolved(parsed.right());
        int a = sides(first);
        int b = sides(second);
        if (a == b || a + b != LEFT + RIGHT) {
            return false;
        }
        DataType common = ((EqualTo) resolved(parsed)).left().dataType();
        if (castsText(first, common)) {
            refuse(parsed, parsed.left(), first, parsed.right(), second);
        } else if (castsText(second, common)) {
            refuse(parsed, parsed.right(), second, parsed.left(), first);
        }
        left.add(key(a == LEFT ? parsed.left() : parsed.right(), common));
        right.add(key(a == LEFT ? parsed.right() : parsed.left(), common));
        return true;
    }

    /** Whether a text is cast that may be one that cannot be: under ANSI that is an error. Every text can become BINARY. */
    private static boolean castsText(Expression side, DataType common) {
        return SQLConf.get().ansiEnabled() && side.dataType() instanceof StringType && !(common instanceof StringType)
                && !(common instanceof BinaryType);
    }

    private void refuse(EqualTo equality, Expression text, Expression string, Expression other, Expression value) {
        String type = value.dataType().sql();
        problems.add(0, equality.origin(), new Problem(0, 0, 0, "type_mismatch", "`" + text(equality) + "` compares "
                + string.dataType().sql() + " with " + type, "write `try_cast(" + text(text) + " AS " + type
                + ")`, which is NULL where it cannot be cast, or `CAST(" + text(other) + " AS STRING)`"));
    }

    private Expression resolved(Expression parsed) {
        Expression prepared = inputs.preferUnqualified(parsed);
        Project checked = (Project) analysis.check(new Project(Scala.seq(SelectList.alias(prepared, "value")), inputs.plan()));
        return ((Alias) checked.projectList().head()).child();
    }

    /** Which inputs an expression reads: the sum of {@link #LEFT} and {@link #RIGHT}; both for constants. */
    private int sides(Expression resolved) {
        int sides = 0;
        for (Attribute a : Scala.<Attribute>list(resolved.references().toSeq())) {
            sides |= inputs.ordinal(a.exprId()) < inputs.attributes(0).size() ? LEFT : RIGHT;
        }
        return sides == 0 || !resolved.deterministic() ? LEFT + RIGHT : sides;
    }

    private String key(Expression parsed, DataType common) {
        String text = text(parsed);
        return resolved(parsed).dataType().sameType(common) ? text : "CAST(" + text + " AS " + common.sql() + ")";
    }

    private String text(Expression parsed) {
        Origin place = parsed.origin();
        return place.startIndex().isEmpty() ? parsed.sql()
                : condition.substring((Integer) place.startIndex().get(), (Integer) place.stopIndex().get() + 1);
    }
}
