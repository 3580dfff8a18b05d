package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.packet.Bytes;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;

/** A flat accumulator, and behind it how many packets it holds. It is held between two watermarks, and is in no snapshot. */
final class PartFormat implements ValueFormat.Flat<PartFormat.PartView> {

    /** A view of an accumulator and its packets. */
    static final class PartView {
        final Accumulator accumulator;
        byte[] bytes;
        int at;

        private PartView(Accumulator accumulator) {
            this.accumulator = accumulator;
        }
    }

    private final Aggregation.FlatAccumulators flat;
    private final int accumulatorBytes;

    PartFormat(Aggregation aggregation) {
        flat = aggregation.flat();
        accumulatorBytes = flat.width();
    }

    /** Of no packet yet. */
    PartView empty(Aggregation aggregation) {
        PartView part = view();
        byte[] bytes = new byte[width()];
        flat.put(aggregation.create(), bytes, 0);
        move(part, bytes, 0);
        return part;
    }

    long packets(PartView part) {
        return Bytes.getLong(part.bytes, part.at + accumulatorBytes);
    }

    /** Counts one packet more. */
    void count(PartView part) {
        Bytes.putLong(part.bytes, part.at + accumulatorBytes, packets(part) + 1);
    }

    @Override
    public int width() {
        return accumulatorBytes + Long.BYTES;
    }

    @Override
    public PartView view() {
        return new PartView(flat.view());
    }

    @Override
    public void move(PartView view, byte[] bytes, int at) {
        view.bytes = bytes;
        view.at = at;
        flat.move(view.accumulator, bytes, at);
    }

    @Override
    public void put(PartView value, byte[] bytes, int at) {
        System.arraycopy(value.bytes, value.at, bytes, at, width());
    }

    @Override
    public String schema() {
        return "part";
    }

    @Override
    public void write(PartView value, DataOutput out) {
        throw new UnsupportedOperationException("parts are in no snapshot");
    }

    @Override
    public PartView read(DataInput in) {
        throw new UnsupportedOperationException("parts are in no snapshot");
    }
}
