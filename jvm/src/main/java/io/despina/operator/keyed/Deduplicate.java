package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.EndOfClocks;
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
import io.despina.packet.Type;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.Held;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One packet of all that have the same key and come within a time of the first of them, in event order. The first leaves at once.
 * The last leaves when the watermark has reached the end of that time. The next packet of the key begins anew. Without an event
 * time packets are taken as they arrive. Ports: in; out, late.
 *
 * <p>A key is dropped when its time has passed. All have the same time, so the keys pass in the order in which they began.
 */
public final class Deduplicate implements OrderedOperator {

    /**
     * What counts as a duplicate.
     *
     * @param keys   packets with equal keys are duplicates
     * @param within of the first packet, in microseconds, this end not included; {@code NEVER}
     * @param last   whether the last packet leaves, and not the first; then {@code within} has an end
     */
    public record Options(Keys keys, long within, boolean last) {
    }

    private static final int SINCE = 0;

    private final EventOrder order;
    private final Options options;

    private OperatorContext context;
    private Output out;
    private Ordered ordered;
    private KeyReader keys;
    private KeysAhead ahead;
    private KeyedPackets kept;
    /** By clock, keys by the time at which they began. */
    private final EntryQueues ages = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(ages, clock -> forget(clock, Long.MAX_VALUE));

    /** Stores since when, and the last packet if it leaves. */
    private LastPackets last;
    private ScratchPacket scratch;
    private Packet view;

    /** @param order of the input's packets; null if it has no event time, and {@code within} no end */
    public Deduplicate(EventOrder order, Options options) {
        this.order = order;
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        keys = new KeyReader(options.keys(), opened.instance());
        ahead = new KeysAhead(options.keys(), opened);
        Schema input = opened.input(0);
        Schema own = LastPackets.own(input, Type.Simple.BIGINT);
        last = new LastPackets(input, own, options.last() ? IntStream.range(0, input.size()).boxed().toList() : List.of());
        Schema stored = last.kept(own);
        scratch = new ScratchPacket(stored.layout());
        view = new Packet(stored.layout());
        kept = new KeyedPackets("kept", options.keys().schema(), options.keys().dealing(), stored);
        ordered = new Ordered(opened, new Ordered.Packets(order, options.keys(), keys),
                new OperatorState(opened).with(kept).counting(ages::bytes), this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public long reach() {
        return options.last() ? options.within() : 1;
    }

    @Override
    public void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        Packet packet;
        while (out.hasRoom() && (packet = ahead.next(packets, kept.table())) != null) {
            take(packet, 0);
        }
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        boolean done = true;
        while (done && input.isReady()) {
            long time = input.headTime();
            done = giveDue(time) && context.hasRoom();
            if (done) {
                ahead.before(input, kept.table());
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
            int entry = kept.find(key);
            if (entry == KeyedTable.NONE) {
                ages.add(ordered.clock(), kept.add(key, row(packet, time)));
                grown = true;
                if (!options.last()) {
                    out.writer().copy(packet);
                }
            } else if (options.last()) {
                kept.view(entry, view);
                row(packet, view.getLong(SINCE));
                grown = kept.put(entry, key, scratch);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        if (grown) {
            ordered.report();
        }
    }

    /** What the table keeps of {@code packet}, in the scratch. */
    private Packet row(Packet packet, long since) {
        PacketWriter writer = scratch.begin();
        writer.setLong(SINCE, since);
        last.keep(packet, writer);
        return scratch.commit();
    }

    /** Drops the keys whose time ends at {@code time} or before; at the end of the input those of all clocks. */
    @Override
    public boolean giveDue(long time) throws Exception {
        if (options.within() == NEVER) {
            return true;
        }
        return time == Long.MAX_VALUE ? atEnd.give() : forget(ordered.clock(), time);
    }

    private boolean forget(int clock, long time) {
        for (int entry = ages.first(clock); entry != EntryQueues.NONE; entry = ages.first(clock)) {
            kept.view(entry, view);
            long since = view.getLong(SINCE);
            // Unsigned: the difference may be more than a long holds.
            if (time != Long.MAX_VALUE && (time < since || Long.compareUnsigned(time - since, options.within()) < 0)) {
                return true;
            }
            if (options.last()) {
                if (!context.hasRoom()) {
                    return false;
                }
                out.writer().copy(last.of(view));
            }
            ahead.beforeRemoval(ages, clock, kept.table());
            ages.remove(entry);
            kept.remove(entry);
        }
        return true;
    }

    /** A key's last packet so far has not left either. */
    @Override
    public Held held() {
        return OrderedOperator.super.held().plus(Held.waiting(options.last() ? kept.size() : 0));
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        Packet keyView = new Packet(options.keys().schema().layout());
        ages.restore(kept.limit(), entry -> kept.view(entry, view), entry -> {
            kept.view(entry, view);
            return view.getLong(SINCE);
        }, entry -> {
            kept.key(entry, keyView);
            return ordered.clockOf(keyView);
        });
    }
}
