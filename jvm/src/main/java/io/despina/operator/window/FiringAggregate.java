package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.LatePort;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.WallTime;
import io.despina.operator.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import io.despina.state.WindowTables;
import java.util.List;

/**
 * Aggregates over tumbling or sliding windows that fire more than once: before their ends, with each packet or now and then, and
 * again for packets that come a little too late. Each row says which of its group's rows it is, and whether it is the last one.
 * A group has one last row for each window, when the watermark reaches the window's end and the time for late packets after it.
 * A packet is late if all its windows have given their last rows. Ports: in; out, late.
 *
 * <p>By the wall clock, the clock is the watermark, and the time of each packet that is taken; no packet is late.
 */
public final class FiringAggregate implements Operator {
    /** Indexes into {@link #progress}. */
    private static final int WATERMARK = 0;
    /** The last watermark whose rows have all left. */
    private static final int DONE = 1;

    private final int timeColumn;
    private final Window.Fired fired;
    private final Windows windows;
    private final WindowStarts starts;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;
    private final WindowFacts facts = new WindowFacts();

    private OperatorContext context;
    private Output out;
    private LatePort late;
    private KeyReader key;
    private Aggregation aggregation;
    private boolean tries;
    /** Null by event time. */
    private WallTime wall;
    private WindowTables<FiredGroup> tables;
    private NamedNumbers progress;
    private OperatorState state;
    private Packet group;
    private long watermark = Long.MIN_VALUE;
    private long done = Long.MIN_VALUE;

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
        this.timeColumn = timeColumn;
        this.fired = fired;
        this.keys = keys;
        this.compiled = compiled;
        windows = fired.windows();
        starts = new WindowStarts(windows);
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        late = new LatePort(opened, opened.input(0));
        key = new KeyReader(keys, opened.instance());
        aggregation = compiled.instance(opened.instance());
        tries = !opened.failsOnBadRecord() && windows.overlap() > 1;
        group = new Packet(keys.schema().layout());
        tables = new WindowTables<>("windows", keys.schema(), keys.buckets(), new FiredGroup.Format(aggregation));
        progress = new NamedNumbers("progress", Long.MIN_VALUE, Long.MIN_VALUE);
        state = new OperatorState(opened).with(progress, tables);
        if (timeColumn == WallTime.COLUMN) {
            wall = new WallTime(opened);
            state.with(wall.state());
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (wall != null) {
            takeNow(packets);
            return;
        }
        while (context.hasRoom() && late.hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                break;
            }
            if (!packet.isNull(timeColumn) && !take(packet, packet.getLong(timeColumn))) {
                packets.unread();
                break;
            }
        }
        state.report();
    }

    private void takeNow(PacketCursor packets) throws Exception {
        // a packet that is in some of its windows keeps its time, else it would be in others of a later one
        long now = taking ? takenAt : wall.now();
        boolean done = taking || advance(now);
        takenAt = now;
        while (done && context.hasRoom()) {
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
        state.report();
    }

    /** Whichever comes first of a window's end and, where rows leave before that, the next multiple. */
    private void wakeAtFiring() {
        long next = tables.isEmpty() ? Long.MAX_VALUE : end(tables.start(0));
        if (!tables.isEmpty() && fired.every() != Window.Fired.NEVER) {
            next = Math.min(next, (Math.floorDiv(done, fired.every()) + 1) * fired.every());
        }
        context.wakeAt(next);
    }

    /** @return false if there is no more room: read the packet again later */
    private boolean take(Packet packet, long time) throws Exception {
        if (!starts.has(time)) {
            context.badRecord(WindowStarts.outside(time), packet);
            return true;
        }
        if (isOver(starts.last(time))) {
            late.write(packet);
            return true;
        }
        try {
            Packet of = key.of(packet);
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
            context.badRecord(bad, packet);
            return true;
        }
    }

    private long end(long start) {
        return start + windows.size();
    }

    /** Whether the window has given its last rows. */
    private boolean isOver(long start) {
        return EventOrder.plus(end(start), fired.lateWithin()) <= watermark;
    }

    /** Throws if one of its windows refuses the packet. */
    private void check(Packet of, Packet packet, long time) {
        for (long start = starts.last(time); end(start) > time && !isOver(start); start -= windows.slide()) {
            KeyedTable<FiredGroup> table = tables.at(start);
            int entry = table.find(of);
            aggregation.check(entry == KeyedTable.NONE ? aggregation.create() : table.get(entry).accumulator(), packet);
            if (start < Long.MIN_VALUE + windows.slide()) {
                break;
            }
        }
    }

    private boolean update(Packet of, Packet packet, long time) throws Exception {
        while (end(nextStart) > time && !isOver(nextStart)) {
            boolean fires = fired.onChange() || end(nextStart) <= watermark;
            if (fires && !context.hasRoom()) {
                return false;
            }
            update(tables.at(nextStart), of, packet, fires);
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
            Accumulator created = aggregation.create();
            aggregation.update(created, packet);
            entry = table.add(of, new FiredGroup(created));
        } else if (context.failsOnBadRecord()) {
            aggregation.update(table.edit(entry).accumulator(), packet);
        } else {
            aggregation.updateWhole(table.edit(entry).accumulator(), packet);
        }
        table.edit(entry).change();
        table.recount(entry);
        if (fires) {
            emit(table, entry, nextStart, false);
        }
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        return wall != null || advance(grown);
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean all = advance(wall.now());
        if (all) {
            wakeAtFiring();
        }
        return all;
    }

    @Override
    public boolean end() throws Exception {
        return wall == null || advance(Long.MAX_VALUE);
    }

    /** Gives the rows that are due then or before; false if the output is full. */
    private boolean advance(long grown) throws Exception {
        if (grown > watermark) {
            watermark = grown;
            progress.set(WATERMARK, watermark);
        }
        boolean all = leaveLast() && leaveChanged();
        if (all) {
            done = watermark;
            progress.set(DONE, done);
            passed = 0;
        }
        state.report();
        return all;
    }

    /** The last rows of windows; false if the output is full. */
    private boolean leaveLast() throws Exception {
        while (passed == 0 && !tables.isEmpty() && isOver(tables.start(0))) {
            if (!leave(tables.start(0), true)) {
                return false;
            }
            tables.removeFirst();
        }
        return true;
    }

    /** The rows of windows that the watermark has reached the end of, or that fire now and then. */
    private boolean leaveChanged() throws Exception {
        boolean now = fired.every() != Window.Fired.NEVER
                && (done == Long.MIN_VALUE || Math.floorDiv(watermark, fired.every()) > Math.floorDiv(done, fired.every()));
        for (; passed < tables.size(); passed++) {
            long start = tables.start(passed);
            boolean ends = end(start) <= watermark && end(start) > done;
            if ((now || ends) && !leave(start, false)) {
                return false;
            }
            if (!now && end(start) > watermark) {
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
                if (!context.hasRoom()) {
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
        FiredGroup of = table.edit(entry);
        facts.set(start, end(start));
        facts.last = last;
        facts.revision = of.leave();
        try {
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(of.accumulator(), key.forRow(group), null, facts, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("window [" + start + ", " + end(start) + "): " + Reason.of(bad), "");
        }
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(WATERMARK);
        done = progress.get(DONE);
        if (wall != null) {
            // instances that are shared out anew had each given rows up to another instant: the next multiple is for all
            done = wall.now();
            wakeAtFiring();
        }
    }
}
