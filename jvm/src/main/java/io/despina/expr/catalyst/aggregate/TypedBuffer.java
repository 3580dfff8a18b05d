package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.codegen.CollectedSet;
import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.aggregate.Collect;
import org.apache.spark.sql.catalyst.expressions.aggregate.Mode;
import org.apache.spark.sql.catalyst.expressions.aggregate.PercentileBase;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import scala.collection.mutable.ArrayBuffer;
import scala.collection.mutable.HashSet;
import scala.jdk.javaapi.CollectionConverters;

/**
 * How an aggregate whose buffer is an object of its own type updates, merges, reads and writes it. Buffers that collect elements,
 * and those that count values, are lists for {@link ListOutput}; others are written whole.
 */
class TypedBuffer {
    final TypedImperativeAggregate<Object> function;
    /** The class of a new buffer. */
    private final Class<?> updatable;

    TypedBuffer(TypedImperativeAggregate<Object> function, Object empty) {
        this.function = function;
        updatable = empty == null ? null : empty.getClass();
    }

    @SuppressWarnings("unchecked")      // Spark's interface is generic in the type of its buffer
    static TypedBuffer of(TypedImperativeAggregate<?> function) {
        TypedImperativeAggregate<Object> typed = (TypedImperativeAggregate<Object>) function;
        if (function instanceof PercentileBase percentile) {
            return new CountsBuffer(typed, percentile.child(), percentile.frequencyExpression());
        }
        if (function instanceof Mode mode) {
            return new CountsBuffer(typed, mode.child(), null);
        }
        Object empty = typed.createAggregationBuffer();
        if (function instanceof Collect<?> && empty instanceof ArrayBuffer<?>) {
            return new OfList(typed, empty);
        }
        boolean isSet = function instanceof Collect<?> && empty instanceof HashSet<?>;
        return isSet ? new OfSet(typed, empty) : new TypedBuffer(typed, empty);
    }

    Object create() {
        return function.createAggregationBuffer();
    }

    /**
     * A buffer that was read or merged may be of a kind that takes no updates (Spark's sketches). A new buffer is then merged
     * into it.
     */
    Object update(Object buffer, InternalRow row) {
        if (buffer == null || buffer.getClass() == updatable) {
            return function.update(buffer, row);
        }
        return function.merge(buffer, function.update(function.createAggregationBuffer(), row));
    }

    /** Merges a copy, because merging may keep parts of its second argument, which stays in use. */
    Object merge(Object buffer, Object other) {
        return function.merge(buffer, function.deserialize(function.serialize(other).clone()));
    }

    Object evaluate(Object buffer) {
        return function.eval(buffer);
    }

    void write(Object buffer, DataOutput out) throws IOException {
        writeBytes(function.serialize(buffer), out);
    }

    static void writeBytes(byte[] bytes, DataOutput out) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    Object read(DataInput in) throws IOException {
        Object buffer = readBytes(in.readInt(), in);
        return buffer == null || buffer.getClass() == updatable ? buffer : function.merge(create(), buffer);
    }

    final Object readBytes(int length, DataInput in) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return function.deserialize(bytes);
    }

    /** The elements of {@code collect_list} and the like. */
    private static final class OfList extends TypedBuffer {
        OfList(TypedImperativeAggregate<Object> function, Object empty) {
            super(function, empty);
        }

        @Override
        void write(Object buffer, DataOutput out) throws IOException {
            ArrayBuffer<?> list = (ArrayBuffer<?>) buffer;
            int apart = ListOutput.apart(out, list, list.size(), (from, to, part) -> write(list, from, to, part));
            write(list, apart, list.size(), out);
        }

        private void write(ArrayBuffer<?> list, int from, int to, DataOutput out) throws IOException {
            writeBytes(function.serialize(from == 0 && to == list.size() ? list : list.slice(from, to)), out);
        }

        @Override
        Object read(DataInput in) throws IOException {
            Object buffer = create();
            int follow = ListInput.begin(in, (some, part) -> function.merge(buffer, readBytes(part.readInt(), part)));
            return function.merge(buffer, readBytes(follow, in));
        }
    }

    /** The elements of {@code collect_set} and the like. */
    private static final class OfSet extends TypedBuffer {
        /** The room for more elements is not kept: to clear it would take each later row as long. */
        private static final int FEW = 64;
        /** Takes the elements of one row. */
        private HashSet<Object> one;

        @SuppressWarnings("unchecked")
        OfSet(TypedImperativeAggregate<Object> function, Object empty) {
            super(function, empty);
            one = (HashSet<Object>) empty;
        }

        @Override
        Object create() {
            return new CollectedSet(newSet());
        }

        @SuppressWarnings("unchecked")
        private HashSet<Object> newSet() {
            return (HashSet<Object>) function.createAggregationBuffer();
        }

        @Override
        Object update(Object buffer, InternalRow row) {
            function.update(one, row);
            if (one.size() == 1) {
                ((CollectedSet) buffer).add(one.head());
            } else {
                with(buffer, one);
            }
            if (one.size() > FEW) {
                one = newSet();
            } else {
                one.clear();
            }
            return buffer;
        }

        @Override
        Object merge(Object buffer, Object other) {
            return with(buffer, function.deserialize(function.serialize(((CollectedSet) other).set()).clone()));
        }

        private static Object with(Object buffer, Object others) {
            CollectionConverters.asJava((HashSet<?>) others).forEach(((CollectedSet) buffer)::add);
            return buffer;
        }

        @Override
        Object evaluate(Object buffer) {
            return function.eval(((CollectedSet) buffer).set());
        }

        @Override
        void write(Object buffer, DataOutput out) throws IOException {
            CollectedSet set = (CollectedSet) buffer;
            int apart = ListOutput.apart(out, set, set.size(), (from, to, part) -> write(set, from, to, part));
            write(set, apart, set.size(), out);
        }

        private void write(CollectedSet set, int from, int to, DataOutput out) throws IOException {
            HashSet<Object> some = newSet();
            set.arrived(from, to).forEach(some::add);
            writeBytes(function.serialize(some), out);
        }

        @Override
        Object read(DataInput in) throws IOException {
            Object buffer = create();
            int follow = ListInput.begin(in, (some, part) -> with(buffer, readBytes(part.readInt(), part)));
            return with(buffer, readBytes(follow, in));
        }
    }
}
