package io.despina.operator.keyed;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.EventOrder;
import io.despina.state.KeyFilter;
import io.despina.state.KeyFilters;
import io.despina.state.ScratchPacket;

/**
 * The first packet of each key, as {@link Deduplicate} has it, in memory of a fixed size. No duplicate leaves. A packet that is
 * none may be dropped, as seldom as {@link KeyFilter.Options#rate} says. A key is forgotten when its time has passed, or up to a
 * seventh of it later. With time per key each clock has a memory of its own. Ports: in; out, late.
 */
public final class ApproximateDeduplicate implements OrderedOperator {
    private final EventOrder order;
    private final Keys by;
    private final KeyFilter.Options options;

    private OperatorContext context;
    private Output out;
    private Ordered ordered;
    private KeyReader keys;
    /** Null with time per key. */
    private KeyFilter seen;
    /** Null without. */
    private KeyFilters seenByClock;
    private ScratchPacket clock;
    private long counted;

    /**
     * @param order of the input's packets; null if it has no event time, and no key is forgotten
     * @param by    packets with equal keys are duplicates
     */
    public ApproximateDeduplicate(EventOrder order, Keys by, KeyFilter.Options options) {
        this.order = order;
        this.by = by;
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        keys = new KeyReader(by, opened.instance());
        if (by.clocks() == null) {
            seen = new KeyFilter("seen", by.schema(), by.buckets(), options);
        } else {
            Keys clocks = by.clocks().keys();
            seenByClock = new KeyFilters("seen", clocks.schema(), clocks.dealing(), options);
            clock = new ScratchPacket(clocks.schema().layout());
        }
        ordered = new Ordered(opened, new Ordered.Packets(order, by, keys),
                new OperatorState(opened).with(seen == null ? seenByClock : seen), this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        Packet packet;
        while (out.hasRoom() && (packet = packets.next()) != null) {
            take(packet, 0);
        }
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        while (input.isReady()) {
            if (!context.hasRoom()) {
                return false;
            }
            take(input.head(), input.headTime());
            input.dropHead();
        }
        return true;
    }

    private void take(Packet packet, long time) throws Exception {
        try {
            Packet key = keys.of(packet);
            if (seen != null ? seen.add(key, time) : seenByClock.add(by.clocks().of(key, clock), key, time)) {
                out.writer().copy(packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        long bytes = seen != null ? seen.bytes() : seenByClock.bytes();
        if (bytes != counted) {
            counted = bytes;
            ordered.report();
        }
    }
}
