package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedDeques;
import io.despina.state.KeyedTable;
import io.despina.state.PacketDeque;
import io.despina.state.State;
import java.util.List;

/**
 * Emits a row per packet, in event order: the aggregates over the packets of its group in [t - size, t], both ends and packets of
 * equal time included. So all packets of a time are taken before the row of the first of them. Where packets wait, and when a
 * group is forgotten, is left to the operator.
 */
abstract class TrailingRows implements Operator {

    /**
     * What is aggregated.
     *
     * @param order of the input's packets
     * @param size  microseconds, not negative
     * @param keys  of the groups
     */
    record Trailed(EventOrder order, long size, Keys keys, Compiled<Aggregation> compiled) {
    }

    private final Trailed of;
    private final WindowFacts facts = new WindowFacts();

    private OperatorContext context;
    private Output out;
    private InOrder ordered;
    private KeyReader key;
    private Aggregation aggregation;
    private KeyedTable<TrailingWindow> trails;
    /** Holds the packets of the windows, and is what a snapshot has of them. */
    private KeyedDeques<TrailingWindow> packets;
    private OperatorState state;

    private Packet current;
    private Packet view;

    TrailingRows(Trailed of) {
        this.of = of;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        key = new KeyReader(of.keys, opened.instance());
        aggregation = of.compiled.instance(opened.instance());
        current = new Packet(opened.input(0).layout());
        view = new Packet(opened.input(0).layout());
        trails = new KeyedTable<>("trails", of.keys.schema(), of.keys.dealing(), TrailingContent.format(opened.input(0)));
        packets = new KeyedDeques<>(trails, opened.input(0),
                new TrailingContent(key::of, packet -> packet.getLong(of.order.time()), this::window));
        ordered = input(opened, of, key);
        state = new OperatorState(opened).with(ordered.states()).with(packets)
                .counting(this::moreBytes);
    }

    /** Opens the input. */
    abstract InOrder input(OperatorContext opened, Trailed of, KeyReader keys);

    final InOrder ordered() {
        return ordered;
    }

    @Override
    public final void process(int port, PacketCursor packets) throws Exception {
        ordered.accept(packets);
        state.report();
    }

    @Override
    public final boolean timer(long micros) throws Exception {
        boolean done = ordered.timer(micros, 1);
        state.report();
        return done;
    }

    @Override
    public final boolean watermark(long watermark) throws Exception {
        ordered.watermark(watermark);
        boolean done = takeReady();
        state.report();
        return done;
    }

    /** Memory beside the groups. */
    long moreBytes() {
        return 0;
    }

    /** The first that waits; {@link #taken} or {@link #refused} says what has become of it. */
    abstract Packet next();

    /** It is the first of a group. */
    void begun(int entry) {
    }

    /** It is in the window of its group. @param from earlier packets than this are in no window of its key any more */
    abstract void taken(int entry, long from);

    /** It is a bad packet. */
    abstract void refused();

    /** How many have been taken whose rows have not been given. */
    abstract int peers();

    /** The event time of those. */
    abstract long peersTime();

    /** Moves {@code into} to the first of those. */
    abstract void firstPeer(Packet into);

    /** The row of the first of those has been given. */
    abstract void dropPeer();

    /** Takes what is ready, and gives its rows; false if there is no room. */
    final boolean takeReady() throws Exception {
        boolean done = true;
        while (done && (peers() > 0 || ordered.isReady())) {
            done = takePeers() && emitPeers();
        }
        return done;
    }

    /**
     * Adds all packets of the earliest time to their windows; their rows follow. After a pause it continues with the same time,
     * for which no more packets arrive.
     *
     * @return false if there is no room for bad packets
     */
    private boolean takePeers() throws Exception {
        long time = peers() > 0 ? peersTime() : ordered.headTime();
        while (ordered.isReady() && ordered.headTime() == time) {
            if (!context.hasRoom()) {
                return false;
            }
            Packet packet = next();
            try {
                int entry = trail(key.of(packet), time, packet);
                taken(entry, time - of.size);
            } catch (RuntimeException bad) {
                context.badRecord(bad, packet);
                refused();
            }
        }
        return true;
    }

    private TrailingWindow window(PacketDeque all) {
        return new TrailingWindow(aggregation, !context.failsOnBadRecord(), all, view);
    }

    private int trail(Packet ofGroup, long time, Packet packet) {
        if (time < Long.MIN_VALUE + of.size) {
            throw new ArithmeticException("the window before its event time, " + time + " microseconds since 1970, "
                    + "begins before what a TIMESTAMP holds");
        }
        int entry = trails.find(ofGroup);
        TrailingWindow window = entry == KeyedTable.NONE ? window(packets.newDeque()) : trails.edit(entry);
        window.evict(time - of.size);
        window.add(time, packet);
        if (entry == KeyedTable.NONE) {
            entry = trails.add(ofGroup, window);
            begun(entry);
            return entry;
        }
        trails.recount(entry);
        return entry;
    }

    /** Forgets a group, whose packets are all before {@code from}. */
    final void forget(int entry, long from) {
        trails.edit(entry).evict(from);
        trails.remove(entry);
    }

    /** Emits the rows of the packets taken; false if the output is full. */
    private boolean emitPeers() throws Exception {
        while (peers() > 0) {
            if (!context.hasRoom()) {
                return false;
            }
            firstPeer(current);
            emit(current);
            dropPeer();
        }
        return true;
    }

    private void emit(Packet packet) throws Exception {
        Packet ofGroup = key.of(packet);
        TrailingWindow window = trails.edit(trails.find(ofGroup));
        window.emitted();
        try {
            long time = packet.getLong(of.order.time());
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(window.result(), key.forRow(ofGroup), packet, facts.set(time - of.size, time), row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    final KeyedTable<TrailingWindow> trails() {
        return trails;
    }

    /** Those taken have rows to come, while there is no room for them. */
    @Override
    public Held held() {
        return Operator.super.held().plus(Held.waiting(peers()));
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        ordered.restored();
    }
}
