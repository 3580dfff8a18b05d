package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WallTime;
import io.despina.operator.order.WallWindows;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.state.WindowTables;
import java.util.List;

/**
 * The first n packets of each group in each tumbling or sliding window of event time, by their ranks. When the watermark
 * reaches a window's end, they leave, group by group in the order in which the groups appeared, the first packet first. Windows
 * close in the order of their ends. A packet is late if all its windows have closed. A packet without event time is in no
 * window. Without windows the whole stream is one, which closes at the end of input. Ports: in; out, late.
 *
 * <p>By the wall clock, the clock is the watermark, and the time of each packet that is taken; no packet is late.
 *
 * <p>n packets are kept of each group and open window ({@link TopRows}), whatever comes.
 */
public final class Top implements Operator {
    /**
     * What leaves.
     *
     * @param windows    null for the whole stream
     * @param keys       of the groups
     * @param most       packets of a group and window; {@link #ALL}
     * @param laterFirst whether of equal ranks the packet that came last is the first
     * @param select     as of {@link WindowedRow}; without windows over the packet alone
     */
    public record Options(Windows windows, Keys keys, int most, PacketRanks ranks, boolean laterFirst,
            Compiled<Projection> select) {
        public Options(Windows windows, Keys keys, int most, PacketRanks ranks, Compiled<Projection> select) {
            this(windows, keys, most, ranks, false, select);
        }
    }

    /** No packet is dropped. */
    public static final int ALL = TopRows.ALL;

    private static final int WATERMARK = 0;
    /** The start of the window that is the whole stream. */
    private static final long WHOLE = 0;

    private final int timeColumn;
    private final Options options;
    private final Windows windows;
    private final WindowStarts starts;

    private OperatorContext context;
    private Output out;
    private LatePort late;
    private KeyReader keys;
    private PacketRanks.Reader ranks;
    private WindowedRow row;
    private TopRows.RowsFormat format;
    private WindowTables<TopRows> tables;
    private NamedNumbers progress;
    private OperatorState state;
    private long watermark = Long.MIN_VALUE;

    /** In the window that closes, entries before this have left. */
    private int closing;
    private Packet kept;
    /** Null by event time. */
    private WallWindows wall;

    /** @param timeColumn ordinal of the input's event time, or {@link WallTime#COLUMN} */
    public Top(int timeColumn, Options options) {
        this.timeColumn = timeColumn;
        this.options = options;
        windows = options.windows();
        starts = windows == null ? null : new WindowStarts(windows);
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        late = new LatePort(opened, opened.input(0));
        keys = new KeyReader(options.keys(), opened.instance());
        ranks = new PacketRanks.Reader(options.ranks(), opened.instance(), opened.maxPacketBytes());
        row = new WindowedRow(opened, options.select());
        kept = new Packet(opened.input(0).layout());
        format = new TopRows.RowsFormat(options.ranks(), opened.input(0), options.most(), options.laterFirst());
        tables = new WindowTables<>("windows", options.keys().schema(), options.keys().buckets(), format);
        progress = new NamedNumbers("progress", Long.MIN_VALUE);
        state = new OperatorState(opened).with(progress, tables);
        if (timeColumn == WallTime.COLUMN) {
            wall = new WallWindows(opened, this::advance, this::firstEnd);
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
        Packet packet;
        while (late.hasRoom() && (packet = packets.next()) != null) {
            if (packet.isNull(timeColumn)) {
                continue;
            }
            if (windows == null) {
                take(packet, WHOLE);
                continue;
            }
            long time = packet.getLong(timeColumn);
            if (!starts.has(time)) {
                context.badRecord(WindowStarts.outside(time), packet);
            } else if (starts.last(time) + windows.size() <= watermark) {
                late.write(packet);
            } else {
                take(packet, time);
            }
        }
        state.report();
    }

    private void takeNow(PacketCursor packets) throws Exception {
        long now = wall.now();
        if (advance(now)) {
            Packet packet;
            while ((packet = packets.next()) != null) {
                take(packet, now);
            }
            wall.wake();
        }
        state.report();
    }

    private void take(Packet packet, long time) throws Exception {
        Packet key;
        Packet rank;
        try {
            key = keys.of(packet);
            rank = ranks.of(packet);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        if (windows == null) {
            take(tables.at(WHOLE), key, rank, packet);
            tables.took(1);
            return;
        }
        long start = starts.last(time);
        while (start + windows.size() > time) {
            if (start + windows.size() > watermark) {
                take(tables.at(start), key, rank, packet);
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

    private void take(KeyedTable<TopRows> table, Packet key, Packet rank, Packet packet) {
        int entry = table.find(key);
        if (entry == KeyedTable.NONE) {
            entry = table.add(key, new TopRows());
        }
        if (table.get(entry).keeps(rank, format)) {
            table.edit(entry).offer(rank, packet, format);
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

    /** When the first open window ends; {@link Long#MAX_VALUE} if none is open. */
    private long firstEnd() {
        return tables.isEmpty() ? Long.MAX_VALUE : tables.start(0) + windows.size();
    }

    /** Closes the windows that end then or before; false if the output is full. */
    private boolean advance(long grown) throws Exception {
        watermark = Math.max(watermark, grown);
        progress.set(WATERMARK, watermark);
        boolean done = true;
        while (done && windows != null && !tables.isEmpty() && tables.start(0) + windows.size() <= watermark) {
            done = close(tables.start(0));
        }
        state.report();
        return done;
    }

    @Override
    public boolean end() throws Exception {
        boolean done = wall != null ? advance(Long.MAX_VALUE) : tables.isEmpty() || close(WHOLE);
        state.report();
        return done;
    }

    /** False if the output is full. */
    private boolean close(long start) throws Exception {
        KeyedTable<TopRows> table = tables.at(start);
        if (windows != null) {
            row.bound(start, start + windows.size());
        }
        for (; closing < table.limit(); closing++) {
            while (!table.get(closing).isEmpty()) {
                if (!context.hasRoom()) {
                    return false;
                }
                TopRows rows = table.edit(closing);
                rows.first(kept, format);
                row.write(kept);
                rows.removeFirst(format);
                table.recount(closing);
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
        watermark = progress.get(WATERMARK);
        closing = 0;
        if (wall != null) {
            wall.wake();
        }
    }
}
