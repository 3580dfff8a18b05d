package io.despina.expr.catalyst.analysis;

import io.despina.expr.Equalities;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.trees.Origin;
import org.apache.spark.sql.types.DataType;

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

    public EqualitySplit(Analysis analysis, ScopePlan inputs, String condition) {
        this.analysis = analysis;
        this.inputs = inputs;
        this.condition = condition;
    }

    public Equalities split() {
        take(analysis.parse(condition));
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
        int a = sides(resolved(parsed.left()));
        int b = sides(resolved(parsed.right()));
        if (a == b || a + b != LEFT + RIGHT) {
            return false;
        }
        DataType common = ((EqualTo) resolved(parsed)).left().dataType();
        left.add(key(a == LEFT ? parsed.left() : parsed.right(), common));
        right.add(key(a == LEFT ? parsed.right() : parsed.left(), common));
        return true;
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
