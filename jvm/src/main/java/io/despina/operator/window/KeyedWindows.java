package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.DueClock;
import io.despina.operator.order.DueClocks;
import io.despina.operator.order.DueClocks.DueGroups;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import java.util.List;

/**
 * Aggregates over tumbling or sliding windows like {@link WindowAggregate}, where each key has a clock of its own
 * ({@link DueClocks}): a window fires as soon as its key's clock has reached its end. Ports: in; out, late.
 */
public final class KeyedWindows implements Operator, DueGroups {
    /** A group's memory is measured once in so many updates, as long as no group is known to grow. */
    private static final int SAMPLE = 64;

    private final int timeColumn;
    private final Windows windows;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;
    private final long pane;
    private final WindowStarts starts;
    private final WindowFacts facts = new WindowFacts();
    /** The distance from a packet's last window to the first that may hold it. */
    private final long reach;

    private OperatorContext context;
    private Output out;
    private LatePort late;
    private KeyReader key;
    private KeysAhead ahead;
    private Aggregation aggregation;
    /** Whether a group continues after a packet that could not be added. */
    private boolean goesOn;
    /** Whether a packet is checked against all its windows before it is added to any. */
    private boolean tries;
    private boolean panes;
    private DueClocks clocks;
    private KeyedTable<WindowedGroup> groups;
    private OperatorState state;
    private Packet group;
    private boolean growing;
    private int sinceSample;

    /**
     * @param timeColumn ordinal of the input's event time
     * @param keys       of the groups, with clocks
     */
    public KeyedWindows(int timeColumn, Windows windows, Keys keys, Compiled<Aggregation> compiled) {
        this.timeColumn = timeColumn;
        this.windows = windows;
        this.keys = keys;
        this.compiled = compiled;
        pane = windows.pane();
        starts = new WindowStarts(windows);
        reach = (windows.overlap() - 1) * windows.slide();
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        late = new LatePort(opened, opened.input(0));
        key = new KeyReader(keys, opened.instance());
        ahead = new KeysAhead(keys, opened);
        aggregation = compiled.instance(opened.instance());
        goesOn = !opened.failsOnBadRecord();
        tries = goesOn && windows.overlap() > 1 && aggregation.mayOverflow();
        panes = windows.hasPanes() && !tries;
        group = new Packet(keys.schema().layout());
        clocks = new DueClocks(keys.clocks(), this, opened);
        groups = new KeyedTable<>("windows", keys.schema(), keys.dealing(), new WindowedGroup.Format(aggregation));
        state = new OperatorState(opened).with(clocks.state(), groups);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        long now = clocks.hear();
        Packet packet;
        while (late.hasRoom() && (packet = ahead.next(packets, groups)) != null) {
            if (!clocks.isGiving() && !packet.isNull(timeColumn)) {
                take(packet, packet.getLong(timeColumn), now);
            }
            if (!clocks.give()) {
                packets.unread();       // it has been taken; so this is called again
                break;
            }
        }
        state.report();
    }

    /** A bad record moves no clock. */
    private void take(Packet packet, long time, long now) throws Exception {
        try {
            Packet of = key.of(packet);
            int entry = groups.find(of);
            WindowedGroup to = entry == KeyedTable.NONE ? new WindowedGroup(clocks.of(packet)) : groups.get(entry);
            DueClock clock = to.clock;
            clock.hear(now);
            if (!starts.has(time)) {
                context.badRecord(WindowStarts.outside(time), packet);
                return;
            }
            long last = starts.last(time);
            if (last + windows.size() <= clock.watermark()) {
                late.write(packet);
            } else if (entry == KeyedTable.NONE) {
                add(to, packet, time, last);
                clocks.add(clock, groups.add(of, to));
                clocks.advance(clock, time);
            } else {
                boolean grown = add(groups.edit(entry), packet, time, last);
                if (grown || growing || ++sinceSample == SAMPLE) {
                    sinceSample = 0;
                    growing |= groups.recount(entry) && !grown;
                }
                clocks.advance(clock, time);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    /** @param last the start of the last window of that time. @return whether the group has a window or pane more */
    private boolean add(WindowedGroup to, Packet packet, long time, long last) {
        if (panes) {
            long start = time - (time - last) % pane;
            boolean grown = update(to, start, packet);
            to.took(start);
            return grown;
        }
        if (tries) {
            tryAll(to, packet, last);
        }
        boolean grown = false;
        for (long back = 0; back <= reach; back += windows.slide()) {
            if (isOpen(to.clock, last - back, time)) {
                grown |= update(to, last - back, packet);
                if (back == 0) {
                    to.took(last);
                }
            }
        }
        return grown;
    }

    /**
     * Throws if a window refuses the packet. The last window is not checked: it is updated first, and nothing has changed if it
     * refuses.
     */
    private void tryAll(WindowedGroup to, Packet packet, long last) {
        for (long back = windows.slide(); back <= reach; back += windows.slide()) {
            if (isOpen(to.clock, last - back, packet.getLong(timeColumn))) {
                Accumulator accumulator = to.at(last - back);
                aggregation.check(accumulator == null ? aggregation.create() : accumulator, packet);
            }
        }
    }

    /** Whether the window that starts at {@code start} has not fired and holds {@code time}, which is not before its start. */
    private boolean isOpen(DueClock clock, long start, long time) {
        long end = start + windows.size();
        return time < end && end > clock.watermark();
    }

    /** Adds a packet to a window or pane; whether it is a new one. */
    private boolean update(WindowedGroup to, long start, Packet packet) {
        Accumulator accumulator = to.at(start);
        if (accumulator != null) {
            if (goesOn) {
                aggregation.updateWhole(accumulator, packet);
            } else {
                aggregation.update(accumulator, packet);
            }
            return false;
        }
        Accumulator created = aggregation.create();
        aggregation.update(created, packet);
        to.add(start, created);
        to.firstEnd = Math.min(to.firstEnd, firstEnd(start, to.clock.watermark()));
        clocks.isDue(to.clock, to.firstEnd);
        return true;
    }

    /** The first end of a window of the pane, or of the window, after {@code fired}, up to which windows have fired. */
    private long firstEnd(long start, long fired) {
        return panes ? windows.firstEnd(Math.max(start, fired)) : start + windows.size();
    }

    @Override
    public long due(int entry) {
        WindowedGroup of = groups.get(entry);
        return of == null ? NEVER : of.firstEnd;
    }

    /** Fires a group's first window. */
    @Override
    public boolean give(int entry) throws Exception {
        if (!context.hasRoom()) {
            return false;
        }
        WindowedGroup from = groups.get(entry);
        emit(entry, from, from.firstEnd);
        close(entry);
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
    private void close(int entry) {
        WindowedGroup closed = groups.edit(entry);
        long end = closed.firstEnd;
        closed.dropBefore(panes ? end - (windows.size() - windows.slide()) : end - windows.size() + 1);
        if (closed.size() == 0) {
            groups.remove(entry);
        } else {
            closed.firstEnd = firstEnd(closed.start(0), end);
            groups.recount(entry);
        }
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = clocks.timer(micros, windows.size());
        state.report();
        return done;
    }

    /** All clocks stop at the end of the input, the only watermark that comes. */
    @Override
    public boolean watermark(long watermark) throws Exception {
        boolean done = watermark != Long.MAX_VALUE || clocks.end();
        state.report();
        return done;
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        clocks.restored();
        for (int entry = 0; entry < groups.limit(); entry++) {
            WindowedGroup restored = groups.get(entry);
            if (restored != null) {
                groups.key(entry, group);
                restored.clock = clocks.ofGroup(group);
                restored.firstEnd = firstEnd(restored.start(0), restored.clock.watermark());
                clocks.add(restored.clock, entry);
                clocks.isDue(restored.clock, restored.firstEnd);
            }
        }
    }
}
