package io.despina.operator.join;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WallTime;
import io.despina.operator.order.WallWindows;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.spec.Clock;
import io.despina.spec.Matching;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.LayoutAdapter;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.state.WindowTables;
import java.util.List;

/**
 * Joins the packets of two streams that share a tumbling or sliding window of event time, have equal keys, and meet the
 * condition. When the watermark of both reaches a window's end, its rows leave, key by key: those of the pairs, and of the outer
 * joins also those of packets that have no match in this window. Windows close in the order of their ends. A packet is late if
 * all its windows have closed. A packet without event time is in no window. Ports: left, right; out, late.
 *
 * <p>By the wall clock, the clock is the watermark, and the time of each packet that is taken; no packet is late.
 *
 * <p>A copy of a packet is kept for each window that it is in.
 */
public final class WindowJoin implements Operator {
    private static final int LEFT = 0;

    private final JoinOptions options;
    private final Windows windows;
    private final Clock clock;
    private final WindowStarts starts;

    private OperatorContext context;
    private Output out;
    private Side left;
    private Side right;
    private WindowTables<WindowSides> tables;
    private WindowPairs pairs;
    private JoinedRow row;
    private NamedNumbers progress;
    private OperatorState state;
    private long watermark = Long.MIN_VALUE;
    /** In the window that closes, keys before this have left. */
    private int closing;
    private Packet key;
    /** Null by event time. */
    private WallWindows wall;

    public WindowJoin(JoinOptions options, Matching.SameWindow matching) {
        this.options = options;
        windows = matching.windows();
        clock = matching.clock();
        starts = new WindowStarts(windows);
    }

    /** One input. */
    private static final class Side {
        final boolean isLeft;
        final int time;
        final boolean keyed;
        final boolean keepsUnmatched;
        final KeyReader keys;
        final LatePort late;
        final LayoutAdapter adapter;

        Side(OperatorContext context, int port, Schema kept, JoinOptions options) {
            isLeft = port == LEFT;
            var of = isLeft ? options.leftKeys() : options.rightKeys();
            EventOrder order = (isLeft ? options.left() : options.right()).order();
            time = order == null ? WallTime.COLUMN : order.time();
            keyed = !of.isNone();
            keepsUnmatched = isLeft ? options.how().keepsLeft() : options.how().keepsRight();
            keys = new KeyReader(of, context.instance());
            late = new LatePort(context, context.input(port));
            adapter = new LayoutAdapter(context.input(port), kept);
        }

        PacketList of(WindowSides sides) {
            return isLeft ? sides.left() : sides.right();
        }
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        Schema leftKept = options.how().keepsRight() ? opened.input(LEFT).allNullable() : opened.input(LEFT);
        left = new Side(opened, LEFT, leftKept, options);
        right = new Side(opened, 1, options.rightKept(), options);
        var keys = options.leftKeys();
        key = new Packet(keys.schema().layout());
        tables = new WindowTables<>("windows", keys.schema(), keys.buckets(),
                new WindowSides.SidesFormat("windows", leftKept, options.rightKept()));
        row = new JoinedRow(options, opened.input(LEFT), opened.instance(), out);
        pairs = new WindowPairs(opened, row, options.how(),
                new WindowPairs.Adapters(left.adapter, right.adapter, leftKept, options.rightKept()));
        progress = new NamedNumbers("progress", Long.MIN_VALUE);
        state = new OperatorState(opened).with(progress, tables);
        if (clock == Clock.PROCESSING) {
            wall = new WallWindows(opened, this::advance, this::firstEnd);
            state.with(wall.state());
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {       // rows leave with the watermark, so no packet needs room here
            return;
        }
        Side side = port == LEFT ? left : right;
        if (wall != null) {
            takeNow(side, packets);
            return;
        }
        Packet packet;
        while (side.late.hasRoom() && (packet = packets.next()) != null) {
            if (packet.isNull(side.time)) {
                continue;
            }
            long time = packet.getLong(side.time);
            if (!starts.has(time)) {
                context.badRecord(WindowStarts.outside(time), packet);
            } else if (starts.last(time) + windows.size() <= watermark) {
                side.late.write(packet);
            } else {
                take(side, packet, time);
            }
        }
        state.report();
    }

    private void takeNow(Side side, PacketCursor packets) throws Exception {
        long now = wall.now();
        if (advance(now)) {
            Packet packet;
            while ((packet = packets.next()) != null) {
                take(side, packet, now);
            }
            wall.wake();
        }
        state.report();
    }

    private void take(Side side, Packet packet, long time) throws Exception {
        Packet of;
        Packet adapted = side.adapter.adapt(packet);
        try {
            of = side.keys.of(adapted);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        if (side.keyed && side.keys.hasNull() && !side.keepsUnmatched) {
            return;
        }
        long start = starts.last(time);
        while (start + windows.size() > time) {
            if (start + windows.size() > watermark) {
                add(tables.at(start), side, of, adapted);
                if (start == starts.last(time)) {
                    tables.took(1);
                }
            }
            if (start < Long.MIN_VALUE + windows.slide()) {
                return;
            }
            start -= windows.slide();
        }
    }

    private static void add(KeyedTable<WindowSides> table, Side side, Packet of, Packet packet) {
        int entry = table.find(of);
        if (entry == KeyedTable.NONE) {
            WindowSides sides = new WindowSides();
            side.of(sides).add(packet);
            table.add(of, sides);
        } else {
            side.of(table.edit(entry)).add(packet);
            table.recount(entry);
        }
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        return wall != null || advance(grown);
    }

    @Override
    public boolean timer(long micros) throws Exception {
        return wall.ring();
    }

    @Override
    public boolean end() throws Exception {
        return wall == null || advance(Long.MAX_VALUE);
    }

    /** When the first open window ends; {@link Long#MAX_VALUE} if none is open. */
    private long firstEnd() {
        return tables.isEmpty() ? Long.MAX_VALUE : tables.start(0) + windows.size();
    }

    /** Closes the windows that end then or before; false if the output is full. */
    private boolean advance(long grown) throws Exception {
        watermark = Math.max(watermark, grown);
        progress.set(0, watermark);
        boolean done = true;
        while (done && !tables.isEmpty() && tables.start(0) + windows.size() <= watermark) {
            done = close(tables.start(0));
        }
        state.report();
        return done;
    }

    /** False if the output is full. */
    private boolean close(long start) throws Exception {
        KeyedTable<WindowSides> table = tables.table(0);
        row.window(start, start + windows.size());
        for (; closing < table.limit(); closing++) {
            table.key(closing, key);
            if (!pairs.leave(table.get(closing), left.keyed && KeyReader.hasNull(key))) {
                return false;
            }
        }
        closing = 0;
        tables.removeFirst();
        return true;
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(0);
        closing = 0;
        if (wall != null) {
            wall.wake();
        }
    }
}
