package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.WindowFacts;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Aggregates over windows of a value that grows, group by group. A packet whose value is at a window's end or beyond ends it: its
 * row leaves before the packet is taken. A packet whose windows have all ended is late. The end of the stream ends all windows.
 */
public final class ProgressAggregate extends PacketWindows<ProgressAggregate.Progress> {
    /** Of {@link Values#whole}. */
    private static final Schema VALUE = Schema.of(new Column("value", Type.Simple.BIGINT, true));

    /**
     * By what packets are in windows.
     *
     * @param whole   a packet to a BIGINT, or NULL
     * @param windows of values
     */
    public record Values(Compiled<Projection> whole, Windows windows) {
    }

    /** What is kept of a group: the windows that have begun and not ended, in their order. */
    static final class Progress {
        private static final int OBJECT_BYTES = 64;

        private long greatest = Long.MIN_VALUE;
        /** Event time of the packet taken last. */
        private long last;
        private final List<Open> windows = new ArrayList<>();

        long bytes() {
            long bytes = OBJECT_BYTES;
            for (Open each : windows) {
                bytes += OBJECT_BYTES + each.accumulator.bytes();
            }
            return bytes;
        }
    }

    private static final class Open {
        final long from;
        final Accumulator accumulator;
        /** Event time of its first packet. */
        final long since;
        /** Those that are in no later window. No part of a snapshot. */
        long packets;

        Open(long from, Accumulator accumulator, long since) {
            this.from = from;
            this.accumulator = accumulator;
            this.since = since;
        }
    }

    private final Windows windows;
    private final Compiled<Projection> compiled;
    private final WindowFacts facts = new WindowFacts();
    private final ScratchPacket scratch = new ScratchPacket(VALUE.layout());
    private final Packet[] inputs = new Packet[1];
    private Projection whole;
    /** Whether a packet is checked against all its windows before it is added to any. */
    private boolean tries;

    /**
     * @param order of the input's packets
     * @param keys  of the groups
     */
    public ProgressAggregate(EventOrder order, Values values, Keys keys, Compiled<Aggregation> compiled) {
        super(new Aggregated(order, keys, compiled));
        windows = values.windows;
        this.compiled = values.whole;
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        whole = compiled.instance(opened.instance());
        tries = goesOn() && windows.overlap() > 1 && aggregation().mayOverflow();
    }

    @Override
    ValueFormat<Progress> format(Aggregation aggregation) {
        return new Format(aggregation);
    }

    /** The packet's value as a packet, until the next call. */
    private Packet value(Packet packet) {
        inputs[0] = packet;
        whole.apply(inputs, scratch.begin());
        return scratch.commit();
    }

    /** Ends windows. What is wrong with the packet is reported when it is taken. */
    @Override
    boolean leaveBefore(Packet packet, long time) throws Exception {
        if (!hasRoomForLate()) {
            return false;
        }
        Packet of;
        long reached;
        try {
            Packet value = value(packet);
            if (value.isNull(0)) {
                return true;
            }
            reached = value.getLong(0);
            of = key(packet);
        } catch (RuntimeException bad) {
            return true;
        }
        int entry = groups().find(of);
        if (entry == KeyedTable.NONE || !hasWindows(reached)) {
            return true;
        }
        Progress progress = groups().edit(entry);
        progress.greatest = Math.max(progress.greatest, reached);       // a window that has ended must not begin again
        return end(entry, of, reached, EventOrder.plus(time, 1));
    }

    private boolean hasWindows(long value) {
        return value >= windows.earliest() && value <= windows.latest();
    }

    /** Writes the rows of windows that end at {@code reached} or before; false if there is no room. */
    private boolean end(int entry, Packet of, long reached, long end) throws Exception {
        List<Open> open = groups().get(entry).windows;
        while (!open.isEmpty() && open.get(0).from + windows.size() <= reached) {
            if (!hasRoom()) {
                return false;
            }
            leave(of, open.get(0), end);
            open = groups().edit(entry).windows;
            open.remove(0);
            recount(entry);
        }
        return true;
    }

    private void leave(Packet of, Open window, long end) throws Exception {
        facts.set(window.since, end);
        facts.from = window.from;
        facts.to = window.from + windows.size();
        emit(of, window.accumulator, facts);
    }

    @Override
    void take(Packet packet, long time) throws Exception {
        Packet value = value(packet);
        if (value.isNull(0)) {
            return;
        }
        long reached = value.getLong(0);
        if (!hasWindows(reached)) {
            throw new ArithmeticException("a window of its value " + reached + " lies partly outside of what a BIGINT holds");
        }
        Packet of = key(packet);
        int entry = groups().find(of);
        Progress progress = entry == KeyedTable.NONE ? new Progress() : groups().edit(entry);
        if (windows.lastStart(reached) + windows.size() <= progress.greatest) {
            late(packet);
            return;
        }
        add(progress, packet, reached, time);
        progress.greatest = Math.max(progress.greatest, reached);
        progress.last = time;
        if (entry == KeyedTable.NONE) {
            groups().add(of, progress);
        } else {
            recount(entry);
        }
    }

    /** Adds the packet to its windows that have not ended; none if one of them refuses it. */
    private void add(Progress progress, Packet packet, long value, long time) {
        long first = windows.lastStart(value);
        List<Open> begun = new ArrayList<>();
        for (long from = first; from + windows.size() > Math.max(value, progress.greatest); from -= windows.slide()) {
            int at = find(progress.windows, from);
            if (at < 0) {
                Accumulator created = aggregation().create();
                aggregation().update(created, packet);
                begun.add(0, new Open(from, created, time));
            } else if (tries) {
                aggregation().check(progress.windows.get(at).accumulator, packet);
            }
            if (from < Long.MIN_VALUE + windows.slide()) {
                break;
            }
        }
        for (Open each : progress.windows) {
            if (each.from <= value && each.from + windows.size() > value) {
                update(each.accumulator, packet);
            }
        }
        for (Open each : begun) {
            progress.windows.add(-1 - find(progress.windows, each.from), each);
        }
        int last = find(progress.windows, first);
        if (last >= 0) {
            progress.windows.get(last).packets++;
        }
    }

    /** The index of the window that begins there, or where it would go, negative and less 1. */
    private static int find(List<Open> open, long from) {
        int at = open.size();
        while (at > 0 && open.get(at - 1).from > from) {
            at--;
        }
        return at > 0 && open.get(at - 1).from == from ? at - 1 : -1 - at;
    }

    @Override
    OpenFiring.OpenGroups open() {
        Packet of = new Packet(keySchema().layout());
        return new OpenFiring.OpenGroups() {
            @Override
            public int limit() {
                return groups().limit();
            }

            @Override
            public int windows(int entry) {
                Progress progress = groups().get(entry);
                return progress == null ? 0 : progress.windows.size();
            }

            @Override
            public void row(int entry, int k) throws Exception {
                Progress progress = groups().get(entry);
                groups().key(entry, of);
                leave(of, progress.windows.get(k), EventOrder.plus(progress.last, 1));
            }

            @Override
            public void close(int entry) {
                groups().edit(entry).windows.clear();       // how far the value has come stays
                recount(entry);
            }
        };
    }

    /** Only the end of the stream ends windows without a packet. */
    @Override
    public boolean giveDue(long time) throws Exception {
        if (time != Long.MAX_VALUE) {
            return true;
        }
        Packet of = new Packet(keySchema().layout());
        for (int entry = 0; entry < groups().limit(); entry++) {
            Progress progress = groups().get(entry);
            if (progress != null && !progress.windows.isEmpty()) {
                groups().key(entry, of);
                if (!end(entry, of, Long.MAX_VALUE, EventOrder.plus(progress.last, 1))) {
                    return false;
                }
            }
        }
        return true;
    }

    private record Format(Aggregation aggregation) implements ValueFormat<Progress> {
        @Override
        public String schema() {
            return "windows over a value, of accumulator" + aggregation.schema();
        }

        @Override
        public void write(Progress value, DataOutput out) throws IOException {
            out.writeLong(value.greatest);
            out.writeLong(value.last);
            out.writeInt(value.windows.size());
            for (Open each : value.windows) {
                out.writeLong(each.from);
                out.writeLong(each.since);
                aggregation.write(each.accumulator, out);
            }
        }

        @Override
        public Progress read(DataInput in) throws IOException {
            Progress value = new Progress();
            value.greatest = in.readLong();
            value.last = in.readLong();
            for (int left = in.readInt(); left > 0; left--) {
                long from = in.readLong();
                long since = in.readLong();
                Open window = new Open(from, aggregation.read(in), since);
                window.packets = 1;
                value.windows.add(window);
            }
            return value;
        }

        @Override
        public Held held(Progress value) {
            return new Held(value.windows.stream().mapToLong(each -> each.packets).sum(), value.windows.size());
        }

        @Override
        public long bytes(Progress value) {
            return value.bytes();
        }
    }
}
