package io.despina.operator.join;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.state.EventOrder;
import io.despina.state.KeyBuckets;
import java.util.ArrayList;
import java.util.List;

/**
 * The inputs of a join and its result. Expressions over both sides take (left, right); the select list
 * of a windowed join takes (left, right, window, window_time).
 *
 * @param left      the left side
 * @param right     the right side; its keys have the same types
 * @param rightKept schema of the right packet for expressions over both sides: the right input's, perhaps with more nullable
 *                  columns; if the left side stays alone, all are nullable
 * @param condition a condition besides equal keys; null for none
 * @param select    the row
 * @param how       which packets without a match are emitted, with NULLs for the other side
 * @param clocks    by which keys go that have clocks of their own; null if one watermark is for all
 */
public record JoinOptions(Side left, Side right, Schema rightKept, Compiled<Predicate> condition,
        Compiled<Projection> select, How how, KeyedTime clocks) {

    /** One watermark is for all. */
    public JoinOptions(Side left, Side right, Schema rightKept, Compiled<Predicate> condition, Compiled<Projection> select,
            How how) {
        this(left, right, rightKept, condition, select, how, null);
    }

    /** The same with clocks. */
    public JoinOptions with(KeyedTime others) {
        return new JoinOptions(left, right, rightKept, condition, select, how, others);
    }

    /** Which rows leave beside pairs. */
    public enum How {
        INNER, LEFT, RIGHT, FULL;

        /** Whether a left packet without a match is emitted. */
        public boolean keepsLeft() {
            return this == LEFT || this == FULL;
        }

        /** Whether a right packet without a match is emitted. */
        public boolean keepsRight() {
            return this == RIGHT || this == FULL;
        }
    }

    /**
     * One side.
     *
     * @param order of its packets; null without event time
     * @param keys  expressions that must be equal, where a NULL equals nothing; empty if any two packets may match
     */
    public record Side(EventOrder order, Keys keys) {
    }

    /** The keys of the left side, in the schema that both sides share, so that equal keys have equal bytes. */
    Keys leftKeys() {
        return new Keys(keySchema(), left.keys().projection(), left.keys().buckets());
    }

    /** The keys of the right side, in the same schema. */
    Keys rightKeys() {
        return new Keys(keySchema(), right.keys().projection(), right.keys().buckets());
    }

    /** How keys are dealt out: all that share a clock stay together. */
    KeyBuckets buckets() {
        return clocks == null ? new KeyBuckets(keySchema(), left.keys().buckets())
                : new KeyBuckets(keySchema(), left.keys().buckets(), clocks.columns());
    }

    /** The key of a clock: columns of the keys. */
    Schema clockSchema() {
        Schema keys = keySchema();
        return new Schema(clocks.columns().stream().map(keys::column).toList());
    }

    /** The common schema of both sides' keys: a column is nullable if it is on either side. */
    private Schema keySchema() {
        Schema a = left.keys().schema();
        Schema b = right.keys().schema();
        List<Column> columns = new ArrayList<>();
        for (int k = 0; k < a.size(); k++) {
            if (a.size() != b.size() || !a.column(k).type().equals(b.column(k).type())) {
                throw new IllegalArgumentException("keys `" + a + "` and `" + b + "` differ in types");
            }
            columns.add(new Column("key" + k, a.column(k).type(), a.column(k).nullable() || b.column(k).nullable()));
        }
        return new Schema(columns);
    }
}
