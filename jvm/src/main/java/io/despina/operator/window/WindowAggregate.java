package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WallTime;
import io.despina.operator.order.WallWindows;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.ControlCommand;
import io.despina.spec.Windows;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.state.WindowTables;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Aggregates over tumbling or sliding event-time windows. When the watermark reaches a window's end, the window fires: it emits a
 * row per group, in the order in which the groups appeared. Windows fire in the order of their ends. A packet is late if all its
 * windows have fired; otherwise it updates those that have not. A packet without event time is in no window. Ports: in; out,
 * late.
 *
 * <p>By the wall clock, the clock is the watermark, and the time of each packet that is taken; no packet is late.
 *
 * <p>Where it pays, sliding windows are composed of panes ({@link Windows#pane}). Panes are not used if one window may refuse a
 * packet that others take (a sum that overflows) and the job continues: such a packet must be in none of its windows. Nor are
 * they by the wall clock: instances that a snapshot shares out anew may each have fired up to another instant, and a pane does
 * not say which windows it has been in.
 */
public final class WindowAggregate implements Commanded {
    /** Indexes into {@link #progress}. */
    private static final int WATERMARK = 0;
    /** The end of the last window that has fired, or could have. */
    private static final int CLOSED = 1;
    /** How many groups of the following window have been emitted. */
    private static final int EMITTED = 2;

    private final int timeColumn;
    private final Windows windows;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;
    private final long pane;
    /** The range of times that have windows. */
    private final long earliest;
    private final long latest;
    private final WindowFacts facts = new WindowFacts();
    /** The distance from a packet's last window to the first that may hold it. */
    private final long reach;

    private OperatorContext context;
    private Output out;
    private LatePort late;
    private KeyReader key;
    private KeysAhead ahead;
    private Aggregation aggregation;
    private Groups groups;
    /** Null by event time. */
    private WallWindows wall;
    /** Whether a packet is checked against all its windows before it is added to any. */
    private boolean tries;
    /** Whether the input are rows of {@link PartialAggregate}. */
    private boolean ofParts;
    /** Null unless they are. */
    private PartReader parts;
    /** Null without panes. */
    private Panes panes;
    private WindowTables<Accumulator> tables;
    private NamedNumbers progress;
    private OperatorState state;
    private long watermark = Long.MIN_VALUE;
    /** The start of the previous packet's last window. The next packet mostly has the same, which saves a slow division. */
    private long lastStart;
    /** The firing window, composed of panes; null if none fires, or if it has a table of its own. */
    private KeyedTable<Accumulator> merged;
    private Packet group;
    /** Null unless a user has asked for the rows that open windows have so far. */
    private OpenFiring asked;

    /**
     * @param timeColumn ordinal of the input's event time, or {@link WallTime#COLUMN}
     * @param keys       of the groups
     */
    public WindowAggregate(int timeColumn, Windows windows, Keys keys, Compiled<Aggregation> compiled) {
        this.timeColumn = timeColumn;
        this.windows = windows;
        this.keys = keys;
        this.compiled = compiled;
        pane = windows.pane();
        earliest = windows.earliest();
        latest = windows.latest();
        reach = (windows.overlap() - 1) * windows.slide();
        lastStart = windows.lastStart(0);
    }

    /** Makes it take {@link PartRows} in place of packets. Late ones are counted by their packets, and leave by no port. */
    public WindowAggregate ofParts() {
        ofParts = true;
        return this;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        late = new LatePort(opened, opened.input(0));
        key = new KeyReader(keys, opened.instance());
        ahead = new KeysAhead(keys, opened);
        aggregation = compiled.instance(opened.instance());
        groups = new Groups(aggregation, opened);
        tries = !opened.failsOnBadRecord() && windows.overlap() > 1 && aggregation.mayOverflow();
        parts = ofParts ? new PartReader(aggregation, keys.schema()) : null;
        wall = timeColumn == WallTime.COLUMN ? new WallWindows(opened, this::advance, this::firstEnd) : null;
        group = new Packet(keys.schema().layout());
        tables = new WindowTables<>("windows", keys.schema(), keys.buckets(), AccumulatorFormat.of(aggregation));
        panes = windows.hasPanes() && !tries && wall == null ? new Panes(tables, keys.schema(), aggregation, windows) : null;
        progress = new NamedNumbers("progress", Long.MIN_VALUE, Long.MIN_VALUE, 0);
        state = new OperatorState(opened).with(progress, tables).counting(this::mergedBytes);
        if (wall != null) {
            state.with(wall.state());
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {       // rows leave with the watermark, so no packet needs room here
            return;
        }
        if (wall != null) {
            takeNow(packets);
            return;
        }
        if (parts != null) {
            takeParts(packets);
            return;
        }
        Packet packet;
        while (late.hasRoom() && (packet = ahead.next(packets, tables.latest())) != null) {
            if (packet.isNull(timeColumn)) {
                continue;
            }
            long time = packet.getLong(timeColumn);
            if (time < lastStart || Long.compareUnsigned(time - lastStart, windows.slide()) >= 0) {
                if (time < earliest || time > latest) {
                    context.badRecord(outside(time), packet);
                    continue;
                }
                lastStart = windows.lastStart(time);
            }
            if (lastStart + windows.size() <= watermark) {
                late.write(packet);
            } else {
                update(packet, time);
            }
        }
        state.report();
    }

    private void takeParts(PacketCursor rows) throws Exception {
        Packet row;
        while ((row = rows.next()) != null) {
            long start = parts.start(row);
            lastStart = windows.lastStart(start);
            if (lastStart + windows.size() <= watermark) {
                context.countLate(parts.packets(row));
                continue;
            }
            try {
                if (panes != null) {
                    panes.changes(start);
                }
                parts.add(row, tables.at(start));
                tables.took(parts.packets(row));
            } catch (RuntimeException bad) {
                context.badRecord(Reason.of(bad), "");
            }
        }
        state.report();
    }

    private void takeNow(PacketCursor packets) throws Exception {
        long now = wall.now();
        boolean fired = advance(now);
        lastStart = windows.lastStart(now);
        Packet packet;
        while (fired && context.hasRoom() && (packet = packets.next()) != null) {
            update(packet, now);
        }
        wall.wake();
        state.report();
    }

    static ArithmeticException outside(long time) {
        return new ArithmeticException("a window of its event time, " + time + " microseconds since 1970, lies "
                + "partly outside of what a TIMESTAMP holds");
    }

    private void update(Packet packet, long time) throws Exception {
        try {
            Packet of = key.of(packet);
            if (panes != null) {
                long start = time - (time - lastStart) % pane;
                panes.changes(start);
                groups.update(tables.at(start), of, packet);
                tables.took(1);
                return;
            }
            if (tries) {
                tryAll(of, packet, time);
            }
            for (long back = 0; back <= reach; back += windows.slide()) {
                if (isOpen(lastStart - back, time)) {
                    groups.update(tables.at(lastStart - back), of, packet);
                    if (back == 0) {
                        tables.took(1);
                    }
                }
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    /**
     * Throws if a window refuses the packet. The last window is not checked: it is updated first, and nothing has changed if it
     * refuses.
     */
    private void tryAll(Packet of, Packet packet, long time) {
        for (long back = windows.slide(); back <= reach; back += windows.slide()) {
            if (isOpen(lastStart - back, time)) {
                groups.check(tables.at(lastStart - back), of, packet);
            }
        }
    }

    /** Whether the window that starts at {@code start} has not fired and holds {@code time}, which is not before its start. */
    private boolean isOpen(long start, long time) {
        long end = start + windows.size();
        return time < end && end > watermark;
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        return wall != null || advance(grown);
    }

    @Override
    public boolean timer(long micros) throws Exception {
        if (asked != null && !asked.leave(new OpenFiring.Windowed(context, windows, tables, panes, progress.get(CLOSED)),
                this::emit)) {
            return false;
        }
        asked = null;
        state.report();
        return wall == null || wall.ring();
    }

    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) {
        asked = OpenFiring.after(command, argument, asked, context);
        return CompletableFuture.completedFuture("");
    }

    @Override
    public boolean end() throws Exception {
        return wall == null || advance(Long.MAX_VALUE);
    }

    /** Fires the windows that end then or before; false if the output is full. */
    private boolean advance(long grown) throws Exception {
        watermark = Math.max(watermark, grown);
        progress.set(WATERMARK, watermark);
        while (!tables.isEmpty()) {
            long end = firstEnd();
            if (end > watermark) {
                break;
            }
            if (!fire(end)) {
                state.report();
                return false;
            }
            close(end);
        }
        progress.set(CLOSED, watermark);
        state.report();
        return true;
    }

    /** The end of the first window that has not fired and is not empty; {@link Long#MAX_VALUE} if there is none. */
    private long firstEnd() {
        if (tables.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long start = tables.start(0);
        return panes != null ? windows.firstEnd(Math.max(start, progress.get(CLOSED))) : start + windows.size();
    }

    /** Emits the groups of the window that ends at {@code end}; false if the output is full. */
    private boolean fire(long end) throws Exception {
        KeyedTable<Accumulator> table = panes != null ? merged(end) : tables.table(0);
        for (int k = (int) progress.get(EMITTED); k < table.limit(); k++) {
            if (!context.hasRoom()) {
                progress.set(EMITTED, k);
                return false;
            }
            emit(table, k, end);
        }
        return true;
    }

    private void emit(KeyedTable<Accumulator> table, int entry, long end) throws Exception {
        table.key(entry, group);
        try {
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(table.get(entry), key.forRow(group), null, facts.set(end - windows.size(), end), row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("window [" + (end - windows.size()) + ", " + end + "): " + Reason.of(bad), "");
        }
    }

    private KeyedTable<Accumulator> merged(long end) {
        if (merged == null) {
            merged = panes.merged(end - windows.size(), end);
        }
        return merged;
    }

    private long mergedBytes() {
        boolean own = merged != null && merged != tables.table(0);
        return (own ? merged.bytes() : 0) + (panes == null ? 0 : panes.bytes());
    }

    private void close(long end) {
        merged = null;
        progress.set(CLOSED, end);
        progress.set(EMITTED, 0);
        if (panes == null) {
            tables.removeFirst();
        } else {
            panes.close(end - (windows.size() - windows.slide()));
        }
    }

    @Override
    public Held held() {
        Held held = state.held();
        return panes == null ? held : new Held(held.packets(), panes.windows(firstEnd()));
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        merged = null;
        if (panes != null) {
            panes.restored();
        }
        watermark = progress.get(WATERMARK);
        if (wall != null) {
            wall.wake();
        }
    }
}
