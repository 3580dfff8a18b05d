package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Accumulators as values of keyed state: stored beside their keys if they consist of bytes only, else as objects. */
class AccumulatorFormat implements ValueFormat<Accumulator> {
    private final Aggregation aggregation;

    private AccumulatorFormat(Aggregation aggregation) {
        this.aggregation = aggregation;
    }

    static ValueFormat<Accumulator> of(Aggregation aggregation) {
        return aggregation.flat() == null ? new AccumulatorFormat(aggregation) : new Flat(aggregation);
    }

    @Override
    public String schema() {
        return "accumulator" + aggregation.schema();
    }

    @Override
    public void write(Accumulator value, DataOutput out) throws IOException {
        aggregation.write(value, out);
    }

    @Override
    public Accumulator read(DataInput in) throws IOException {
        return aggregation.read(in);
    }

    @Override
    public long bytes(Accumulator value) {
        return value.bytes();
    }

    private static final class Flat extends AccumulatorFormat implements ValueFormat.Flat<Accumulator> {
        private final Aggregation.FlatAccumulators flat;
        private final Accumulator read;

        Flat(Aggregation aggregation) {
            super(aggregation);
            flat = aggregation.flat();
            read = aggregation.create();
        }

        @Override
        public void read(DataInput in, byte[] bytes, int at) throws IOException {
            flat.read(read, in);
            flat.put(read, bytes, at);
        }

        @Override
        public int width() {
            return flat.width();
        }

        @Override
        public Accumulator view() {
            return flat.view();
        }

        @Override
        public void move(Accumulator view, byte[] bytes, int at) {
            flat.move(view, bytes, at);
        }

        @Override
        public void put(Accumulator value, byte[] bytes, int at) {
            flat.put(value, bytes, at);
        }

        @Override
        public long bytes(Accumulator value) {
            return 0;
        }
    }
}
