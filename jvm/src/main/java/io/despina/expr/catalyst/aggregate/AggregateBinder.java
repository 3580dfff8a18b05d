package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.aggregate.AggregatePart.Inputs;
import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.codegen.BufferSlot;
import io.despina.expr.catalyst.codegen.BufferWrite;
import io.despina.expr.catalyst.codegen.Leaf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;
import org.apache.spark.sql.catalyst.expressions.aggregate.Average;
import org.apache.spark.sql.catalyst.expressions.aggregate.BitAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.CentralMomentAgg;
import org.apache.spark.sql.catalyst.expressions.aggregate.Count;
import org.apache.spark.sql.catalyst.expressions.aggregate.Covariance;
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Max;
import org.apache.spark.sql.catalyst.expressions.aggregate.Min;
import org.apache.spark.sql.catalyst.expressions.aggregate.PearsonCorrelation;
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers$;
import org.apache.spark.sql.types.DataType;

/** Assigns slots to each aggregate, and binds its expressions to them and to the packet. Equal aggregates share a part. */
final class AggregateBinder {
    /** Functions that do not depend on the order of the packets, but for rounding. */
    private static final List<Class<?>> MERGEABLE = List.of(Average.class, BitAggregate.class, CentralMomentAgg.class,
            Count.class, Covariance.class, Max.class, Min.class, PearsonCorrelation.class, Sum.class);

    private final UnaryOperator<Expression> toPacket;
    private final List<AggregatePart> parts = new ArrayList<>();
    private final Map<Expression, Expression> results = new HashMap<>();
    private final BufferSlot.SlotAllocator places = new BufferSlot.SlotAllocator();
    private int columns;
    private boolean mergeable = true;

    /** @param toPacket binds an aggregate's input to the packet */
    AggregateBinder(UnaryOperator<Expression> toPacket) {
        this.toPacket = toPacket;
    }

    List<AggregatePart> parts() {
        return parts;
    }

    /** The places of the buffers' values. */
    BufferSlot.SlotAllocator places() {
        return places;
    }

    /** Whether the parts of a group can be merged in any order. */
    boolean areMergeable() {
        return mergeable;
    }

    /** The number of columns of the input row that the parts use. */
    int columns() {
        return columns;
    }

    /**
     * The expression that computes the aggregate's result from its buffers.
     *
     * @throws IllegalArgumentException if its buffers hold a type that cannot be kept
     */
    Expression result(AggregateExpression aggregate) {
        Expression key = aggregate.canonicalized();
        Expression known = aggregate.deterministic() ? results.get(key) : null;
        if (known == null) {
            known = add(aggregate);
            results.put(key, known);
        }
        return known;
    }

    private Expression add(AggregateExpression aggregate) {
        mergeable &= !aggregate.isDistinct() && aggregate.deterministic()
                && MERGEABLE.stream().anyMatch(known -> known.isInstance(aggregate.aggregateFunction()));
        Expression filter = aggregate.filter().isEmpty() ? null : toPacket.apply(aggregate.filter().get());
        List<Expression> children = Scala.<Expression>list(aggregate.aggregateFunction().children()).stream()
                .map(toPacket).toList();
        if (aggregate.isDistinct()) {
            Inputs distinct = distinct(children);
            AggregateFunction function = over(aggregate, seen(children, distinct));
            return function instanceof DeclarativeAggregate declarative ? declarative(declarative, filter, distinct)
                    : imperative((ImperativeAggregate) function, filter, distinct);
        }
        if (aggregate.aggregateFunction() instanceof DeclarativeAggregate) {
            return declarative((DeclarativeAggregate) over(aggregate, children), filter, null);
        }
        List<Expression> values = new ArrayList<>();
        List<Expression> read = children.stream().map(child -> ahead(child, values)).toList();
        Inputs inputs = new Inputs(values.toArray(Expression[]::new), columns, -1);
        columns += values.size();
        return imperative((ImperativeAggregate) over(aggregate, read), filter, inputs);
    }

    private static AggregateFunction over(AggregateExpression aggregate, List<Expression> children) {
        return (AggregateFunction) aggregate.aggregateFunction().withNewChildren(Scala.seq(children));
    }

    private Inputs distinct(List<Expression> children) {
        List<Expression> values = children.stream().filter(c -> !c.foldable())
                .map(NormalizeFloatingNumbers$.MODULE$::normalize).toList();
        values.forEach(v -> needHeld(v.dataType()));
        int first = columns;
        columns += values.size();
        return new Inputs(values.toArray(Expression[]::new), first, places.nextObject());
    }

    private static List<Expression> seen(List<Expression> children, Inputs distinct) {
        List<Expression> inputs = new ArrayList<>();
        int next = distinct.firstValue();
        for (Expression child : children) {
            inputs.add(child.foldable() ? child : new BoundReference(next++, child.dataType(), child.nullable()));
        }
        return inputs;
    }

    /** The expression that reads the precomputed value of {@code child}. Each value is computed once. */
    private Expression ahead(Expression child, List<Expression> values) {
        if (child.foldable() || child instanceof Leaf) {
            return child;
        }
        if (child instanceof SortOrder) {
            return child.withNewChildren(Scala.seq(
                    Scala.<Expression>list(child.children()).stream().map(c -> ahead(c, values)).toList()));
        }
        int k = 0;
        while (k < values.size() && !values.get(k).semanticEquals(child)) {
            k++;
        }
        if (k == values.size()) {
            values.add(child);
        }
        return new BoundReference(columns + k, child.dataType(), child.nullable());
    }

    private Expression declarative(DeclarativeAggregate function, Expression filter, Inputs inputs) {
        List<AttributeReference> own = Scala.list(function.aggBufferAttributes());
        List<AttributeReference> added = Scala.list(function.inputAggBufferAttributes());
        Map<ExprId, BufferSlot> slots = new HashMap<>();
        BufferSlot[] written = new BufferSlot[own.size()];
        for (int k = 0; k < written.length; k++) {
            needHeld(own.get(k).dataType());
            written[k] = places.next(own.get(k));
            slots.put(own.get(k).exprId(), written[k]);
            slots.put(added.get(k).exprId(), written[k].ofOther(own.get(k)));
        }
        UnaryOperator<Expression> bind = e -> e.transformUp(Scala.<Expression>replacing(
                x -> x instanceof Attribute a ? slots.get(a.exprId()) : null));
        Expression[] updates = bound(function.updateExpressions(), bind);
        Expression[] merges = bound(function.mergeExpressions(), bind);
        Expression[] initial = bound(function.initialValues(), bind);
        BufferWrite update = new BufferWrite(inputs == null ? filter : null, updates, written);
        parts.add(new AggregatePart(update, new BufferWrite(null, merges, written), initial, null,
                inputs == null ? null : filter, inputs));
        return bind.apply(function.evaluateExpression());
    }

    private static Expression[] bound(scala.collection.immutable.Seq<Expression> expressions, UnaryOperator<Expression> bind) {
        return Scala.<Expression>list(expressions).stream().map(bind).toArray(Expression[]::new);
    }

    private Expression imperative(ImperativeAggregate function, Expression filter, Inputs inputs) {
        ImperativeAggregate placed = function.withNewMutableAggBufferOffset(0).withNewInputAggBufferOffset(0);
        if (!(function instanceof TypedImperativeAggregate)) {
            Scala.<AttributeReference>list(function.aggBufferAttributes()).forEach(a -> needHeld(a.dataType()));
        }
        int column = columns++;
        parts.add(new AggregatePart(null, null, null, new AggregatePart.Imperative(placed, places.nextObject(), column),
                filter, inputs));
        return new BoundReference(column, function.dataType(), function.nullable());
    }

    private static void needHeld(DataType type) {
        if (!RowBytes.holds(type)) {
            throw new IllegalArgumentException("its state has type " + type.sql() + ", which a packet cannot hold");
        }
    }
}
