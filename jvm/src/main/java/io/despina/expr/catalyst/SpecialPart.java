package io.despina.expr.catalyst;

import io.despina.expr.catalyst.AggregatePart.DistinctValues;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;

/** An aggregate that is distinct, or whose function updates a buffer of its own. */
final class SpecialPart {
    private final AggregatePart part;
    private final DistinctValues distinct;
    /** Of a distinct declarative function. */
    private final Generated.Update update;
    /** Null if declarative. */
    private final ImperativeAggregate function;
    /** The same, if it keeps an object of its own type; Spark's interface is generic in it. */
    private final TypedImperativeAggregate<Object> typed;
    /** The class of a new buffer of {@link #typed}. */
    private final Class<?> updatable;
    private final int slot;
    private final List<DataType> bufferTypes;

    @SuppressWarnings("unchecked")
    SpecialPart(AggregatePart part) {
        this.part = part;
        distinct = part.distinct();
        update = part.update() == null ? null : AggregateProgram.update(List.of(part.update()));
        function = part.imperative() == null ? null : part.imperative().function();
        typed = function instanceof TypedImperativeAggregate ? (TypedImperativeAggregate<Object>) function : null;
        Object empty = typed == null ? null : typed.createAggregationBuffer();
        updatable = empty == null ? null : empty.getClass();
        slot = function == null ? -1 : part.imperative().slot();
        bufferTypes = function == null ? List.of() : Scala.<AttributeReference>list(function.aggBufferAttributes()).stream()
                .map(AttributeReference::dataType).toList();
    }

    void initialize(int partition) {
        if (update != null) {
            update.initialize(partition);
        } else {
            Interpreted.initialize(new Expression[] {function}, partition);
        }
        if (part.filter() != null) {
            Interpreted.initialize(new Expression[] {part.filter()}, partition);
        }
    }

    void create(Slots slots) {
        if (distinct != null) {
            slots.objects[distinct.seenSlot()] = new Distinct();
        }
        if (typed != null) {
            slots.objects[slot] = typed.createAggregationBuffer();
        } else if (function != null) {
            SpecificInternalRow buffer = new SpecificInternalRow(Scala.seq(bufferTypes));
            function.initialize(buffer);
            slots.objects[slot] = buffer;
        }
    }

    void update(InputRow row) {
        if (part.filter() != null && !Boolean.TRUE.equals(part.filter().eval(row))) {
            return;
        }
        if (distinct == null) {
            feed(row);
            return;
        }
        Object[] values = new Object[distinct.values().length];
        for (int k = 0; k < values.length; k++) {
            values[k] = InternalRow$.MODULE$.copyValue(distinct.values()[k].eval(row));
        }
        feedUnseen(row, new GenericInternalRow(values));
    }

    private void feedUnseen(InputRow row, InternalRow values) {
        if (seen(row.slots).seen.add(values)) {
            for (int k = 0; k < values.numFields(); k++) {
                row.update(distinct.firstValue() + k, ((GenericInternalRow) values).values()[k]);
            }
            feed(row);
        }
    }

    private Distinct seen(Slots slots) {
        return (Distinct) slots.objects[distinct.seenSlot()];
    }

    private void feed(InputRow row) {
        if (update != null) {
            update.run(row);
        } else if (typed != null) {
            row.slots.objects[slot] = updated(row.slots.objects[slot], row);
        } else {
            function.update((InternalRow) row.slots.objects[slot], row);
        }
    }

    /** What was read, or merged, may be of a kind that takes no updates (Spark's sketches): then a new buffer is merged in. */
    private Object updated(Object buffer, InputRow row) {
        if (buffer == null || buffer.getClass() == updatable) {
            return typed.update(buffer, row);
        }
        return typed.merge(buffer, typed.update(typed.createAggregationBuffer(), row));
    }

    void merge(InputRow row) {
        if (distinct != null) {
            seen(row.other).seen.forEach(values -> feedUnseen(row, values));
        } else if (typed != null) {
            row.slots.objects[slot] = typed.merge(row.slots.objects[slot], copy(row.other.objects[slot]));
        } else {
            function.merge((InternalRow) row.slots.objects[slot], (InternalRow) row.other.objects[slot]);
        }
    }

    /** Merging may keep parts of its second argument, which lives on. */
    private Object copy(Object buffer) {
        return typed.deserialize(typed.serialize(buffer).clone());
    }

    void evaluate(InputRow row) {
        if (function != null) {
            Object buffer = row.slots.objects[slot];
            row.update(part.imperative().column(), typed != null ? typed.eval(buffer) : function.eval((InternalRow) buffer));
        }
    }

    void write(Slots slots, DataOutput out) throws IOException {
        if (distinct != null) {
            Distinct seen = seen(slots);
            out.writeInt(seen.seen.size());
            if (distinct.values().length > 0) {
                RowBytes bytes = new RowBytes(Arrays.stream(distinct.values()).map(Expression::dataType).toList());
                for (InternalRow values : seen.seen) {
                    bytes.write(((GenericInternalRow) values).values(), out);
                }
            }
        }
        if (typed != null) {
            byte[] bytes = typed.serialize(slots.objects[slot]);
            out.writeInt(bytes.length);
            out.write(bytes);
        } else if (function != null) {
            InternalRow buffer = (InternalRow) slots.objects[slot];
            Object[] values = new Object[bufferTypes.size()];
            for (int k = 0; k < values.length; k++) {
                values[k] = buffer.get(k, bufferTypes.get(k));
            }
            new RowBytes(bufferTypes).write(values, out);
        }
    }

    void read(Slots slots, DataInput in) throws IOException {
        if (distinct != null) {
            readSeen(seen(slots), in);
        }
        if (typed != null) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            Object buffer = typed.deserialize(bytes);
            slots.objects[slot] = buffer == null || buffer.getClass() == updatable ? buffer
                    : typed.merge(typed.createAggregationBuffer(), buffer);
        } else if (function != null) {
            Object[] values = new RowBytes(bufferTypes).read(in);
            InternalRow buffer = (InternalRow) slots.objects[slot];
            for (int k = 0; k < values.length; k++) {
                buffer.update(k, values[k]);
            }
        }
    }

    private void readSeen(Distinct seen, DataInput in) throws IOException {
        int size = in.readInt();
        RowBytes bytes = distinct.values().length == 0 ? null
                : new RowBytes(Arrays.stream(distinct.values()).map(Expression::dataType).toList());
        for (int k = 0; k < size; k++) {
            seen.seen.add(new GenericInternalRow(bytes == null ? new Object[0] : bytes.read(in)));
        }
    }
}
