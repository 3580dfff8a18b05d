package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.EndOfClocks;
import io.despina.operator.InOrder;
import io.despina.operator.InOrderInputs;
import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.LastPackets;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.util.List;

/**
 * A row for each group at points of equal distance, from the first point at or after its first packet to the last one at or
 * before its last packet. The rows between two packets leave when the watermark has passed the second of them, that of a point at
 * a packet when it has passed the packet. Ports: in; out, late. A group is never forgotten.
 */
public final class Resample implements Operator {
    /**
     * What a row may be made of besides the packets: the point, whether a packet is at it, how long before it the last packet
     * was, and from that one to the next (microseconds), and which part of that time has passed.
     */
    public static final Schema POINT = Schema.of(new Column("at", Type.Simple.TIMESTAMP, false),
            new Column("exact", Type.Simple.BOOLEAN, false), new Column("age", Type.Simple.BIGINT, false),
            new Column("gap", Type.Simple.BIGINT, false), new Column("part", Type.Simple.DOUBLE, false));

    /**
     * The points and their rows.
     *
     * @param every from one point to the next, in microseconds
     * @param offset one of the points
     * @param row   over (the last packet at or before the point, the first after it, {@link #POINT}); at a packet, the last of
     *              its time is both
     * @param reads ordinals of the columns that {@code row} reads of the first
     */
    public record Options(Keys keys, long every, long offset, Compiled<Projection> row, List<Integer> reads) {
        public Options {
            reads = List.copyOf(reads);
        }
    }

    /** Own columns of what is kept: the last packet's time, and the first point without a row. */
    private static final int SINCE = 0;
    private static final int NEXT = 1;

    private final EventOrder order;
    private final Options options;

    private OperatorContext context;
    private Output out;
    private InOrder ordered;
    private KeyReader keys;
    private Projection row;
    private LastPackets last;
    private KeyedPackets groups;
    /** By clock, groups whose last packet is at a point that has no row yet. */
    private final EntryQueues exact = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(exact, clock -> emitExact(clock, Long.MAX_VALUE));
    private OperatorState state;

    private ScratchPacket scratch;
    private Packet view;
    private Packet keyView;
    private final ScratchPacket point = new ScratchPacket(POINT.layout());
    private final Packet[] three = new Packet[3];

    /** @param order of the input's packets */
    public Resample(EventOrder order, Options options) {
        this.order = order;
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        keys = new KeyReader(options.keys(), opened.instance());
        row = options.row().instance(opened.instance());
        Schema input = opened.input(0);
        ordered = InOrderInputs.open(opened, order, options.keys(), keys, this::takeReady);
        Schema own = LastPackets.own(input, Type.Simple.BIGINT, Type.Simple.BIGINT);
        last = new LastPackets(input, own, options.reads());
        Schema kept = last.kept(own);
        scratch = new ScratchPacket(kept.layout());
        view = new Packet(kept.layout());
        keyView = new Packet(options.keys().schema().layout());
        groups = new KeyedPackets("groups", options.keys().schema(), options.keys().dealing(), kept);
        state = new OperatorState(opened).with(groups).with(ordered.states()).counting(exact::bytes);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        ordered.accept(packets);
        state.report();
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = ordered.timer(micros, 1);
        state.report();
        return done;
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        ordered.watermark(watermark);
        boolean done = takeReady();
        state.report();
        return done;
    }

    private boolean takeReady() throws Exception {
        boolean done = true;
        while (done && ordered.isReady()) {
            long time = ordered.headTime();
            done = emitExact(time) && context.hasRoom() && take(ordered.head(), time);
            if (done) {
                ordered.dropHead();
            }
        }
        return done && emitExact(ordered.watermark());
    }

    /** @return false if there was no room for all rows before the packet: it must be taken again */
    private boolean take(Packet packet, long time) throws Exception {
        Packet key;
        try {
            key = keys.of(packet);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return true;
        }
        int entry = groups.find(key);
        if (entry == KeyedTable.NONE) {
            long next = firstFrom(time);
            keep(entry, key, packet, time, next);
            if (next == time) {
                exact.add(ordered.clock(), groups.find(key));
            }
            state.report();
            return true;
        }
        groups.view(entry, view);
        long since = view.getLong(SINCE);
        long next = view.getLong(NEXT);
        if (next < time) {
            three[0] = last.of(view);
            three[1] = packet;
            while (next < time) {
                if (!context.hasRoom()) {
                    keep(entry, key, three[0], since, next);
                    return false;
                }
                emit(next, since, time);
                next = EventOrder.plus(next, options.every());
            }
        }
        if (keep(entry, key, packet, time, next)) {
            state.report();
        }
        if (next == time && since < time) {
            exact.add(ordered.clock(), entry);
        }
        return true;
    }

    private long firstFrom(long time) {
        long past = Math.floorMod(Math.floorMod(time, options.every()) - Math.floorMod(options.offset(), options.every()),
                options.every());
        return past == 0 ? time : EventOrder.plus(time, options.every() - past);
    }

    private boolean keep(int entry, Packet key, Packet packet, long since, long next) {
        PacketWriter writer = scratch.begin();
        writer.setLong(SINCE, since);
        writer.setLong(NEXT, next);
        last.keep(packet, writer);
        scratch.commit();
        return groups.put(entry, key, scratch);
    }

    /**
     * Gives the rows of points at packets that {@code time} has passed.
     *
     * @return false if there is no room
     */
    private boolean emitExact(long time) throws Exception {
        return time == Long.MAX_VALUE ? atEnd.give() : emitExact(ordered.clock(), time);
    }

    private boolean emitExact(int clock, long time) throws Exception {
        for (int entry = exact.first(clock); entry != EntryQueues.NONE; entry = exact.first(clock)) {
            groups.view(entry, view);
            long since = view.getLong(SINCE);
            if (!EventOrder.passed(time, since)) {
                return true;
            }
            if (!context.hasRoom()) {
                return false;
            }
            exact.remove(entry);
            three[0] = last.of(view);
            three[1] = three[0];
            emit(since, since, since);
            groups.key(entry, keyView);
            keep(entry, keyView, three[0], since, EventOrder.plus(since, options.every()));
        }
        return true;
    }

    /** @param from the time of the last packet, @param to of the next one */
    private void emit(long at, long from, long to) throws Exception {
        PacketWriter writer = point.begin();
        writer.setLong(0, at);
        writer.setBoolean(1, at == from);
        writer.setLong(2, at - from);
        writer.setLong(3, to - from);
        writer.setDouble(4, at == from ? 0 : (double) (at - from) / (to - from));
        three[2] = point.commit();
        try {
            PacketWriter written = out.writer().begin();
            row.apply(three, written);
            written.commit();
        } catch (RuntimeException bad) {
            context.badRecord("a point: " + Reason.of(bad), "");
        }
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        ordered.restored();
        atEnd.restored();
        exact.restore(groups.limit(), entry -> groups.view(entry, view) && view.getLong(SINCE) == view.getLong(NEXT), entry -> {
            groups.view(entry, view);
            return view.getLong(SINCE);
        }, entry -> {
            groups.key(entry, keyView);
            return ordered.clockOf(keyView);
        });
    }
}
