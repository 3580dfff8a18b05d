package io.despina.expr.catalyst.aggregate;

import io.despina.expr.catalyst.codegen.CountedValues;
import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.util.collection.OpenHashMap;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The counts of {@code percentile}, {@code median} and {@code mode}. Spark's own buffer, a map, does not tell which counts have
 * changed; it is made for each result, and for what is written.
 */
final class CountsBuffer extends TypedBuffer {
    private final Expression value;
    /** How often a value counts; null for once. */
    private final Expression times;

    CountsBuffer(TypedImperativeAggregate<Object> function, Expression value, Expression times) {
        super(function, null);
        this.value = value;
        this.times = times;
    }

    @Override
    Object create() {
        return new CountedValues();
    }

    @Override
    Object update(Object buffer, InternalRow row) {
        Object came = value.eval(row);
        Object count = times == null ? (Object) 1L : times.eval(row);
        if (came == null || count == null) {
            return buffer;
        }
        long often = ((Number) count).longValue();
        if (often < 0) {
            function.update(function.createAggregationBuffer(), row);       // throws it in Spark's words
        } else if (often > 0) {
            ((CountedValues) buffer).add(came, often);
        }
        return buffer;
    }

    @Override
    Object merge(Object buffer, Object other) {
        CountedValues from = (CountedValues) other;
        for (int place = 0; place < from.size(); place++) {
            ((CountedValues) buffer).add(from.value(place), from.count(place));
        }
        return buffer;
    }

    @Override
    Object evaluate(Object buffer) {
        CountedValues counted = (CountedValues) buffer;
        return function.eval(map(counted, 0, counts(counted, 0)));
    }

    /** Those in {@code [from, size)}, without a note that they were copied. */
    private static long[] counts(CountedValues counted, int from) {
        long[] counts = new long[counted.size() - from];
        for (int k = 0; k < counts.length; k++) {
            counts[k] = counted.count(from + k);
        }
        return counts;
    }

    @SuppressWarnings("unchecked")
    private OpenHashMap<Object, Object> map(CountedValues counted, int from, long[] counts) {
        OpenHashMap<Object, Object> map = (OpenHashMap<Object, Object>) function.createAggregationBuffer();
        for (int k = 0; k < counts.length; k++) {
            map.update(counted.value(from + k), counts[k]);
        }
        return map;
    }

    @Override
    void write(Object buffer, DataOutput out) throws IOException {
        CountedValues counted = (CountedValues) buffer;
        int apart = ListOutput.apart(out, counted, counted.size(), new Parts(counted));
        writeBytes(function.serialize(map(counted, apart, counts(counted, apart))), out);
    }

    @Override
    Object read(DataInput in) throws IOException {
        CountedValues counted = new CountedValues();
        int follow = ListInput.begin(in, (some, part) -> add(counted, readBytes(part.readInt(), part)));
        add(counted, readBytes(follow, in));
        return counted;
    }

    private static void add(CountedValues into, Object map) {
        CollectionConverters.asJava(((OpenHashMap<?, ?>) map).iterator())
                .forEachRemaining(each -> into.add(each._1(), (Long) each._2()));
    }

    /** Parts that are written later, with the counts that they had. */
    private final class Parts implements ListOutput.ElementWriter {
        private final CountedValues of;
        private final Map<Integer, long[]> kept = new HashMap<>();

        Parts(CountedValues of) {
            this.of = of;
        }

        @Override
        public boolean hasChanged(int from, int to) {
            return of.hasChanged(from, to);
        }

        @Override
        public void keep(int from, int to) {
            kept.put(from, of.copied(from, to));
        }

        @Override
        public void write(int from, int to, DataOutput out) throws IOException {
            writeBytes(function.serialize(map(of, from, kept.remove(from))), out);
        }
    }
}
