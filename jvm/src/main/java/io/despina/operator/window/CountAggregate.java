package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.spec.Window;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Aggregates over windows of so many packets of a group; a new one begins with every so many. A window's row leaves with its last
 * packet, and its end is just after that. One that is not full when the stream ends has no row. In a row that a user asks for
 * before, its end is how far event time has come.
 */
public final class CountAggregate extends PacketWindows<CountAggregate.Counted> {

    /** The open windows of a group, the oldest first. */
    static final class Counted {
        private static final int OBJECT_BYTES = 64;

        /** Packets since the group began, modulo the slide. */
        private long since;
        private final Deque<Partial> windows = new ArrayDeque<>();

        long bytes() {
            long bytes = OBJECT_BYTES;
            for (Partial each : windows) {
                bytes += OBJECT_BYTES + each.accumulator.bytes();
            }
            return bytes;
        }
    }

    /** A window that is not full. */
    private static final class Partial {
        private final Accumulator accumulator;
        private final long start;
        private long packets;

        Partial(Accumulator accumulator, long start) {
            this.accumulator = accumulator;
            this.start = start;
        }
    }

    private final Window.Count size;
    /** Whether a packet is checked against all its windows before it is added to any. */
    private boolean tries;

    /**
     * @param order of the input's packets
     * @param keys  of the groups
     */
    public CountAggregate(EventOrder order, Window.Count size, Keys keys, Compiled<Aggregation> compiled) {
        super(new Aggregated(order, keys, compiled));
        this.size = size;
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        tries = goesOn() && size.slide() < size.size() && aggregation().mayOverflow();
    }

    @Override
    ValueFormat<Counted> format(Aggregation aggregation) {
        return new Format(aggregation);
    }

    @Override
    void take(Packet packet, long time) throws Exception {
        Packet of = key(packet);
        int entry = groups().find(of);
        Counted counted = entry == KeyedTable.NONE ? new Counted() : groups().edit(entry);
        if (tries) {
            counted.windows.forEach(each -> aggregation().check(each.accumulator, packet));
        }
        Accumulator begun = null;
        if (counted.since == 0) {
            begun = aggregation().create();
            aggregation().update(begun, packet);
        }
        for (Partial each : counted.windows) {
            update(each.accumulator, packet);
            each.packets++;
        }
        if (begun != null) {
            Partial first = new Partial(begun, time);
            first.packets = 1;
            counted.windows.addLast(first);
        }
        counted.since = (counted.since + 1) % size.slide();
        Partial oldest = counted.windows.peekFirst();
        if (oldest != null && oldest.packets == size.size()) {
            counted.windows.removeFirst();
            emit(of, oldest.accumulator, oldest.start, EventOrder.plus(time, 1));
        }
        if (entry == KeyedTable.NONE) {
            groups().add(of, counted);
        } else {
            recount(entry);
        }
    }

    @Override
    OpenFiring.OpenGroups open() {
        return new OpenFiring.OpenGroups() {
            @Override
            public int limit() {
                return groups().limit();
            }

            @Override
            public int windows(int entry) {
                Counted counted = groups().get(entry);
                return counted == null ? 0 : counted.windows.size();
            }

            @Override
            public void row(int entry, int k) throws Exception {
                Iterator<Partial> each = groups().get(entry).windows.iterator();
                for (int left = k; left > 0; left--) {
                    each.next();
                }
                Partial window = each.next();
                emit(entry, window.accumulator, window.start, ordered().input().watermark());
            }

            @Override
            public void close(int entry) {
                groups().remove(entry);
            }
        };
    }

    private record Format(Aggregation aggregation) implements ValueFormat<Counted> {
        @Override
        public String schema() {
            return "windows of accumulator" + aggregation.schema();
        }

        @Override
        public void write(Counted value, DataOutput out) throws IOException {
            out.writeLong(value.since);
            out.writeInt(value.windows.size());
            for (Partial each : value.windows) {
                out.writeLong(each.start);
                out.writeLong(each.packets);
                aggregation.write(each.accumulator, out);
            }
        }

        @Override
        public Counted read(DataInput in) throws IOException {
            Counted value = new Counted();
            value.since = in.readLong();
            for (int left = in.readInt(); left > 0; left--) {
                long start = in.readLong();
                long packets = in.readLong();
                Partial window = new Partial(aggregation.read(in), start);
                window.packets = packets;
                value.windows.addLast(window);
            }
            return value;
        }

        /** The oldest window has all packets of the others. */
        @Override
        public Held held(Counted value) {
            return value.windows.isEmpty() ? Held.NONE : new Held(value.windows.peekFirst().packets, value.windows.size());
        }

        @Override
        public long bytes(Counted value) {
            return value.bytes();
        }
    }
}
