package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.Windows;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.WindowTables;

/**
 * Adds packets up before a link deals them out by their groups: the {@link WindowAggregate} behind the link then gets a row for
 * many packets ({@link PartRows}). It holds the groups of windows, or of panes, that have not ended, and sends them before a
 * watermark ends a window that they are in. So a row is in time exactly where its packets would have been. A packet that comes
 * after a window of its own has ended here leaves at once, because the receiver's watermark may be lower.
 *
 * <p>It has no state in snapshots: it sends all that it holds before a barrier passes. It does so too before its inputs are told
 * to be idle. Packets then leave one by one until the next watermark, which tells every receiver that they no longer are.
 *
 * <p>Where nearly each packet has a group of its own, adding up is of no use: packets then leave one by one for a time, before it
 * is tried again. Ports: in; out.
 */
public final class PartialAggregate implements Operator {
    /** Small enough for the second-level cache. */
    private static final int MOST_GROUPS = 1 << 13;
    /** Keys may be long. */
    private static final int MOST_BYTES = 4 << 20;
    /** It is judged by so many rows whether they saved anything: they stand for at least {@link #USEFUL} packets each. */
    private static final int JUDGED_ROWS = 1 << 10;
    private static final int USEFUL = 2;
    /** So many packets leave one by one if not. A trial fills the table once, which is then a sixteenth of the work. */
    private static final int SINGLE = 16 * MOST_GROUPS;

    private final int timeColumn;
    private final Windows windows;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;
    private final long pane;
    /** Whether a pane is as long as a slide: each window begins and ends with one. */
    private final boolean even;
    private final long earliest;
    private final long latest;
    private int most = MOST_GROUPS;

    private OperatorContext context;
    private Output out;
    private KeyReader key;
    private Aggregation aggregation;
    private PartFormat format;
    private PartFormat.PartView empty;
    /** Of a packet that leaves alone. */
    private PartFormat.PartView alone;
    private WindowTables<PartFormat.PartView> tables;
    private OperatorState state;
    private Packet group;

    private long watermark = Long.MIN_VALUE;
    /** The start of the previous packet's last window. */
    private long lastStart;
    /** Groups in all tables, and the bytes of their rows. */
    private int held;
    private long heldBytes;
    /** Whether no watermark has come since it was told to {@link #release}. */
    private boolean quiet;
    /** How many groups of the first table have been sent. It takes no packet before all are. */
    private int sent;
    /** Packets added, and rows sent for them, since it was last judged. */
    private long added;
    private long rows;
    /** How many packets still leave one by one. */
    private int single;

    /** The arguments are those of the {@link WindowAggregate}, whose accumulators must be flat. */
    public PartialAggregate(int timeColumn, Windows windows, Keys keys, Compiled<Aggregation> compiled) {
        this.timeColumn = timeColumn;
        this.windows = windows;
        this.keys = keys;
        this.compiled = compiled;
        pane = windows.pane();
        even = windows.size() % windows.slide() == 0;
        earliest = windows.earliest();
        latest = windows.latest();
        lastStart = windows.lastStart(0);
    }

    /** Holds at most so many groups. */
    PartialAggregate holding(int groups) {
        most = groups;
        return this;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        key = new KeyReader(keys, opened.instance());
        aggregation = compiled.instance(opened.instance());
        format = new PartFormat(aggregation);
        empty = format.empty(aggregation);
        alone = format.empty(aggregation);
        group = new Packet(keys.schema().layout());
        tables = new WindowTables<>("parts", keys.schema(), keys.buckets(), format);
        state = new OperatorState(opened).with(tables);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((held < most && heldBytes < MOST_BYTES && sent == 0 || sendAll()) && out.hasRoom()
                && (packet = packets.next()) != null) {
            if (!packet.isNull(timeColumn)) {
                take(packet, packet.getLong(timeColumn));
            }
        }
        state.report();
    }

    private void take(Packet packet, long time) throws Exception {
        if (time < lastStart || Long.compareUnsigned(time - lastStart, windows.slide()) >= 0) {
            if (time < earliest || time > latest) {
                context.badRecord(WindowAggregate.outside(time), packet);
                return;
            }
            lastStart = windows.lastStart(time);
        }
        long start = even ? lastStart : time - (time - lastStart) % pane;
        try {
            Packet of = key.of(packet);
            if (quiet || single > 0 || firstEnd(start) <= watermark) {
                sendAlone(start, of, packet);
            } else {
                add(tables.at(start), of, packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    private void add(KeyedTable<PartFormat.PartView> table, Packet of, Packet packet) {
        int entry = table.find(of);
        if (entry == KeyedTable.NONE) {
            entry = table.add(of, empty);
            held++;
            heldBytes += of.size() + format.width();
        }
        PartFormat.PartView part = table.edit(entry);
        aggregation.update(part.accumulator, packet);
        format.count(part);
        added++;
    }

    private void sendAlone(long start, Packet of, Packet packet) {
        format.put(empty, alone.bytes, 0);
        aggregation.update(alone.accumulator, packet);
        format.count(alone);
        send(start, of, alone);
        if (single > 0) {
            single--;
        }
    }

    private void send(long start, Packet of, PartFormat.PartView part) {
        PacketWriter row = out.writer().begin();
        row.setLong(PartRows.START, start);
        row.setBytes(PartRows.KEY, of.bytes(), of.start(), of.size());
        row.setBytes(PartRows.PART, part.bytes, part.at, format.width());
        row.commit();
    }

    /** Sends the groups of the first table; false if the output is full. */
    private boolean sendFirst() {
        KeyedTable<PartFormat.PartView> table = tables.table(0);
        long start = tables.start(0);
        for (; sent < table.limit(); sent++) {
            if (!out.hasRoom()) {
                return false;
            }
            table.key(sent, group);
            send(start, group, table.get(sent));
            heldBytes -= group.size() + format.width();
        }
        held -= sent;
        rows += sent;
        sent = 0;
        tables.removeFirst();
        if (rows >= JUDGED_ROWS) {
            single = Math.max(single, added < USEFUL * rows ? SINGLE : 0);
            rows = 0;
            added = 0;
        }
        return true;
    }

    @Override
    public boolean watermark(long grown) {
        while (!tables.isEmpty() && (sent > 0 || firstEnd(tables.start(0)) <= grown)) {
            if (!sendFirst()) {
                return false;
            }
        }
        watermark = Math.max(watermark, grown);
        quiet = false;
        state.report();
        return true;
    }

    /** The end of the first window that holds the window or pane that starts there. */
    private long firstEnd(long start) {
        return even ? start + windows.slide() : windows.firstEnd(start);
    }

    private boolean sendAll() {
        while (!tables.isEmpty()) {
            if (!sendFirst()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Held held() {
        long packets = 0;
        for (int k = 0; k < tables.size(); k++) {
            KeyedTable<PartFormat.PartView> table = tables.table(k);
            for (int entry = k == 0 ? sent : 0; entry < table.limit(); entry++) {
                packets += format.packets(table.get(entry));
            }
        }
        return new Held(packets, tables.size());
    }

    @Override
    public boolean release() {
        if (!sendAll()) {
            return false;
        }
        quiet = true;
        state.report();
        return true;
    }
}
