package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.codegen.BufferWrite;
import java.io.Serializable;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;

/**
 * One aggregate of a select list, bound.
 *
 * @param update     for a declarative function; includes the filter if it is not distinct
 * @param merge      for a declarative function
 * @param initial    for a declarative function, the initial values of the slots of {@code update}
 * @param imperative null for a declarative function
 * @param filter     for a distinct or imperative aggregate; null for none
 * @param inputs     for a distinct or imperative aggregate; null if generated code handles it alone
 */
@SuppressWarnings("serial")     // Spark's expressions are serializable, though their base class does not say so
public record AggregatePart(BufferWrite update, BufferWrite merge, Expression[] initial, Imperative imperative,
        Expression filter, Inputs inputs) implements Serializable {

    /**
     * Values computed from a packet before it is added to any part.
     *
     * @param values     for a distinct aggregate the values that it compares, with floats normalised
     * @param firstValue the first of the row's columns for the values, from which the function reads them
     * @param seenSlot   for a distinct aggregate, the slot of the values seen; -1 if all packets count
     */
    record Inputs(Expression[] values, int firstValue, int seenSlot) implements Serializable {
        boolean areDistinct() {
            return seenSlot >= 0;
        }
    }

    /**
     * A function that updates a buffer of its own.
     *
     * @param slot   the slot of its buffer
     * @param column the row's column for its result
     */
    record Imperative(ImperativeAggregate function, int slot, int column) implements Serializable {
    }

    /** All expressions that read packets. */
    Stream<Expression> overPacket() {
        Stream<Expression> one = Stream.of(filter, update == null ? null : update.filter(),
                imperative == null ? null : imperative.function());
        return Stream.of(one, update == null ? null : Stream.of(update.values()),
                inputs == null ? null : Stream.of(inputs.values())).flatMap(each -> each).filter(Objects::nonNull);
    }

    /** Whether generated code handles it alone. */
    public boolean isPlain() {
        return inputs == null;
    }
}
