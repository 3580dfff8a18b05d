package io.despina.operator.keyed;

import io.despina.operator.EndOfClocks;
import io.despina.operator.InOrder;
import io.despina.operator.InOrderInputs;
import io.despina.operator.KeyReader;
import io.despina.operator.LastPackets;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.Points;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.util.List;

/**
 * The rows of a {@link Resample} whose groups end, where no row depends on the next packet: each leaves as the watermark passes
 * its point. Ports: in; out, late.
 *
 * <p>A group is kept while it has a point to come. Packets are taken in event order, after the rows of all points before them. So
 * the next point is the same for all groups of a clock, and a group whose row has left goes to the end of the queue.
 */
public final class TimelyResample implements Operator {
    /** Own columns of what is kept: the last packet's time, and the first point without a row. */
    private static final int SINCE = 0;
    private static final int NEXT = 1;

    private final EventOrder order;
    private final Resample.Options options;
    private final Points points;

    private OperatorContext context;
    private InOrder ordered;
    private KeyReader keys;
    private PointRows rows;
    private LastPackets last;
    private KeyedPackets groups;
    /** By clock, all groups by their next points. */
    private final EntryQueues waiting = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(waiting, clock -> give(clock, Long.MAX_VALUE));
    private OperatorState state;

    private ScratchPacket scratch;
    private Packet view;
    private Packet keyView;

    /**
     * @param order   of the input's packets
     * @param options of points where groups end; the row reads nothing of the next packet, nor where it is
     */
    public TimelyResample(EventOrder order, Resample.Options options) {
        this.order = order;
        this.options = options;
        points = options.points();
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        keys = new KeyReader(options.keys(), opened.instance());
        rows = new PointRows(opened, options);
        Schema input = opened.input(0);
        ordered = InOrderInputs.open(opened, order, options.keys(), keys, this::takeReady);
        Schema own = LastPackets.own(input, Type.Simple.BIGINT, Type.Simple.BIGINT);
        last = new LastPackets(input, own, options.reads());
        Schema kept = last.kept(own);
        scratch = new ScratchPacket(kept.layout());
        view = new Packet(kept.layout());
        keyView = new Packet(options.keys().schema().layout());
        groups = new KeyedPackets("open_groups", options.keys().schema(), options.keys().dealing(), kept);
        state = new OperatorState(opened).with(groups).with(ordered.states()).counting(waiting::bytes);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        ordered.accept(packets);
        state.report();
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = ordered.timer(micros, EventOrder.plus(points.endsAfter(), 1));
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
            done = give(time) && context.hasRoom();
            if (done) {
                take(ordered.head(), time);
                ordered.dropHead();
            }
        }
        return done && give(ordered.watermark());
    }

    private void take(Packet packet, long time) throws Exception {
        long next = points.from(time);
        boolean grown = false;
        try {
            Packet key = keys.of(packet);
            int entry = groups.find(key);
            if (entry != KeyedTable.NONE) {
                grown = keep(entry, key, packet, time, next);
            } else if (next <= points.end(time)) {
                keep(KeyedTable.NONE, key, packet, time, next);
                waiting.add(ordered.clock(), groups.find(key));
                grown = true;
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        if (grown) {
            state.report();
        }
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
     * Gives the rows of points that {@code time} has passed; at the end of the input those of all clocks.
     *
     * @return false if there is no room
     */
    private boolean give(long time) throws Exception {
        return time == Long.MAX_VALUE ? atEnd.give() : give(ordered.clock(), time);
    }

    private boolean give(int clock, long time) throws Exception {
        for (int entry = waiting.first(clock); entry != EntryQueues.NONE; entry = waiting.first(clock)) {
            groups.view(entry, view);
            long at = view.getLong(NEXT);
            if (!EventOrder.passed(time, at)) {
                return true;
            }
            if (!context.hasRoom()) {
                return false;
            }
            long since = view.getLong(SINCE);
            Packet before = last.of(view);
            rows.between(before, null);
            rows.write(at, since, PointRows.NONE);
            waiting.remove(entry);
            if (points.after(at) > points.end(since)) {
                groups.remove(entry);
            } else {
                groups.key(entry, keyView);
                keep(entry, keyView, before, since, points.after(at));
                waiting.add(clock, entry);
            }
        }
        return true;
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        ordered.restored();
        atEnd.restored();
        waiting.restore(groups.limit(), entry -> groups.view(entry, view), entry -> {
            groups.view(entry, view);
            return view.getLong(NEXT);
        }, entry -> {
            groups.key(entry, keyView);
            return ordered.clockOf(keyView);
        });
    }
}
