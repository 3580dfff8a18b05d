package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.Points;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import java.util.List;

/**
 * A row for each group at points of equal distance, from the first point at or after its first packet on. The rows between two
 * packets leave when the watermark has passed the second of them, that of a point at a packet when it has passed the packet. A
 * group whose next packet does not come in time ends: then the rows after its last packet leave, it is forgotten, and it begins
 * anew with its next packet. If groups do not end, one has rows up to its last packet, and is never forgotten. Ports: in; out,
 * late.
 *
 * <p>All groups end after the same time, so they do in the order of their last packets. A row that has not left is at most as far
 * behind the watermark, and the outputs are told a watermark that is.
 */
public final class Resample implements OrderedOperator {
    /**
     * What a row may be made of besides the packets: the point, whether a packet is at it, how long before it the last packet
     * was, and from that one to the next (microseconds), and which part of that time has passed.
     */
    public static final Schema POINT = Schema.of(new Column("at", Type.Simple.TIMESTAMP, false),
            new Column("exact", Type.Simple.BOOLEAN, false), new Column("age", Type.Simple.BIGINT, false),
            new Column("gap", Type.Simple.BIGINT, false), new Column("part", Type.Simple.DOUBLE, false));
    /** The same if groups end: where there is no next packet, {@code gap} and {@code part} are NULL. */
    public static final Schema POINT_OF_ENDING = new Schema(POINT.columns().stream()
            .map(c -> new Column(c.name(), c.type(), POINT.indexOf(c.name()) >= POINT.indexOf("gap"))).toList());

    /**
     * The points and their rows.
     *
     * @param row   over (the last packet at or before the point, the first after it, {@link #POINT}); at a packet, the last of
     *              its time is both. If groups end, over (the last packet, the next one with all columns nullable,
     *              {@link #POINT_OF_ENDING})
     * @param reads ordinals of the columns that {@code row} reads of either packet: the last one may be both
     */
    public record Options(Keys keys, Points points, Compiled<Projection> row, List<Integer> reads) {
        public Options {
            reads = List.copyOf(reads);
        }
    }

    private final EventOrder order;
    private final Options options;
    private final Points points;

    private OperatorContext context;
    private Ordered ordered;
    private KeyReader keys;
    private PointRows rows;
    private SampledGroups groups;
    /** By clock, groups whose last packet is at a point that has no row yet. */
    private final EntryQueues exact = new EntryQueues();
    /** If groups end: by clock, all groups by their last packets. */
    private final EntryQueues ending = new EntryQueues();
    private final EndOfClocks atEnd;

    /** @param order of the input's packets */
    public Resample(EventOrder order, Options options) {
        this.order = order;
        this.options = options;
        points = options.points();
        atEnd = new EndOfClocks(points.groupsEnd() ? ending : exact, clock -> pass(clock, Long.MAX_VALUE));
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        keys = new KeyReader(options.keys(), opened.instance());
        rows = new PointRows(opened, options);
        groups = new SampledGroups("groups", opened.input(0), options.keys(), options.reads());
        OperatorState state = new OperatorState(opened).with(groups.state()).counting(() -> exact.bytes() + ending.bytes());
        ordered = new Ordered(opened, new Ordered.Packets(order, options.keys(), keys), state, this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public long reach() {
        return points.groupsEnd() ? EventOrder.plus(points.endsAfter(), 1) : 1;
    }

    @Override
    public long outputWatermark(long watermark) {
        return !points.groupsEnd() || watermark == Long.MAX_VALUE ? watermark : EventOrder.plus(watermark, -points.endsAfter());
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        boolean done = true;
        while (done && input.isReady()) {
            long time = input.headTime();
            done = giveDue(time) && context.hasRoom() && take(input.head(), time);
            if (done) {
                input.dropHead();
            }
        }
        return done && giveDue(input.watermark());
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
            begin(key, packet, time);
            return true;
        }
        groups.look(entry);
        long since = groups.since();
        long next = groups.next();
        if (next < time) {
            Packet before = groups.last();
            rows.between(before, packet);
            while (next < time) {
                if (!context.hasRoom()) {
                    groups.keep(entry, key, before, since, next);
                    return false;
                }
                rows.write(next, since, time);
                next = points.after(next);
            }
        }
        if (groups.keep(entry, key, packet, time, next)) {
            ordered.report();
        }
        if (next == time && since < time) {
            exact.add(ordered.clock(), entry);
        }
        if (points.groupsEnd() && since < time) {
            ending.remove(entry);
            ending.add(ordered.clock(), entry);
        }
        return true;
    }

    private void begin(Packet key, Packet packet, long time) {
        long next = points.from(time);
        groups.keep(KeyedTable.NONE, key, packet, time, next);
        int entry = groups.find(key);
        if (next == time) {
            exact.add(ordered.clock(), entry);
        }
        if (points.groupsEnd()) {
            ending.add(ordered.clock(), entry);
        }
        ordered.report();
    }

    /** Gives the rows of points at packets that {@code time} has passed, and those of groups that have ended by then. */
    @Override
    public boolean giveDue(long time) throws Exception {
        return time == Long.MAX_VALUE ? atEnd.give() : pass(ordered.clock(), time);
    }

    private boolean pass(int clock, long time) throws Exception {
        return giveExact(clock, time) && end(clock, time);
    }

    private boolean giveExact(int clock, long time) throws Exception {
        for (int entry = exact.first(clock); entry != EntryQueues.NONE; entry = exact.first(clock)) {
            groups.look(entry);
            long since = groups.since();
            if (!EventOrder.passed(time, since)) {
                return true;
            }
            if (!context.hasRoom()) {
                return false;
            }
            exact.remove(entry);
            Packet at = groups.last();
            rows.between(at, at);
            rows.write(since, since, since);
            groups.keep(entry, at, since, points.after(since));
        }
        return true;
    }

    private boolean end(int clock, long time) throws Exception {
        for (int entry = ending.first(clock); entry != EntryQueues.NONE; entry = ending.first(clock)) {
            groups.look(entry);
            long since = groups.since();
            long end = points.end(since);
            if (!EventOrder.passed(time, end)) {
                return true;
            }
            Packet before = groups.last();
            rows.between(before, null);
            for (long next = groups.next(); next <= end; next = points.after(next)) {
                if (!context.hasRoom()) {
                    groups.keep(entry, before, since, next);
                    return false;
                }
                rows.write(next, since, PointRows.NONE);
            }
            ending.remove(entry);
            groups.remove(entry);
        }
        return true;
    }

    /** A group whose last packet is at a point without a row, or which has points to come: that packet stands for them. */
    @Override
    public Held held() {
        long due = 0;
        for (int entry = 0; entry < groups.limit(); entry++) {
            if (groups.look(entry) && (points.groupsEnd() || groups.since() == groups.next())) {
                due++;
            }
        }
        return OrderedOperator.super.held().plus(Held.waiting(due));
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        exact.restore(groups.limit(), entry -> groups.look(entry) && groups.since() == groups.next(),
                this::since, this::clockOf);
        ending.restore(groups.limit(), entry -> points.groupsEnd() && groups.look(entry), this::since, this::clockOf);
    }

    private long since(int entry) {
        groups.look(entry);
        return groups.since();
    }

    private int clockOf(int entry) {
        return ordered.clockOf(groups.key(entry));
    }
}
