package io.despina.operator.keyed;

import io.despina.operator.EndOfClocks;
import io.despina.operator.InOrder;
import io.despina.operator.InOrderInputs;
import io.despina.operator.KeyReader;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Points;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
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
    private final EventOrder order;
    private final Resample.Options options;
    private final Points points;

    private OperatorContext context;
    private InOrder ordered;
    private KeyReader keys;
    private PointRows rows;
    private SampledGroups groups;
    /** By clock, all groups by their next points. */
    private final EntryQueues waiting = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(waiting, clock -> give(clock, Long.MAX_VALUE));
    private OperatorState state;

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
        ordered = InOrderInputs.open(opened, order, options.keys(), keys, this::takeReady);
        groups = new SampledGroups("open_groups", opened.input(0), options.keys(), options.reads());
        state = new OperatorState(opened).with(groups.state()).with(ordered.states()).counting(waiting::bytes);
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
                grown = groups.keep(entry, key, packet, time, next);
            } else if (next <= points.end(time)) {
                groups.keep(KeyedTable.NONE, key, packet, time, next);
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
            groups.look(entry);
            long at = groups.next();
            if (!EventOrder.passed(time, at)) {
                return true;
            }
            if (!context.hasRoom()) {
                return false;
            }
            long since = groups.since();
            Packet before = groups.last();
            rows.between(before, null);
            rows.write(at, since, PointRows.NONE);
            waiting.remove(entry);
            if (points.after(at) > points.end(since)) {
                groups.remove(entry);
            } else {
                groups.keep(entry, before, since, points.after(at));
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
        waiting.restore(groups.limit(), groups::look, entry -> {
            groups.look(entry);
            return groups.next();
        }, entry -> ordered.clockOf(groups.key(entry)));
    }
}
