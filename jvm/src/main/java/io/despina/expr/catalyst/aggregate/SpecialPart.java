package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.codegen.Distinct;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.InputRow;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.codegen.Slots;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.ApproximatePercentile;
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectList;
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectSet;
import org.apache.spark.sql.catalyst.expressions.aggregate.HyperLogLogPlusPlus;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.Mode;
import org.apache.spark.sql.catalyst.expressions.aggregate.PercentileBase;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;

/** An aggregate that is distinct, or whose function has a buffer of its own. */
public final class SpecialPart {
    /** Functions that never refuse a value, so that checking packets first would be useless. */
    private static final List<Class<?>> TAKE_ALL = List.of(CollectList.class, CollectSet.class, HyperLogLogPlusPlus.class,
            ApproximatePercentile.class, Mode.class);

    private final AggregatePart part;
    private final boolean distinct;
    /** For a distinct declarative function. */
    private final Generated.Update update;
    /** Null for a declarative function. */
    private final ImperativeAggregate function;
    /** The same, if its buffer is an object of its own type; Spark's interface is generic in that type. */
    private final TypedImperativeAggregate<Object> typed;
    /** The class of a new buffer of {@link #typed}. */
    private final Class<?> updatable;
    private final int slot;
    private final List<DataType> bufferTypes;
    /** Whether {@link #function} may refuse values. */
    private final boolean mayRefuse;
    /** Whether the packet taken last counts. */
    private boolean counts;
    /** The values that the last update has added to those seen; null for none. */
    private GenericInternalRow added;

    @SuppressWarnings("unchecked")
    SpecialPart(AggregatePart part) {
        this.part = part;
        distinct = part.inputs().areDistinct();
        update = part.update() == null ? null : AggregateProgram.update(List.of(part.update()));
        function = part.imperative() == null ? null : part.imperative().function();
        typed = function instanceof TypedImperativeAggregate ? (TypedImperativeAggregate<Object>) function : null;
        Object empty = typed == null ? null : typed.createAggregationBuffer();
        updatable = empty == null ? null : empty.getClass();
        slot = function == null ? -1 : part.imperative().slot();
        bufferTypes = function == null ? List.of() : Scala.<AttributeReference>list(function.aggBufferAttributes()).stream()
                .map(AttributeReference::dataType).toList();
        mayRefuse = function != null && !takesAll(function);
    }

    /** The content that it writes, as text. */
    String schema() {
        return (distinct ? "DISTINCT " : "") + (function == null ? "" : function.prettyName())
                + bufferTypes.stream().map(DataType::sql).collect(Collectors.joining(", ", "[", "]"));
    }

    private static boolean takesAll(ImperativeAggregate function) {
        return function instanceof PercentileBase p ? p.frequencyExpression().foldable()
                : TAKE_ALL.stream().anyMatch(known -> known.isInstance(function));
    }

    void initialize(int partition) {
        if (update != null) {
            update.initialize(partition);
        } else {
            Interpreted.initialize(new Expression[] {function}, partition);
        }
        Interpreted.initialize(part.inputs().values(), partition);
        if (part.filter() != null) {
            Interpreted.initialize(new Expression[] {part.filter()}, partition);
        }
    }

    void create(Slots slots) {
        if (distinct) {
            slots.objects[part.inputs().seenSlot()] = new Distinct();
        }
        if (function != null) {
            slots.objects[slot] = newBuffer();
        }
    }

    private Object newBuffer() {
        if (typed != null) {
            return typed.createAggregationBuffer();
        }
        SpecificInternalRow buffer = new SpecificInternalRow(Scala.seq(bufferTypes));
        function.initialize(buffer);
        return buffer;
    }

    /** Whether {@link #update} changes only slots, and what {@link #forget} can undo. */
    boolean isDeclarative() {
        return function == null;
    }

    /** Computes the values that the next {@link #update} adds. */
    void take(InputRow row) {
        added = null;
        counts = part.filter() == null || Boolean.TRUE.equals(part.filter().eval(row));
        Expression[] values = part.inputs().values();
        for (int k = 0; counts && k < values.length; k++) {
            Object value = values[k].eval(row);
            row.update(part.inputs().firstValue() + k, distinct ? InternalRow$.MODULE$.copyValue(value) : value);
        }
    }

    /** Throws what {@link #update} would throw: functions refuse values whatever their buffers hold. */
    void check(InputRow row) {
        if (counts && mayRefuse) {
            Object buffer = newBuffer();
            if (typed != null) {
                typed.update(buffer, row);
            } else {
                function.update((InternalRow) buffer, row);
            }
        }
    }

    /** Adds the values taken. */
    void update(InputRow row) {
        if (!counts) {
            return;
        }
        if (distinct) {
            int first = part.inputs().firstValue();
            GenericInternalRow values = new GenericInternalRow(
                    Arrays.copyOfRange(row.values(), first, first + part.inputs().values().length));
            if (!seen(row.slots).add(values)) {
                return;
            }
            added = values;
        }
        feed(row);
    }

    /** Undoes the changes of the last {@link #update}, complete or not, outside of slots. */
    void forget(InputRow row) {
        if (added != null) {
            seen(row.slots).remove(added);
            added = null;
        }
    }

    private Distinct seen(Slots slots) {
        return (Distinct) slots.objects[part.inputs().seenSlot()];
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

    /**
     * A buffer that was read or merged may be of a kind that takes no updates (Spark's sketches). A new buffer is then merged
     * into it.
     */
    private Object updated(Object buffer, InputRow row) {
        if (buffer == null || buffer.getClass() == updatable) {
            return typed.update(buffer, row);
        }
        return typed.merge(buffer, typed.update(typed.createAggregationBuffer(), row));
    }

    void merge(InputRow row) {
        if (distinct) {
            seen(row.other).seen().forEach(values -> mergeUnseen(row, values));
        } else if (typed != null) {
            row.slots.objects[slot] = typed.merge(row.slots.objects[slot], copy(row.other.objects[slot]));
        } else {
            function.merge((InternalRow) row.slots.objects[slot], (InternalRow) row.other.objects[slot]);
        }
    }

    private void mergeUnseen(InputRow row, GenericInternalRow values) {
        if (seen(row.slots).add(values)) {
            for (int k = 0; k < values.numFields(); k++) {
                row.update(part.inputs().firstValue() + k, values.values()[k]);
            }
            feed(row);
        }
    }

    /** A copy, because merging may keep parts of its second argument, which stays in use. */
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
        if (distinct) {
            Set<GenericInternalRow> seen = seen(slots).seen();
            out.writeInt(seen.size());
            if (part.inputs().values().length > 0) {
                RowBytes bytes = new RowBytes(Arrays.stream(part.inputs().values()).map(Expression::dataType).toList());
                for (GenericInternalRow values : seen) {
                    bytes.write(values.values(), out);
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
        if (distinct) {
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
        RowBytes bytes = part.inputs().values().length == 0 ? null
                : new RowBytes(Arrays.stream(part.inputs().values()).map(Expression::dataType).toList());
        for (int k = 0; k < size; k++) {
            seen.add(new GenericInternalRow(bytes == null ? new Object[0] : bytes.read(in)));
        }
    }
}
