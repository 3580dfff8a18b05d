package io.despina.expr.catalyst.analysis;

import io.despina.expr.Scope;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.ResolvedStar;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.analysis.UnresolvedExtractValue;
import org.apache.spark.sql.catalyst.analysis.UnresolvedStarBase;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias$;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.Metadata;

/** The inputs of a scope as relations, against which texts are resolved, and the mapping from attributes to columns. */
public final class ScopePlan {
    private final Scope scope;
    private final List<List<AttributeReference>> attributes = new ArrayList<>();
    private final LogicalPlan plan;
    /** The qualified inputs at the beginning; null if there is none. */
    private final LogicalPlan qualified;
    private final Map<ExprId, Integer> ordinals = new HashMap<>();
    private final Paths paths = new Paths();

    public ScopePlan(Scope scope) {
        this.scope = scope;
        LogicalPlan all = null;
        LogicalPlan named = null;
        for (Scope.Input input : scope.inputs()) {
            LogicalPlan before = all;
            LogicalPlan relation = relation(input);
            all = all == null ? relation
                    : new Join(all, relation, Inner$.MODULE$, Scala.none(), JoinHint.NONE());
            named = named == before && isQualified(input) ? all : named;
        }
        plan = all;
        qualified = named;
        for (int k = 0; k < scope.inputs().size(); k++) {
            if (Scope.PATHS.equals(scope.inputs().get(k).name())) {
                paths.add(attributes.get(k));
            }
        }
    }

    public Scope scope() {
        return scope;
    }

    private static boolean isQualified(Scope.Input input) {
        return input.name() != null && !Scope.PATHS.equals(input.name());
    }

    private LogicalPlan relation(Scope.Input input) {
        List<AttributeReference> own = new ArrayList<>();
        Schema schema = input.schema();
        for (int k = 0; k < schema.size(); k++) {
            AttributeReference a = attribute(schema.column(k));
            ordinals.put(a.exprId(), ordinals.size());
            own.add(a);
        }
        attributes.add(own);
        LogicalPlan relation = relation(own);
        return input.name() == null ? relation : SubqueryAlias$.MODULE$.apply(input.name(), relation);
    }

    static LogicalPlan relation(List<AttributeReference> attributes) {
        return new LocalRelation(Scala.seq(attributes), Scala.seq(), false, Scala.none());
    }

    static AttributeReference attribute(Column column) {
        return new AttributeReference(column.name(), SparkTypes.spark(column.type()), column.nullable(), Metadata.empty(),
                NamedExpression.newExprId(), Scala.seq());
    }

    public LogicalPlan plan() {
        return plan;
    }

    public int inputs() {
        return attributes.size();
    }

    public List<AttributeReference> attributes(int input) {
        return attributes.get(input);
    }

    /** The ordinal of an attribute over all inputs, or -1. */
    public int ordinal(ExprId id) {
        return ordinals.getOrDefault(id, -1);
    }

    /** A select list over the inputs. */
    public Project project(List<Expression> parsed) {
        return new Project(Scala.seq(parsed.stream().map(SelectList::named).toList()), plan);
    }

    /** By output: the ordinal of the input column that it copies unchanged, else -1. */
    public List<Integer> origins(List<NamedExpression> outputs) {
        return outputs.stream().map(o -> SelectList.unnamed((Expression) o) instanceof Attribute a ? ordinal(a.exprId()) : -1)
                .toList();
    }

    /**
     * Resolves bare names that an input without a qualifier shares with a qualified input to the former ({@code total} is the
     * state before, {@code next.total} the state after). For the same reason {@code *} means the columns of a first input without
     * a qualifier: the packet's, not its state's. {@code next.*} still means the state's. Where the first inputs are
     * qualified, it means the columns of those.
     */
    public Expression preferUnqualified(Expression parsed) {
        if (scope.inputs().size() == 1) {
            return parsed;
        }
        return paths.of(parsed).transformUp(Scala.<Expression>replacing(
                e -> e instanceof UnresolvedAttribute u ? preferred(Scala.list(u.nameParts()))
                        : e instanceof UnresolvedStarBase star ? ofFirst(star) : null));
    }

    /** The same for an expression that is a column: that of a path gets the path's last name, a call has none. */
    public Expression asColumn(Expression parsed) {
        Expression preferred = preferUnqualified(parsed);
        if (!paths.has(preferred)) {
            return preferred;
        }
        return parsed instanceof UnresolvedAttribute u ? SelectList.alias(preferred, Scala.list(u.nameParts()).get(1)) : parsed;
    }

    private Expression ofFirst(UnresolvedStarBase star) {
        LogicalPlan meant = qualified != null ? qualified : relation(attributes.get(0));
        return meant == plan || star.target().isDefined() ? null
                : new ResolvedStar(star.expand(meant, SQLConf.get().resolver()));
    }

    private Expression preferred(List<String> parts) {
        String name = parts.get(0);
        if (parts.size() > 1 && scope.inputs().stream().anyMatch(i -> name.equalsIgnoreCase(i.name()))) {
            return null;
        }
        List<AttributeReference> bare = new ArrayList<>();
        boolean shared = false;
        for (int k = 0; k < inputs(); k++) {
            int column = scope.inputs().get(k).schema().indexOf(name);
            if (column >= 0 && scope.inputs().get(k).name() == null) {
                bare.add(attributes.get(k).get(column));
            } else {
                shared |= column >= 0;
            }
        }
        if (!shared || bare.size() != 1) {
            return null;
        }
        Expression found = bare.get(0);
        for (String field : parts.subList(1, parts.size())) {
            found = new UnresolvedExtractValue(found, Literal$.MODULE$.apply(field));
        }
        return found;
    }
}
