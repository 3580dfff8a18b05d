package io.despina.expr.catalyst;

import java.io.Serializable;
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
 * @param distinct   null if all packets count
 */
@SuppressWarnings("serial")     // Spark's expressions are serializable, though their base class does not say so
record AggregatePart(BufferWrite update, BufferWrite merge, Expression[] initial, Imperative imperative,
        Expression filter, DistinctValues distinct) implements Serializable {

    /**
     * What a distinct aggregate compares.
     *
     * @param values     floats normalised
     * @param seenSlot   the object that holds what was seen
     * @param firstValue the row's column where the values go, from there on; the function reads them there
     */
    record DistinctValues(Expression[] values, int seenSlot, int firstValue) implements Serializable {
    }

    /**
     * A function that updates a buffer of its own.
     *
     * @param slot   the object that is its buffer
     * @param column the row's column where its result goes
     */
    record Imperative(ImperativeAggregate function, int slot, int column) implements Serializable {
    }

    /** Whether generated code alone does it. */
    boolean isPlain() {
        return imperative == null && distinct == null;
    }
}
