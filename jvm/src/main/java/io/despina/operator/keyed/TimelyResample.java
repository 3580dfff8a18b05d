package io.despina.operator.keyed;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Packet;
import io.despina.spec.Points;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedTable;

/**
 * The rows of a {@link Resample} whose groups end, where no row depends on the next packet: each leaves as the watermark passes
 * its point. Ports: in; out, late.
 *
 * <p>A group is kept while it has a point to come. Packets are taken in event order, after the rows of all points before them. So
 * the next point is the same for all groups of a clock, and a group whose row has left goes to the end of the queue.
 */
public final class TimelyResample implements OrderedOperator {
    private final EventOrder order;
    private final Resample.Options options;
    private final Points points;

    private OperatorContext context;
    private Ordered ordered;
    private KeyReader keys;
    private PointRows rows;
    private SampledGroups groups;
    /** By clock, all groups by their next points. */
    private final EntryQueues waiting = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(waiting, clock -> give(clock, Long.MAX_VALUE));

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
        groups = new SampledGroups("open_groups", opened.input(0), options.keys(), options.reads());
        ordered = new Ordered(opened, new Ordered.Packets(order, options.keys(), keys),
                new OperatorState(opened).with(groups.state()).counting(waiting::bytes), this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public long reach() {
        return EventOrder.plus(points.endsAfter(), 1);
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        boolean done = true;
        while (done && input.isReady()) {
            long time = input.headTime();
            done = giveDue(time) && context.hasRoom();
            if (done) {
                take(input.head(), time);
                input.dropHead();
            }
        }
        return done && giveDue(input.watermark());
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
            ordered.report();
        }
    }

    /** Gives the rows of points that {@code time} has passed; at the end of the input those of all clocks. */
    @Override
    public boolean giveDue(long time) throws Exception {
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

    /** A group has points to come: its last packet stands for them. */
    @Override
    public Held held() {
        return OrderedOperator.super.held().plus(Held.waiting(groups.size()));
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        waiting.restore(groups.limit(), groups::look, entry -> {
            groups.look(entry);
            return groups.next();
        }, entry -> ordered.clockOf(groups.key(entry)));
    }
}
