package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.operator.order.LastPackets;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.util.List;

/**
 * A row for each group of which nothing has come for a time, as the watermark passes that moment. It may be repeated until a
 * packet comes, which then also leaves by port {@code back}. Ports: in; out, late, back. A group is never forgotten. By the wall
 * clock, the clock is the watermark, and the time of each packet that is taken; no packet is late.
 *
 * <p>All groups wait for the same time, so those that are present run out in the order of their last packets, and those that are
 * absent repeat in the order in which they did before: two queues, and a packet costs the same however many groups there are.
 */
public final class Absence implements OrderedOperator {
    /** What {@code select} may name besides the packet. */
    public static final Schema ABSENCE = Schema.of(new Column("since", Type.Simple.TIMESTAMP, false),
            new Column("at", Type.Simple.TIMESTAMP, false));

    /**
     * What is reported.
     *
     * @param within a group is absent when nothing came for longer, in microseconds
     * @param repeat from one row of an absence to the next, in microseconds; {@code NEVER}
     * @param select over (the group's last packet, {@link #ABSENCE})
     * @param reads  ordinals of the packet's columns that {@code select} reads
     */
    public record Options(Keys keys, long within, long repeat, Compiled<Projection> select, List<Integer> reads) {
        public Options {
            reads = List.copyOf(reads);
        }
    }

    private static final int BACK = 2;
    /** Own columns of what is kept: the last packet's time, the next row's, and whether one was given. */
    private static final int SINCE = 0;
    private static final int NEXT = 1;
    private static final int ABSENT = 2;

    private final EventOrder order;
    private final Options options;

    private OperatorContext context;
    private Output out;
    private Output back;
    private Ordered ordered;
    private KeyReader keys;
    private KeysAhead ahead;
    private Projection select;
    private LastPackets last;
    private KeyedPackets groups;
    /** By clock, groups by when their rows are due. */
    private final EntryQueues present = new EntryQueues();
    /** Those whose rows are repeated. */
    private final EntryQueues absent = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(present, clock -> miss(clock, Long.MAX_VALUE));

    private ScratchPacket scratch;
    private Packet view;
    private Packet keyView;
    private final ScratchPacket absence = new ScratchPacket(ABSENCE.layout());
    private final Packet[] two = new Packet[2];

    /** @param order of the input's packets; null: by the wall clock */
    public Absence(EventOrder order, Options options) {
        this.order = order;
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        back = opened.output(BACK);
        keys = new KeyReader(options.keys(), opened.instance());
        ahead = new KeysAhead(options.keys(), opened);
        select = options.select().instance(opened.instance());
        Schema input = opened.input(0);
        Schema own = LastPackets.own(input, Type.Simple.BIGINT, Type.Simple.BIGINT, Type.Simple.BOOLEAN);
        last = new LastPackets(input, own, options.reads());
        Schema kept = last.kept(own);
        scratch = new ScratchPacket(kept.layout());
        view = new Packet(kept.layout());
        keyView = new Packet(options.keys().schema().layout());
        groups = new KeyedPackets("groups", options.keys().schema(), options.keys().dealing(), kept);
        OperatorState state = new OperatorState(opened).with(groups).counting(() -> present.bytes() + absent.bytes());
        ordered = order == null ? new Ordered(opened, state, this)
                : new Ordered(opened, new Ordered.Packets(order, options.keys(), keys), state, this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        Packet packet;
        while (back.hasRoom() && context.hasRoom() && (packet = ahead.next(packets, groups.table())) != null) {
            take(packet, now);
        }
    }

    /** A group's row is due once its moment has passed. */
    @Override
    public long firstDue() {
        int entry = first(0, true);
        return entry == EntryQueues.NONE ? Long.MAX_VALUE : EventOrder.plus(next(entry), 1);
    }

    @Override
    public long reach() {
        return EventOrder.plus(options.within(), 1);
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        boolean done = true;
        while (done && input.isReady()) {
            long time = input.headTime();
            ahead.before(input, groups.table());
            done = giveDue(time) && repeat(input.head(), time) && back.hasRoom() && context.hasRoom();
            if (done) {
                take(input.head(), time);
                input.dropHead();
            }
        }
        return done && giveDue(input.watermark());
    }

    private void take(Packet packet, long time) throws Exception {
        boolean grown = false;
        try {
            Packet key = keys.of(packet);
            int entry = groups.find(key);
            if (entry != KeyedTable.NONE) {
                groups.view(entry, view);
                if (!view.getBoolean(ABSENT)) {
                    present.remove(entry);
                } else {
                    back.writer().copy(packet);
                    if (options.repeat() != NEVER) {
                        absent.remove(entry);
                    }
                }
            }
            grown = keep(entry, key, packet, time, EventOrder.plus(time, options.within()), false);
            present.add(ordered.clock(), entry == KeyedTable.NONE ? groups.find(key) : entry);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        if (grown) {
            ordered.report();
        }
    }

    private boolean keep(int entry, Packet key, Packet packet, long since, long next, boolean isAbsent) {
        PacketWriter writer = scratch.begin();
        writer.setLong(SINCE, since);
        writer.setLong(NEXT, next);
        writer.setBoolean(ABSENT, isAbsent);
        last.keep(packet, writer);
        scratch.commit();
        return groups.put(entry, key, scratch);
    }

    /**
     * Gives the rows that are due before {@code time}, in order. At the end of the input all groups that are present give theirs,
     * and rows are repeated by {@link #repeat}.
     */
    @Override
    public boolean giveDue(long time) throws Exception {
        return time == Long.MAX_VALUE ? atEnd.give() : miss(ordered.clock(), time);
    }

    private boolean miss(int clock, long time) throws Exception {
        while (true) {
            int entry = first(clock, !ordered.hasEnded());
            if (entry == EntryQueues.NONE) {
                return true;
            }
            groups.view(entry, view);
            if (!EventOrder.passed(time, view.getLong(NEXT))) {
                return true;
            }
            if (!context.hasRoom()) {
                return false;
            }
            miss(entry, clock);
        }
    }

    /**
     * At the end of the input, repeats the group's rows up to its next packet. How far other groups' packets go does not matter
     * then: they may be in another instance.
     *
     * @return false if there is no room
     */
    private boolean repeat(Packet packet, long time) throws Exception {
        if (options.repeat() == NEVER || !ordered.hasEnded()) {
            return true;
        }
        int entry;
        try {
            entry = groups.find(keys.of(packet));
        } catch (RuntimeException bad) {
            return true;        // a bad record, as it turns out when it is taken
        }
        while (entry != KeyedTable.NONE && is(entry, true) && view.getLong(NEXT) < time) {
            if (!context.hasRoom()) {
                return false;
            }
            miss(entry, ordered.clock());
        }
        return true;
    }

    /** The group of a clock whose row is due before all others. */
    private int first(int clock, boolean repeats) {
        int missing = present.first(clock);
        int missed = repeats ? absent.first(clock) : EntryQueues.NONE;
        if (missing == EntryQueues.NONE || missed == EntryQueues.NONE) {
            return Math.max(missing, missed);
        }
        groups.view(missing, view);
        long next = view.getLong(NEXT);
        groups.view(missed, view);
        return next <= view.getLong(NEXT) ? missing : missed;
    }

    private void miss(int entry, int clock) throws Exception {
        long since = view.getLong(SINCE);
        long at = view.getLong(NEXT);
        (view.getBoolean(ABSENT) ? absent : present).remove(entry);
        PacketWriter moment = absence.begin();
        moment.setLong(SINCE, since);
        moment.setLong(NEXT, at);
        two[0] = last.of(view);
        two[1] = absence.commit();
        try {
            PacketWriter row = out.writer().begin();
            select.apply(two, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("a group of which nothing came: " + Reason.of(bad), "");
        }
        groups.key(entry, keyView);
        keep(entry, keyView, two[0], since, options.repeat() == NEVER ? at : after(at), true);
        if (options.repeat() != NEVER) {
            absent.add(clock, entry);
        }
    }

    /** When a row is repeated. A clock that comes back after hours, as a job is restarted, does not repeat it for all of them. */
    private long after(long at) {
        long next = EventOrder.plus(at, options.repeat());
        long now = ordered.wallNow();
        return next >= now ? next : next + (now - 1 - next) / options.repeat() * options.repeat();
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        present.restore(groups.limit(), entry -> is(entry, false), this::next, this::clockOf);
        absent.restore(groups.limit(), entry -> options.repeat() != NEVER && is(entry, true), this::next, this::clockOf);
    }

    private int clockOf(int entry) {
        groups.key(entry, keyView);
        return ordered.clockOf(keyView);
    }

    private boolean is(int entry, boolean isAbsent) {
        return groups.view(entry, view) && view.getBoolean(ABSENT) == isAbsent;
    }

    private long next(int entry) {
        groups.view(entry, view);
        return view.getLong(NEXT);
    }
}
