package io.despina.expr.catalyst.codegen;

import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.analysis.ScopePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Binds the expressions of a finished plan to their inputs. A chain of projections becomes stages: the input row keeps the values
 * of a lower projection for those above, so each is computed once.
 */
public final class Binder {
    private final int inputs;
    private final Map<ExprId, Expression> known;
    private final List<Expression> stages = new ArrayList<>();

    public Binder(ScopePlan inputs) {
        this.inputs = inputs.inputs();
        known = new HashMap<>(PacketColumn.of(inputs));
    }

    /** Binds a chain {@code Project* → relation}: lower projections give the stages, the topmost the results. */
    public Program bind(LogicalPlan plan) {
        if (!(plan instanceof Project top)) {
            throw new IllegalStateException("expected a projection, found " + plan.nodeName());
        }
        lower(top.child());
        return Program.of(inputs, stages, Scala.<NamedExpression>list(top.projectList()).stream()
                .map(e -> bind((Expression) e)).toList());
    }

    private void lower(LogicalPlan plan) {
        if (!(plan instanceof Project project)) {
            return;
        }
        lower(project.child());
        for (NamedExpression e : Scala.<NamedExpression>list(project.projectList())) {
            if (e instanceof Alias alias) {
                known.put(alias.exprId(), stage(bind(alias.child())));
            }
        }
    }

    private Expression stage(Expression bound) {
        if (bound instanceof Leaf) {
            return bound;
        }
        stages.add(bound);
        return new BoundReference(stages.size() - 1, bound.dataType(), bound.nullable());
    }

    Expression bind(Expression e) {
        Expression stripped = e instanceof Alias alias ? alias.child() : e;
        return stripped.transformUp(Scala.<Expression>replacing(this::known));
    }

    private Expression known(Expression e) {
        if (!(e instanceof Attribute a)) {
            return null;
        }
        Expression found = known.get(a.exprId());
        if (found == null) {
            throw new IllegalStateException("unbound column " + a.name());
        }
        return found;
    }
}
