package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.Clocks;
import io.despina.operator.IdleKeys;
import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.LatePort;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.util.List;

/**
 * Aggregates over tumbling or sliding windows like {@link WindowAggregate}, where each key has a clock of its own. A packet is
 * judged by its key's clock, then added, and then moves that clock; the windows of the key that end by it fire at once. A bad
 * record moves no clock. Watermarks do not come, but for the end of the input. Ports: in; out, late.
 */
public final class KeyedWindows implements Operator {
    /** A group's memory is measured once in so many updates, as long as no group is known to grow. */
    private static final int SAMPLE = 64;

    private final int timeColumn;
    private final Windows windows;
    private final Keys keys;
    private final Clocks clocksOf;
    private final Compiled<Aggregation> compiled;
    private final long pane;
    private final long earliest;
    private final long latest;
    private final WindowFacts facts = new WindowFacts();
    /** The distance from a packet's last window to the first that may hold it. */
    private final long reach;

    private OperatorContext context;
    private Output out;
    private LatePort late;
    private KeyReader key;
    private KeyReader clockKey;
    private Aggregation aggregation;
    /** Whether a packet is checked against all its windows before it is added to any. */
    private boolean tries;
    private boolean panes;
    private KeyedTable<GroupClock> clocks;
    private KeyedTable<WindowedGroup> groups;
    private IdleKeys idle;
    private OperatorState state;
    private Packet group;
    private boolean growing;
    private int sinceSample;
    /** The clock whose windows fire; null if none do. */
    private GroupClock firing;
    /** At the end, how many clocks have been stopped. */
    private int ended;

    /**
     * @param timeColumn ordinal of the input's event time
     * @param keys       of the groups, with clocks
     */
    public KeyedWindows(int timeColumn, Windows windows, Keys keys, Compiled<Aggregation> compiled) {
        this.timeColumn = timeColumn;
        this.windows = windows;
        this.keys = keys;
        clocksOf = keys.clocks();
        this.compiled = compiled;
        pane = windows.pane();
        earliest = windows.earliest();
        latest = windows.latest();
        reach = (windows.overlap() - 1) * windows.slide();
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        late = new LatePort(opened, opened.input(0));
        key = new KeyReader(keys, opened.instance());
        clockKey = new KeyReader(clocksOf.keys(), opened.instance());
        aggregation = compiled.instance(opened.instance());
        tries = !opened.failsOnBadRecord() && windows.overlap() > 1 && aggregation.mayOverflow();
        panes = windows.hasPanes() && !tries;
        group = new Packet(keys.schema().layout());
        clocks = new KeyedTable<>("clocks", clocksOf.keys().schema(), clocksOf.keys().dealing(), GroupClock.FORMAT);
        groups = new KeyedTable<>("windows", keys.schema(), keys.dealing(), new WindowedGroup.Format(aggregation));
        idle = new IdleKeys(opened, clocksOf.idleMicros());
        state = new OperatorState(opened).with(clocks, groups);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        long now = idle.hear();
        Packet packet;
        while (late.hasRoom() && (packet = packets.next()) != null) {
            if (firing == null && !packet.isNull(timeColumn)) {
                take(packet, packet.getLong(timeColumn), now);
            }
            if (firing != null && !fire(firing)) {
                packets.unread();       // it has been taken; so this is called again
                break;
            }
        }
        state.report();
    }

    private void take(Packet packet, long time, long now) throws Exception {
        try {
            Packet of = key.of(packet);
            int entry = groups.find(of);
            GroupClock clock = entry == KeyedTable.NONE ? clock(packet) : groups.get(entry).clock;
            clock.hear(now);
            if (time < clock.lastStart || Long.compareUnsigned(time - clock.lastStart, windows.slide()) >= 0) {
                if (time < earliest || time > latest) {
                    throw new ArithmeticException("a window of its event time, " + time + " microseconds since 1970, lies "
                            + "partly outside of what a TIMESTAMP holds");
                }
                clock.lastStart = windows.lastStart(time);
            }
            if (clock.lastStart + windows.size() <= clock.watermark()) {
                late.write(packet);
            } else {
                add(clock, entry, of, packet);
                advance(clock, time);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    /** The clock of a packet's key. */
    private GroupClock clock(Packet packet) {
        Packet of = clockKey.of(packet);
        int entry = clocks.find(of);
        if (entry != KeyedTable.NONE) {
            return clocks.get(entry);
        }
        GroupClock clock = new GroupClock(windows.lastStart(0));
        clock.entry = clocks.add(of, clock);
        return clock;
    }

    private void advance(GroupClock clock, long time) {
        if (time <= clock.greatest()) {
            return;
        }
        clocks.edit(clock.entry);
        clock.advance(time, clocksOf.watermark(time));
        if (clock.firstEnd <= clock.watermark()) {
            firing = clock;
        }
    }

    private void add(GroupClock clock, int entry, Packet of, Packet packet) {
        WindowedGroup to = entry == KeyedTable.NONE ? new WindowedGroup(clock) : groups.edit(entry);
        long time = packet.getLong(timeColumn);
        boolean grown = false;
        if (panes) {
            grown = update(to, time - (time - clock.lastStart) % pane, packet);
        } else {
            if (tries) {
                tryAll(to, packet, time);
            }
            for (long back = 0; back <= reach; back += windows.slide()) {
                if (isOpen(clock, clock.lastStart - back, time)) {
                    grown |= update(to, clock.lastStart - back, packet);
                }
            }
        }
        if (entry == KeyedTable.NONE) {
            clock.add(groups.add(of, to));
            clocks.recount(clock.entry);
        } else if (grown || growing || ++sinceSample == SAMPLE) {
            sinceSample = 0;
            growing |= groups.recount(entry) && !grown;
        }
    }

    /**
     * Throws if a window refuses the packet. The last window is not checked: it is updated first, and nothing has changed if it
     * refuses.
     */
    private void tryAll(WindowedGroup to, Packet packet, long time) {
        for (long back = windows.slide(); back <= reach; back += windows.slide()) {
            if (isOpen(to.clock, to.clock.lastStart - back, time)) {
                Accumulator accumulator = to.at(to.clock.lastStart - back);
                aggregation.check(accumulator == null ? aggregation.create() : accumulator, packet);
            }
        }
    }

    /** Whether the window that starts at {@code start} has not fired and holds {@code time}, which is not before its start. */
    private boolean isOpen(GroupClock clock, long start, long time) {
        long end = start + windows.size();
        return time < end && end > clock.watermark();
    }

    /** Adds a packet to a window or pane; whether it is a new one. */
    private boolean update(WindowedGroup to, long start, Packet packet) {
        Accumulator accumulator = to.at(start);
        if (accumulator != null) {
            if (context.failsOnBadRecord()) {
                aggregation.update(accumulator, packet);
            } else {
                aggregation.updateWhole(accumulator, packet);
            }
            return false;
        }
        Accumulator created = aggregation.create();
        aggregation.update(created, packet);
        to.add(start, created);
        to.firstEnd = Math.min(to.firstEnd, firstEnd(start, to.clock.watermark()));
        to.clock.firstEnd = Math.min(to.clock.firstEnd, to.firstEnd);
        return true;
    }

    /** The first end of a window of the pane, or of the window, after {@code fired}, up to which windows have fired. */
    private long firstEnd(long start, long fired) {
        return panes ? windows.firstEnd(Math.max(start, fired)) : start + windows.size();
    }

    /** Fires the windows that end by the clock, in the order of their ends; false if the output is full. */
    private boolean fire(GroupClock clock) throws Exception {
        while (clock.firstEnd <= clock.watermark() && clock.firstEnd != GroupClock.NO_END) {
            while (clock.asked < clock.count()) {
                int entry = clock.group(clock.asked);
                WindowedGroup asked = groups.get(entry);
                if (asked.firstEnd != clock.firstEnd) {
                    clock.asked++;
                } else if (context.hasRoom()) {
                    emit(entry, asked, asked.firstEnd);
                    close(clock, entry);
                } else {
                    return false;
                }
            }
            clock.asked = 0;
            clock.firstEnd = GroupClock.NO_END;
            for (int k = 0; k < clock.count(); k++) {
                clock.firstEnd = Math.min(clock.firstEnd, groups.get(clock.group(k)).firstEnd);
            }
        }
        firing = null;
        return true;
    }

    private void emit(int entry, WindowedGroup from, long end) throws Exception {
        groups.key(entry, group);
        try {
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(content(from, end), key.forRow(group), null, facts.set(end - windows.size(), end), row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("window [" + (end - windows.size()) + ", " + end + "): " + Reason.of(bad), "");
        }
    }

    /** The group's window that ends there, merged of all its panes, the earliest first. */
    private Accumulator content(WindowedGroup from, long end) {
        if (!panes || from.size() == 1 || from.start(1) >= end) {
            return from.accumulator(0);
        }
        Accumulator merged = aggregation.create();
        for (int k = 0; k < from.size() && from.start(k) < end; k++) {
            aggregation.merge(merged, from.accumulator(k));
        }
        return merged;
    }

    /** Drops what only the window that has fired needs, and the group if nothing is left of it. */
    private void close(GroupClock clock, int entry) {
        WindowedGroup closed = groups.edit(entry);
        long end = closed.firstEnd;
        closed.dropBefore(panes ? end - (windows.size() - windows.slide()) : end - windows.size() + 1);
        if (closed.size() == 0) {
            groups.remove(entry);
            clock.removeAt(clock.asked);
        } else {
            closed.firstEnd = firstEnd(closed.start(0), end);
            clock.asked++;
            groups.recount(entry);
        }
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = idle.look(micros, clocks.limit(), (entry, since) -> {
            GroupClock clock = clocks.get(entry);
            if (firing == null && clock != null && clock.isSilent(since)) {
                clocks.edit(entry);
                clock.moveOn(windows.size());
                firing = clock;
            }
            return firing == null || fire(firing);
        });
        state.report();
        return done;
    }

    /** All clocks stop at the end of the input. */
    @Override
    public boolean watermark(long watermark) throws Exception {
        while (watermark == Long.MAX_VALUE && ended < clocks.limit()) {
            GroupClock clock = clocks.get(ended);
            if (clock != null) {
                clock.stop();
                if (!fire(clock)) {
                    state.report();
                    return false;
                }
            }
            ended++;
        }
        state.report();
        return true;
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        firing = null;
        ended = 0;
        long now = idle.restored();
        for (int entry = 0; entry < clocks.limit(); entry++) {
            GroupClock clock = clocks.get(entry);
            if (clock != null) {
                clock.entry = entry;
                clock.lastStart = windows.lastStart(0);
                clock.restored(clocksOf.watermark(clock.greatest()), now);
            }
        }
        ScratchPacket clockOf = new ScratchPacket(clocksOf.keys().schema().layout());
        for (int entry = 0; entry < groups.limit(); entry++) {
            if (groups.get(entry) != null) {
                restored(entry, clockOf);
            }
        }
    }

    private void restored(int entry, ScratchPacket clockOf) {
        groups.key(entry, group);
        WindowedGroup restored = groups.get(entry);
        restored.clock = clocks.get(clocks.find(clocksOf.of(group, clockOf)));
        restored.firstEnd = firstEnd(restored.start(0), restored.clock.watermark());
        restored.clock.firstEnd = Math.min(restored.clock.firstEnd, restored.firstEnd);
        restored.clock.add(entry);
        clocks.recount(restored.clock.entry);
    }
}
