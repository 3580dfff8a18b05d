package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WallTime;
import io.despina.operator.order.WallWindows;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketOrder;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.Windows;
import io.despina.state.EventBuffer;
import io.despina.state.NamedNumbers;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets of each tumbling window in the order of their ranks. They leave when the watermark reaches the window's end; without
 * windows, at the end of input. A packet is late if its window has closed. A packet without event time is in no window. Ports:
 * in; out, late. By the wall clock, the clock is the watermark, and the time of each packet that is taken; none is late.
 *
 * <p>A kept packet is its rank, the start of its window and the packet itself. The buffer that sorts packets by event time takes
 * the window's start for that, and the rank for what breaks ties. So it costs a place in a heap for each packet, and nothing is
 * sorted at once when a window closes.
 */
public final class Sort implements Operator {

    /**
     * How packets are sorted.
     *
     * @param windows tumbling; null to sort the whole stream
     * @param keys    by which packets are shared out over instances
     * @param select  as of {@link WindowedRow}, without windows over the packet alone
     */
    public record Options(Windows windows, Keys keys, PacketRanks ranks, Compiled<Projection> select) {
    }

    private static final int WATERMARK = 0;
    private static final long NO_WINDOW = 0;

    private final int timeColumn;
    private final Options options;
    private final Windows windows;
    private final WindowStarts starts;
    /** Of a kept packet: the columns behind the rank. */
    private final int start;
    private final int whole;

    private OperatorContext context;
    private LatePort late;
    private WindowedRow row;
    private PacketRanks.Reader ranks;
    private ScratchPacket keeping;
    private EventBuffer sorted;
    private NamedNumbers progress;
    private OperatorState state;
    private Packet kept;
    private long watermark = Long.MIN_VALUE;
    /** Null by event time. */
    private WallWindows wall;

    /** @param timeColumn ordinal of the input's event time, or {@link WallTime#COLUMN}; without windows any */
    public Sort(int timeColumn, Options options) {
        this.timeColumn = timeColumn;
        this.options = options;
        windows = options.windows();
        starts = windows == null ? null : new WindowStarts(windows);
        start = options.ranks().schema().size();
        whole = start + 1;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        late = new LatePort(opened, opened.input(0));
        row = new WindowedRow(opened, options.select());
        ranks = new PacketRanks.Reader(options.ranks(), opened.instance(), opened.maxPacketBytes());
        kept = new Packet(opened.input(0).layout());
        List<Column> columns = new ArrayList<>(options.ranks().schema().columns());
        columns.add(new Column("window", Type.Simple.TIMESTAMP, false));
        columns.add(new Column("packet", Type.Simple.BINARY, false));
        Schema schema = new Schema(columns);
        keeping = new ScratchPacket(schema.layout());
        KeyReader keys = new KeyReader(options.keys(), opened.instance());
        Packet keyed = new Packet(opened.input(0).layout());
        sorted = new EventBuffer("sorted", schema, new EventBuffer.Sorting(start, PacketOrder.by(schema.layout(),
                options.ranks().order())), packet -> keys.bucket(inner(packet, keyed)));
        progress = new NamedNumbers("progress", Long.MIN_VALUE);
        state = new OperatorState(opened).with(progress, sorted);
        if (windows != null && timeColumn == WallTime.COLUMN) {
            wall = new WallWindows(opened, this::advance, this::firstEnd);
            state.with(wall.state());
        }
    }

    private Packet inner(Packet of, Packet into) {
        into.wrap(of.bytes(), of.valueStart(whole), of.valueEnd());
        return into;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!context.output(0).hasRoom()) {
            return;
        }
        if (wall != null) {
            takeNow(packets);
            return;
        }
        Packet packet;
        while (late.hasRoom() && (packet = packets.next()) != null) {
            if (windows == null) {
                keep(packet, NO_WINDOW);
            } else if (!packet.isNull(timeColumn)) {
                take(packet, packet.getLong(timeColumn));
            }
        }
        state.report();
    }

    private void takeNow(PacketCursor packets) throws Exception {
        long now = wall.now();
        if (advance(now)) {
            Packet packet;
            while ((packet = packets.next()) != null) {
                keep(packet, starts.last(now));
            }
            wall.wake();
        }
        state.report();
    }

    private void take(Packet packet, long time) throws Exception {
        if (!starts.has(time)) {
            context.badRecord(WindowStarts.outside(time), packet);
        } else if (starts.last(time) + windows.size() <= watermark) {
            late.write(packet);
        } else {
            keep(packet, starts.last(time));
        }
    }

    private void keep(Packet packet, long window) throws Exception {
        PacketWriter out = keeping.begin();
        try {
            ranks.write(packet, out);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        out.setLong(start, window);
        out.setBytes(whole, packet.bytes(), packet.start(), packet.size());
        sorted.add(keeping.commit());
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        return windows == null || wall != null || advance(grown);
    }

    @Override
    public boolean timer(long micros) throws Exception {
        return wall.ring();
    }

    /** When the first open window ends; {@link Long#MAX_VALUE} if none is open. */
    private long firstEnd() {
        return sorted.isEmpty() ? Long.MAX_VALUE : sorted.headTime() + windows.size();
    }

    /** Gives the packets of windows that end then or before; false if the output is full. */
    private boolean advance(long grown) throws Exception {
        watermark = Math.max(watermark, grown);
        progress.set(WATERMARK, watermark);
        long closed = Long.MIN_VALUE;
        while (isClosed() && context.hasRoom()) {
            if (sorted.headTime() != closed) {
                closed = sorted.headTime();
                row.bound(closed, closed + windows.size());
            }
            emit();
        }
        state.report();
        return !isClosed();
    }

    private boolean isClosed() {
        return !sorted.isEmpty() && sorted.headTime() + windows.size() <= watermark;
    }

    private void emit() throws Exception {
        row.write(inner(sorted.head(), kept));
        sorted.dropHead();
    }

    @Override
    public boolean end() throws Exception {
        if (wall != null) {
            return advance(Long.MAX_VALUE);
        }
        while (!sorted.isEmpty() && context.hasRoom()) {
            emit();
        }
        state.report();
        return sorted.isEmpty();
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(WATERMARK);
        if (wall != null) {
            wall.wake();
        }
    }
}
