package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.WindowFacts;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An aggregation that tells everything: the group's key, the window, the current packet's {@code v}, how many packets there
 * were and their {@code v} in the order of update and merge. It is as sensitive to order as an aggregate can be.
 */
final class Collected implements Aggregation {
    static final Schema RESULT = Schema.of(new Column("k", Simple.STRING, true),
            new Column("start", Simple.TIMESTAMP, false), new Column("end", Simple.TIMESTAMP, false),
            new Column("current", Simple.BIGINT, true), new Column("n", Simple.BIGINT, false),
            new Column("all", Simple.STRING, false));

    /** A packet with this {@code v} cannot be added. */
    static final long BAD = -13;

    /** The row of a group that has a packet with this {@code v} cannot be made. */
    static final long UNWRITABLE = -14;

    /** Whether `current` is twice the row's revision, and 1 more in a last row. */
    private final boolean firings;

    Collected() {
        this(false);
    }

    Collected(boolean firings) {
        this.firings = firings;
    }

    private static final class Values implements Accumulator {
        private final List<Long> values = new ArrayList<>();

        @Override
        public long bytes() {
            return 16 + 8L * values.size();
        }
    }

    @Override
    public Accumulator create() {
        return new Values();
    }

    @Override
    public void update(Accumulator accumulator, Packet packet) {
        long v = packet.getLong(3);
        if (v == BAD) {
            throw new ArithmeticException("a bad packet");
        }
        ((Values) accumulator).values.add(v);
    }

    @Override
    public void check(Accumulator accumulator, Packet packet) {
        update(create(), packet);
    }

    @Override
    public boolean mayOverflow() {
        return false;
    }

    @Override
    public void merge(Accumulator into, Accumulator from) {
        ((Values) into).values.addAll(((Values) from).values);
    }

    @Override
    public void evaluate(Accumulator accumulator, Packet key, Packet current, WindowFacts window, PacketWriter out) {
        List<Long> values = ((Values) accumulator).values;
        if (values.contains(UNWRITABLE)) {
            throw new ArithmeticException("a bad row");
        }
        if (key == null) {
            out.setNull(0);
        } else {
            out.setColumn(0, key, 0);
        }
        out.setLong(1, window == null ? 0 : window.start);
        out.setLong(2, window == null ? 0 : window.end);
        if (firings) {
            out.setLong(3, 2 * window.revision + (window.last ? 1 : 0));
        } else if (current == null) {
            out.setNull(3);
        } else {
            out.setColumn(3, current, 3);
        }
        out.setLong(4, values.size());
        byte[] all = values.toString().getBytes(StandardCharsets.UTF_8);
        out.setBytes(5, all, 0, all.length);
    }

    @Override
    public void write(Accumulator accumulator, DataOutput out) throws IOException {
        List<Long> values = ((Values) accumulator).values;
        out.writeInt(values.size());
        for (long value : values) {
            out.writeLong(value);
        }
    }

    @Override
    public Accumulator read(DataInput in) throws IOException {
        Values values = new Values();
        for (int n = in.readInt(); n > 0; n--) {
            values.values.add(in.readLong());
        }
        return values;
    }
}
