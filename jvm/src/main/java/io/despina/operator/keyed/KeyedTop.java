package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.DueClock;
import io.despina.operator.order.DueClocks;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WindowStarts;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spec.Windows;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import java.util.List;

/**
 * The first n packets of each group in each window like {@link Top}, where each key has its own clock ({@link DueClocks}). The
 * clock closes the key's windows, in the order of their ends. Groups that share a clock and a window leave in any order. If all
 * packets are kept and each key is one group, this sorts each window, as {@link Sort} does for all keys together. A bad record
 * moves no clock. The only watermark that comes is that of the end of the input. Ports: in; out, late.
 */
public final class KeyedTop implements Operator, DueClocks.DueGroups {
    private final int timeColumn;
    private final Top.Options options;
    private final Windows windows;
    private final WindowStarts starts;

    private OperatorContext context;
    private Output out;
    private LatePort late;
    private KeyReader keys;
    private PacketRanks.Reader ranks;
    private WindowedRow row;
    private TopRows.RowsFormat format;
    private DueClocks clocks;
    private KeyedTable<TopGroup> groups;
    private OperatorState state;
    private Packet kept;

    /**
     * @param timeColumn ordinal of the input's event time
     * @param options    with windows, and keys that have clocks
     */
    public KeyedTop(int timeColumn, Top.Options options) {
        this.timeColumn = timeColumn;
        this.options = options;
        windows = options.windows();
        starts = new WindowStarts(windows);
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
        clocks = new DueClocks(options.keys().clocks(), this, opened);
        groups = new KeyedTable<>("windows", options.keys().schema(), options.keys().dealing(), new TopGroup.Format(format));
        state = new OperatorState(opened).with(clocks.state(), groups);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        long now = clocks.hear();
        Packet packet;
        while (late.hasRoom() && (packet = packets.next()) != null) {
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

    private void take(Packet packet, long time, long now) throws Exception {
        if (!starts.has(time)) {
            context.badRecord(WindowStarts.outside(time), packet);
            return;
        }
        Packet key;
        Packet rank;
        int entry;
        DueClock clock;
        try {
            key = keys.of(packet);
            entry = groups.find(key);
            clock = entry == KeyedTable.NONE ? clocks.of(packet) : groups.get(entry).clock;
            clock.hear(now);
            rank = ranks.of(packet);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
            return;
        }
        if (starts.last(time) + windows.size() <= clock.watermark()) {
            late.write(packet);
            return;
        }
        if (entry == KeyedTable.NONE) {
            entry = groups.add(key, new TopGroup(clock));
            clocks.add(clock, entry);
        }
        TopGroup group = groups.edit(entry);
        offer(group, rank, packet, time);
        groups.recount(entry);
        clocks.isDue(clock, group.firstEnd(windows.size()));
        clocks.advance(clock, time);
    }

    /** Offers a packet to its windows that are open. */
    private void offer(TopGroup group, Packet rank, Packet packet, long time) {
        long start = starts.last(time);
        if (start + windows.size() > time) {
            group.at(start).packets++;
        }
        while (start + windows.size() > time && start + windows.size() > group.clock.watermark()) {
            TopRows rows = group.at(start);
            if (rows.keeps(rank, format)) {
                rows.offer(rank, packet, format);
            }
            if (start < Long.MIN_VALUE + windows.slide()) {
                return;
            }
            start -= windows.slide();
        }
    }

    @Override
    public long due(int entry) {
        TopGroup group = groups.get(entry);
        return group == null ? NEVER : group.firstEnd(windows.size());
    }

    /** Closes a group's first window. */
    @Override
    public boolean give(int entry) throws Exception {
        TopGroup group = groups.edit(entry);
        TopRows rows = group.first();
        row.bound(group.firstStart(), group.firstEnd(windows.size()));
        while (!rows.isEmpty()) {
            if (!context.hasRoom()) {
                groups.recount(entry);
                return false;
            }
            rows.first(kept, format);
            row.write(kept);
            rows.removeFirst(format);
        }
        group.removeFirst();
        if (group.firstEnd(windows.size()) == NEVER) {
            groups.remove(entry);
        } else {
            groups.recount(entry);
        }
        return true;
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = clocks.timer(micros, windows.size());
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
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        clocks.restored();
        Packet key = new Packet(options.keys().schema().layout());
        for (int entry = 0; entry < groups.limit(); entry++) {
            TopGroup group = groups.get(entry);
            if (group != null) {
                groups.key(entry, key);
                group.clock = clocks.ofGroup(key);
                clocks.add(group.clock, entry);
                clocks.isDue(group.clock, group.firstEnd(windows.size()));
            }
        }
    }
}
