package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.analysis.Scala;
import io.despina.expr.catalyst.codegen.Distinct;
import io.despina.expr.catalyst.codegen.Generated;
import io.despina.expr.catalyst.codegen.InputRow;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.codegen.Slots;
import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
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
    /** Of the same, if its buffer is an object of its own type. */
    private final TypedBuffer typed;
    private final int slot;
    private final List<DataType> bufferTypes;
    /** For the values that a distinct aggregate has seen. Made when needed. */
    private RowBytes rows;
    /** Whether {@link #function} may refuse values. */
    private final boolean mayRefuse;
    /** Whether the packet taken last counts. */
    private boolean counts;
    /** The values that the last update has added to those seen; null for none. */
    private GenericInternalRow added;

    SpecialPart(AggregatePart part) {
        this.part = part;
        distinct = part.inputs().areDistinct();
        update = part.update() == null ? null : AggregateProgram.update(List.of(part.update()));
        function = part.imperative() == null ? null : part.imperative().function();
        typed = function instanceof TypedImperativeAggregate<?> own ? TypedBuffer.of(own) : null;
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
            return typed.create();
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
            seen(row.slots).removeLast();
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
            row.slots.objects[slot] = typed.update(row.slots.objects[slot], row);
        } else {
            function.update((InternalRow) row.slots.objects[slot], row);
        }
    }

    void merge(InputRow row) {
        if (distinct) {
            seen(row.other).seen().forEach(values -> mergeUnseen(row, values));
        } else if (typed != null) {
            row.slots.objects[slot] = typed.merge(row.slots.objects[slot], row.other.objects[slot]);
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

    void evaluate(InputRow row) {
        if (function != null) {
            Object buffer = row.slots.objects[slot];
            row.update(part.imperative().column(), typed != null ? typed.evaluate(buffer) : function.eval((InternalRow) buffer));
        }
    }

    void write(Slots slots, DataOutput out) throws IOException {
        if (distinct) {
            Distinct seen = seen(slots);
            int size = seen.seen().size();
            int apart = ListOutput.apart(out, seen, size, (from, to, part) -> writeSeen(seen.seen().subList(from, to), part));
            out.writeInt(size - apart);
            writeSeen(seen.seen().subList(apart, size), out);
        }
        if (typed != null) {
            typed.write(slots.objects[slot], out);
        } else if (function != null) {
            InternalRow buffer = (InternalRow) slots.objects[slot];
            Object[] values = new Object[bufferTypes.size()];
            for (int k = 0; k < values.length; k++) {
                values[k] = buffer.get(k, bufferTypes.get(k));
            }
            new RowBytes(bufferTypes).write(values, out);
        }
    }

    private void writeSeen(List<GenericInternalRow> seen, DataOutput out) throws IOException {
        for (GenericInternalRow values : seen) {
            if (values.numFields() > 0) {
                rows().write(values.values(), out);
            }
        }
    }

    private RowBytes rows() {
        if (rows == null) {
            rows = new RowBytes(Arrays.stream(part.inputs().values()).map(Expression::dataType).toList());
        }
        return rows;
    }

    void read(Slots slots, DataInput in) throws IOException {
        if (distinct) {
            Distinct seen = seen(slots);
            readSeen(seen, ListInput.begin(in, (some, part) -> readSeen(seen, some, part)), in);
        }
        if (typed != null) {
            slots.objects[slot] = typed.read(in);
        } else if (function != null) {
            Object[] values = new RowBytes(bufferTypes).read(in);
            InternalRow buffer = (InternalRow) slots.objects[slot];
            for (int k = 0; k < values.length; k++) {
                buffer.update(k, values[k]);
            }
        }
    }

    private void readSeen(Distinct seen, int some, DataInput in) throws IOException {
        for (int k = 0; k < some; k++) {
            seen.add(new GenericInternalRow(part.inputs().values().length == 0 ? new Object[0] : rows().read(in)));
        }
    }
}
