package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.operator.order.WallTime;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import io.despina.state.WindowTables;

/**
 * Aggregates over tumbling or sliding windows that fire more than once. A packet is late if all its windows have given their last
 * rows. Ports: in; out, late.
 */
public final class FiringAggregate extends Firing {
    private final Window.Fired fired;
    private final Windows windows;
    private final WindowStarts starts;

    private boolean tries;
    private WindowTables<FiredGroup> tables;
    private Packet group;

    /** Whether the packet read last has been checked, and is in its windows that start after {@link #nextStart}. */
    private boolean taking;
    private long nextStart;
    /** By the wall clock, the time of that packet. */
    private long takenAt;
    /** In the window whose rows leave, groups before this have done so. */
    private int leaving;
    /** Windows before this have given the rows that are no last ones. */
    private int passed;

    /**
     * @param timeColumn ordinal of the input's event time, or {@link WallTime#COLUMN}
     * @param keys       of the groups
     */
    public FiringAggregate(int timeColumn, Window.Fired fired, Keys keys, Compiled<Aggregation> compiled) {
        super(new Inputs(timeColumn, keys, compiled), fired.every(), fired.lateWithin());
        this.fired = fired;
        windows = fired.windows();
        starts = new WindowStarts(windows);
    }

    @Override
    public void open(OperatorContext opened) {
        super.open(opened);
        tries = !opened.failsOnBadRecord() && windows.overlap() > 1;
    }

    @Override
    State groups(Keys keys) {
        group = new Packet(keys.schema().layout());
        tables = new WindowTables<>("windows", keys.schema(), keys.buckets(), new FiredGroup.Format(aggregation()));
        return tables;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (wall() != null) {
            takeNow(packets);
            return;
        }
        while (context().hasRoom() && late().hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                break;
            }
            if (!packet.isNull(timeColumn()) && !take(packet, packet.getLong(timeColumn()))) {
                packets.unread();
                break;
            }
        }
        state().report();
    }

    private void takeNow(PacketCursor packets) throws Exception {
        // a packet that is in some of its windows keeps its time, else it would be in others of a later one
        long now = taking ? takenAt : wall().now();
        boolean done = taking || advance(now);
        takenAt = now;
        while (done && context().hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                break;
            }
            done = take(packet, now);
            if (!done) {
                packets.unread();
            }
        }
        wakeAtFiring();
        state().report();
    }

    /** @return false if there is no more room: read the packet again later */
    private boolean take(Packet packet, long time) throws Exception {
        if (!starts.has(time)) {
            context().badRecord(WindowStarts.outside(time), packet);
            return true;
        }
        if (isOver(end(starts.last(time)))) {
            late().write(packet);
            return true;
        }
        try {
            Packet of = key(packet);
            if (!taking) {
                if (tries) {
                    check(of, packet, time);
                }
                nextStart = starts.last(time);
                taking = true;
            }
            boolean whole = update(of, packet, time);
            taking = !whole;
            return whole;
        } catch (RuntimeException bad) {
            taking = false;
            context().badRecord(bad, packet);
            return true;
        }
    }

    private long end(long start) {
        return start + windows.size();
    }

    /** Throws if one of its windows refuses the packet. */
    private void check(Packet of, Packet packet, long time) {
        for (long start = starts.last(time); end(start) > time && !isOver(end(start)); start -= windows.slide()) {
            KeyedTable<FiredGroup> table = tables.at(start);
            int entry = table.find(of);
            aggregation().check(entry == KeyedTable.NONE ? aggregation().create() : table.get(entry).accumulator(), packet);
            if (start < Long.MIN_VALUE + windows.slide()) {
                break;
            }
        }
    }

    private boolean update(Packet of, Packet packet, long time) throws Exception {
        while (end(nextStart) > time && !isOver(end(nextStart))) {
            boolean fires = fired.onChange() || end(nextStart) <= watermark();
            if (fires && !context().hasRoom()) {
                return false;
            }
            update(tables.at(nextStart), of, packet, fires);
            if (nextStart == starts.last(time)) {
                tables.took(1);
            }
            if (nextStart < Long.MIN_VALUE + windows.slide()) {
                break;
            }
            nextStart -= windows.slide();
        }
        return true;
    }

    private void update(KeyedTable<FiredGroup> table, Packet of, Packet packet, boolean fires) throws Exception {
        int entry = table.find(of);
        if (entry == KeyedTable.NONE) {
            Accumulator created = aggregation().create();
            aggregation().update(created, packet);
            entry = table.add(of, new FiredGroup(created));
        } else if (context().failsOnBadRecord()) {
            aggregation().update(table.edit(entry).accumulator(), packet);
        } else {
            aggregation().updateWhole(table.edit(entry).accumulator(), packet);
        }
        table.edit(entry).change();
        table.recount(entry);
        if (fires) {
            emit(table, entry, nextStart, false);
        }
    }

    @Override
    boolean leaveDue() throws Exception {
        return leaveLast() && leaveChanged();
    }

    @Override
    boolean leaveOpen(OpenFiring open) throws Exception {
        while (open.window() < tables.size()) {
            if (!leave(tables.start(open.window()), open.closes())) {
                return false;
            }
            open.leftWindow();
        }
        while (open.closes() && !tables.isEmpty()) {
            tables.removeFirst();
        }
        state().report();
        return true;
    }

    @Override
    void left() {
        passed = 0;
    }

    @Override
    long firstEnd() {
        return tables.isEmpty() ? Long.MAX_VALUE : end(tables.start(0));
    }

    /** The last rows of windows; false if the output is full. */
    private boolean leaveLast() throws Exception {
        while (passed == 0 && !tables.isEmpty() && isOver(end(tables.start(0)))) {
            if (!leave(tables.start(0), true)) {
                return false;
            }
            tables.removeFirst();
        }
        return true;
    }

    /** The rows of windows that the watermark has reached the end of, or that fire now and then. */
    private boolean leaveChanged() throws Exception {
        boolean now = firesNow();
        for (; passed < tables.size(); passed++) {
            long start = tables.start(passed);
            boolean ends = end(start) <= watermark() && end(start) > done();
            if ((now || ends) && !leave(start, false)) {
                return false;
            }
            if (!now && end(start) > watermark()) {
                break;
            }
        }
        return true;
    }

    /** Writes the rows of a window's groups: of all of them, or of those that have changed since their last row. */
    private boolean leave(long start, boolean last) throws Exception {
        KeyedTable<FiredGroup> table = tables.at(start);
        for (; leaving < table.limit(); leaving++) {
            if (last || table.get(leaving).hasChanged()) {
                if (!context().hasRoom()) {
                    return false;
                }
                emit(table, leaving, start, last);
            }
        }
        leaving = 0;
        return true;
    }

    private void emit(KeyedTable<FiredGroup> table, int entry, long start, boolean last) throws Exception {
        table.key(entry, group);
        emit(group, table.edit(entry), start, end(start), last);
    }
}
