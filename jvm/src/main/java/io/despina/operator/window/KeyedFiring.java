package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Aggregation;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.DueClock;
import io.despina.operator.order.DueClocks;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Window;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import java.util.List;

/**
 * Aggregates over windows that fire more than once like {@link Firing}, where each key has a clock of its own
 * ({@link DueClocks}). A packet is judged by its key's clock, then added, and then moves that clock. The rows that it gives at
 * once leave first, then those of the key's groups that are due by the clock. A bad record moves no clock. The
 * only watermark that comes is that of the end of the input.
 */
abstract class KeyedFiring implements Operator, DueClocks.DueGroups {
    private final Firing.Inputs inputs;
    private final Times times;
    /** How far beyond a packet its windows may be kept. */
    private final long reach;

    private OperatorContext context;
    private LatePort late;
    private KeyReader key;
    private Aggregation aggregation;
    private FiredRows rows;
    private DueClocks clocks;
    private KeyedTable<FiredWindows> groups;
    private OperatorState state;
    private Packet group;
    /** The group of the packet taken last, if that gives rows at once which have not left. */
    private int giving = KeyedTable.NONE;

    /**
     * When windows fire, in microseconds.
     *
     * @param length from a tumbling or sliding window's start, or a session's last packet, to its end
     * @param every  and the others: as of {@link Window.Fired}
     */
    record Times(long length, long every, boolean onChange, long lateWithin) {
        boolean isOver(FiredWindows.Span window, long watermark) {
            return end(window) + lateWithin <= watermark;
        }

        long end(FiredWindows.Span window) {
            return window.last + length;
        }

        /** When a window next gives a row. */
        long due(FiredWindows of, FiredWindows.Span window) {
            return window.group.hasChanged() ? Math.min(of.early, end(window)) : end(window) + lateWithin;
        }

        /** The same of the first of a group's windows. */
        long due(FiredWindows of) {
            long first = NEVER;
            for (int k = 0; k < of.open.size(); k++) {
                first = Math.min(first, due(of, of.open.get(k)));
            }
            return first;
        }

        /** When windows that change by that watermark give a row before their ends. */
        long early(long watermark) {
            if (onChange) {
                return Long.MIN_VALUE;
            }
            if (every == NEVER) {
                return NEVER;
            }
            return watermark == Long.MIN_VALUE ? watermark
                    : EventOrder.plus(watermark, every - Math.floorMod(watermark, every));
        }
    }

    /** @param inputs whose keys have clocks */
    KeyedFiring(Firing.Inputs inputs, Times times) {
        this.inputs = inputs;
        this.times = times;
        reach = EventOrder.plus(times.length, times.lateWithin);
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        late = new LatePort(opened, opened.input(0));
        key = new KeyReader(inputs.keys(), opened.instance());
        aggregation = inputs.compiled().instance(opened.instance());
        rows = new FiredRows(opened, aggregation);
        group = new Packet(inputs.keys().schema().layout());
        clocks = new DueClocks(inputs.keys().clocks(), this, opened);
        groups = new KeyedTable<>("windows", inputs.keys().schema(), inputs.keys().dealing(),
                new FiredWindows.Format(aggregation));
        state = new OperatorState(opened).with(clocks.state(), groups);
    }

    /**
     * The end of the last window that takes a packet; throws if the windows of that time lie outside of what a TIMESTAMP holds.
     *
     * @param of the windows of its group; null if there are none
     */
    abstract long lastEnd(FiredWindows of, long time);

    /** Adds a packet to its windows that have not given their last rows. */
    abstract void add(FiredWindows to, Packet packet, long time);

    final OperatorContext context() {
        return context;
    }

    final Aggregation aggregation() {
        return aggregation;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        long now = clocks.hear();
        Packet packet;
        while (context.hasRoom() && late.hasRoom() && (packet = packets.next()) != null) {
            boolean taken = giving != KeyedTable.NONE || clocks.isGiving();
            if (!taken && !packet.isNull(inputs.timeColumn())) {
                tryTake(packet, packet.getLong(inputs.timeColumn()), now);
            }
            if (!giveAtOnce() || !clocks.give()) {
                packets.unread();       // it has been taken; so this is called again
                break;
            }
        }
        state.report();
    }

    private void tryTake(Packet packet, long time, long now) throws Exception {
        try {
            if (time >= Long.MAX_VALUE - reach) {
                throw WindowStarts.outside(time);
            }
            take(packet, time, now);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    private void take(Packet packet, long time, long now) throws Exception {
        Packet of = key.of(packet);
        int entry = groups.find(of);
        FiredWindows there = entry == KeyedTable.NONE ? null : groups.get(entry);
        DueClock clock = there == null ? clocks.of(packet) : there.clock;
        clock.hear(now);
        long watermark = clock.watermark();
        if (lastEnd(there, time) + times.lateWithin <= watermark) {
            late.write(packet);
            return;
        }
        FiredWindows to = there == null ? new FiredWindows() : groups.edit(entry);
        to.clock = clock;
        if (to.early <= watermark) {
            to.early = times.early(watermark);
        }
        add(to, packet, time);
        to.due = times.due(to);
        if (there == null) {
            entry = groups.add(of, to);
            clocks.add(clock, entry);
        } else {
            groups.recount(entry);
        }
        if (to.due <= watermark) {
            giving = entry;
        } else {
            clocks.isDue(clock, to.due);
        }
        clocks.advance(clock, time);
    }

    /** Gives the rows that a packet gives at once; false if there is no room. Its windows stay: none ends by its own packet. */
    private boolean giveAtOnce() throws Exception {
        if (giving == KeyedTable.NONE) {
            return true;
        }
        FiredWindows of = groups.get(giving);
        if (!give(giving, of.clock.watermark())) {
            return false;
        }
        clocks.isDue(of.clock, of.due);
        giving = KeyedTable.NONE;
        return true;
    }

    @Override
    public long due(int entry) {
        FiredWindows of = groups.get(entry);
        return of == null ? NEVER : of.due;
    }

    @Override
    public boolean give(int entry) throws Exception {
        return give(entry, groups.get(entry).due);
    }

    /** Gives a group's rows that are due at {@code until} or before, which its clock has reached; false if there is no room. */
    private boolean give(int entry, long until) throws Exception {
        FiredWindows of = groups.edit(entry);
        groups.key(entry, group);
        int k = 0;
        while (k < of.open.size()) {
            FiredWindows.Span window = of.open.get(k);
            if (times.due(of, window) > until) {
                k++;
                continue;
            }
            if (!context.hasRoom()) {
                groups.recount(entry);
                return false;
            }
            boolean last = times.isOver(window, of.clock.watermark());
            rows.of(window.first, times.end(window), last).write(key.forRow(group), window.group);
            if (last) {
                of.open.remove(k);
            } else {
                k++;
            }
        }
        of.due = times.due(of);
        if (of.open.isEmpty()) {
            groups.remove(entry);
        } else {
            groups.recount(entry);
        }
        return true;
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = clocks.timer(micros, reach);
        state.report();
        return done;
    }

    /** All clocks stop at the end of the input. */
    @Override
    public boolean watermark(long watermark) throws Exception {
        boolean done = watermark != Long.MAX_VALUE || clocks.end();
        state.report();
        return done;
    }

    @Override
    public final List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        clocks.restored();
        giving = KeyedTable.NONE;
        for (int entry = 0; entry < groups.limit(); entry++) {
            FiredWindows of = groups.get(entry);
            if (of != null) {
                groups.key(entry, group);
                of.clock = clocks.ofGroup(group);
                of.early = times.early(of.clock.watermark());
                of.due = times.due(of);
                clocks.add(of.clock, entry);
                clocks.isDue(of.clock, of.due);
            }
        }
    }
}
