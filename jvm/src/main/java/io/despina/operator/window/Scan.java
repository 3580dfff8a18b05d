package io.despina.operator.window;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.OrderedInput;
import io.despina.operator.Output;
import io.despina.operator.SnapshotReader;
import io.despina.operator.SnapshotWriter;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.EventOrder;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.io.IOException;

/**
 * A fold over the packets of each group, in event order: a packet waits until the watermark passes it. Without an event time
 * packets are folded as they arrive. Ports: in; out, late. The state of a group is kept for ever.
 */
public final class Scan implements Operator {

    /**
     * What is folded and how.
     *
     * @param keys     of the groups
     * @param state    schema of the state, one column per name
     * @param initial  over (packet): the state before a group's first packet
     * @param next     over (packet, state): the state after a packet
     * @param emitWhen over (packet, state, next): whether a row is emitted; null for always
     * @param select   over (packet, state, next): the row
     */
    public record Fold(Keys keys, Schema state, Compiled<Projection> initial, Compiled<Projection> next,
            Compiled<Predicate> emitWhen, Compiled<Projection> select) {
    }

    private final EventOrder order;
    private final Fold fold;

    private OperatorContext context;
    private Output out;
    private OrderedInput ordered;
    private KeyReader keys;
    private Projection initial;
    private Projection next;
    private Predicate emitWhen;
    private Projection select;
    private KeyedPackets folded;
    private OperatorState state;

    private ScratchPacket first;
    private ScratchPacket after;
    private Packet kept;
    /** The inputs of {@code initial}, of {@code next}, and of {@code emitWhen} and {@code select}. */
    private final Packet[] one = new Packet[1];
    private final Packet[] two = new Packet[2];
    private final Packet[] three = new Packet[3];

    /** @param order of the input's packets; null if it has no event time */
    public Scan(EventOrder order, Fold fold) {
        this.order = order;
        this.fold = fold;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        openExpressions(opened.instance());
        folded = new KeyedPackets("folded", fold.keys().schema(), fold.keys().buckets(), fold.state());
        state = new OperatorState(opened).with(folded);
        if (order != null) {
            ordered = new OrderedInput(opened, 0, order, opened.input(0), "");
            state.with(ordered.states());
        }
    }

    private void openExpressions(int instance) {
        keys = new KeyReader(fold.keys(), instance);
        initial = fold.initial().instance(instance);
        next = fold.next().instance(instance);
        emitWhen = fold.emitWhen() == null ? null : fold.emitWhen().instance(instance);
        select = fold.select().instance(instance);
        first = new ScratchPacket(fold.state().layout(), context.maxPacketBytes());
        after = new ScratchPacket(fold.state().layout(), context.maxPacketBytes());
        kept = new Packet(fold.state().layout());
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (ordered != null) {
            ordered.accept(packets);
        } else {
            foldAsTheyCome(packets);
        }
        state.report();
    }

    private void foldAsTheyCome(PacketCursor packets) throws Exception {
        while (out.hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                return;
            }
            fold(packet);
        }
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        if (ordered == null) {
            return true;
        }
        ordered.watermark(watermark);
        while (ordered.isReady() && context.hasRoom()) {
            fold(ordered.waiting().head());
            ordered.waiting().dropHead();
        }
        state.report();
        return !ordered.isReady();
    }

    private void fold(Packet packet) throws Exception {
        boolean grown = false;
        try {
            Packet key = keys.of(packet);
            int entry = entryOf(key);
            Packet before = before(packet, entry);
            two[0] = packet;
            two[1] = before;
            next.apply(two, after.begin());
            Packet then = after.commit();
            emit(packet, before, then);
            grown = folded.put(entry, key, after);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        if (grown) {
            state.report();     // now, for a call may take many packets, each of which copies what has grown
        }
    }

    /** Without groups there is one entry, the first, and nothing to look up. */
    private int entryOf(Packet key) {
        if (!fold.keys().isNone()) {
            return folded.find(key);
        }
        return folded.size() == 0 ? KeyedTable.NONE : 0;
    }

    private Packet before(Packet packet, int entry) {
        if (entry != KeyedTable.NONE) {
            folded.view(entry, kept);
            return kept;
        }
        one[0] = packet;
        initial.apply(one, first.begin());
        return first.commit();
    }

    private void emit(Packet packet, Packet before, Packet then) {
        three[0] = packet;
        three[1] = before;
        three[2] = then;
        if (emitWhen == null || emitWhen.test(three)) {
            PacketWriter row = out.writer().begin();
            select.apply(three, row);
            row.commit();
        }
    }

    @Override
    public void snapshot(SnapshotWriter writer) throws IOException {
        state.snapshot(writer);
    }

    @Override
    public void restore(SnapshotReader reader) throws IOException {
        state.restore(reader);
        if (ordered != null) {
            ordered.restored();
        }
    }
}
