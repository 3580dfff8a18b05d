package io.despina.operator.window;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.operator.order.LastPackets;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.NamedNumbers;
import io.despina.state.ScratchPacket;
import java.util.List;

/**
 * A fold over the packets of each group, in event order: a packet waits until the watermark passes it. Without an event time
 * packets are folded as they arrive. Ports: in; out, late. The state of a group is never dropped.
 *
 * <p>At the end it may emit one more row per group, in the order in which the groups appeared, from the group's last packet and
 * final state. The final state is then both the state before and the state after.
 */
public final class Scan implements OrderedOperator {

    /**
     * The fold.
     *
     * @param keys     of the groups
     * @param state    schema of the state, one column per name
     * @param initial  over (packet): the state before a group's first packet
     * @param next     over (packet, state): the state after a packet
     * @param emitWhen over (packet, state, next): whether a row is emitted; null for always
     * @param select   over (packet, state, next): the row
     * @param last     columns of the packet that {@code select} reads; null if there is no row at the end
     */
    public record Fold(Keys keys, Schema state, Compiled<Projection> initial, Compiled<Projection> next,
            Compiled<Predicate> emitWhen, Compiled<Projection> select, List<Integer> last) {
    }

    private static final int EMITTED = 0;

    private final EventOrder order;
    private final Fold fold;

    private OperatorContext context;
    private Output out;
    private Ordered ordered;
    private KeyReader keys;
    private KeysAhead ahead;
    private Projection initial;
    private Projection next;
    private Predicate emitWhen;
    private Projection select;
    private LastPackets last;
    private KeyedPackets folded;
    private NamedNumbers progress;

    private ScratchPacket first;
    private ScratchPacket after;
    private Packet view;
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
        ahead = new KeysAhead(fold.keys(), opened);
        last = new LastPackets(opened.input(0), fold.state(), fold.last() == null ? List.of() : fold.last());
        Schema kept = last.kept(fold.state());
        first = new ScratchPacket(fold.state().layout(), opened.maxPacketBytes());
        after = new ScratchPacket(kept.layout(), opened.maxPacketBytes());
        view = new Packet(kept.layout());
        folded = new KeyedPackets("folded", fold.keys().schema(), fold.keys().dealing(), kept);
        progress = new NamedNumbers("progress", 0);
        OperatorState state = new OperatorState(opened).with(folded);
        if (fold.last() != null) {
            state.with(progress);
        }
        ordered = new Ordered(opened, new Ordered.Packets(order, fold.keys(), keys), state, this);
    }

    private void openExpressions(int instance) {
        keys = new KeyReader(fold.keys(), instance);
        initial = fold.initial().instance(instance);
        next = fold.next().instance(instance);
        emitWhen = fold.emitWhen() == null ? null : fold.emitWhen().instance(instance);
        select = fold.select().instance(instance);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        Packet packet;
        while (out.hasRoom() && (packet = ahead.next(packets, folded.table())) != null) {
            fold(packet);
        }
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        while (input.isReady() && context.hasRoom()) {
            ahead.before(input, folded.table());
            fold(input.head());
            input.dropHead();
        }
        return !input.isReady();
    }

    private void fold(Packet packet) throws Exception {
        boolean grown = false;
        try {
            Packet key = keys.of(packet);
            int entry = entryOf(key);
            Packet before = before(packet, entry);
            two[0] = packet;
            two[1] = before;
            PacketWriter following = after.begin();
            next.apply(two, following);
            last.keep(packet, following);
            Packet then = after.commit();
            if (emits(packet, before, then)) {
                emit();
            }
            grown = folded.put(entry, key, after);
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        if (grown) {
            ordered.report();       // at once, because each packet copies the grown state
        }
    }

    /** Without groups there is one entry, number 0, and no lookup. */
    private int entryOf(Packet key) {
        if (!fold.keys().isNone()) {
            return folded.find(key);
        }
        return folded.size() == 0 ? KeyedTable.NONE : 0;
    }

    private Packet before(Packet packet, int entry) {
        if (entry != KeyedTable.NONE) {
            folded.view(entry, view);
            return view;
        }
        one[0] = packet;
        initial.apply(one, first.begin());
        return first.commit();
    }

    private boolean emits(Packet packet, Packet before, Packet then) {
        three[0] = packet;
        three[1] = before;
        three[2] = then;
        return emitWhen == null || emitWhen.test(three);
    }

    private void emit() {
        PacketWriter row = out.writer().begin();
        select.apply(three, row);
        row.commit();
    }

    @Override
    public boolean end() throws Exception {
        if (fold.last() == null) {
            return true;
        }
        for (int k = (int) progress.get(EMITTED); k < folded.limit(); k++) {
            progress.set(EMITTED, k);
            if (!context.hasRoom()) {
                return false;
            }
            emitFinal(k);
        }
        progress.set(EMITTED, folded.limit());
        return true;
    }

    private void emitFinal(int entry) throws Exception {
        folded.view(entry, view);
        three[0] = last.of(view);
        three[1] = view;
        three[2] = view;
        try {
            emit();
        } catch (RuntimeException bad) {
            context.badRecord("a group at the end: " + Reason.of(bad), "");
        }
    }

    /** Where groups have a row at the end, so has the last packet of each. */
    @Override
    public Held held() {
        return OrderedOperator.super.held().plus(Held.waiting(fold.last() == null ? 0 : folded.size()));
    }
}
