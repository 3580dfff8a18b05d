package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Accumulators as values of keyed state. */
final class AccumulatorFormat implements ValueFormat<Accumulator> {
    private final Aggregation aggregation;

    AccumulatorFormat(Aggregation aggregation) {
        this.aggregation = aggregation;
    }

    @Override
    public String schema() {
        return "accumulator";
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
}
