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
 * @param update     of a declarative one, its filter within if it is not distinct
 * @param merge      of a declarative one
 * @param initial    of a declarative one, what the slots of {@code update} begin with
 * @param imperative null if it is declarative
 * @param filter     of a distinct or imperative one; null: none
 * @param inputs     of a distinct or imperative one; null if generated code alone does it
 */
@SuppressWarnings("serial")     // Spark's expressions are serializable, though their base class does not say so
public record AggregatePart(BufferWrite update, BufferWrite merge, Expression[] initial, Imperative imperative,
        Expression filter, Inputs inputs) implements Serializable {

    /**
     * What is worked out of a packet before it is added to any part.
     *
     * @param values     of a distinct one, what it compares, floats normalised
     * @param firstValue the row's column where the values go, from there on; the function reads them there
     * @param seenSlot   of a distinct one, the object that holds what was seen; -1 if all packets count
     */
    record Inputs(Expression[] values, int firstValue, int seenSlot) implements Serializable {
        boolean areDistinct() {
            return seenSlot >= 0;
        }
    }

    /**
     * A function that updates a buffer of its own.
     *
     * @param slot   the object that is its buffer
     * @param column the row's column where its result goes
     */
    record Imperative(ImperativeAggregate function, int slot, int column) implements Serializable {
    }

    /** All that reads packets. */
    Stream<Expression> overPacket() {
        Stream<Expression> one = Stream.of(filter, update == null ? null : update.filter(),
                imperative == null ? null : imperative.function());
        return Stream.of(one, update == null ? null : Stream.of(update.values()),
                inputs == null ? null : Stream.of(inputs.values())).flatMap(each -> each).filter(Objects::nonNull);
    }

    /** Whether generated code alone does it. */
    public boolean isPlain() {
        return inputs == null;
    }
}
