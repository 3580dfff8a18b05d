package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.InOrderInputs;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.PacketDeque;
import java.util.Arrays;

/**
 * Emits a row per packet like {@link TrailingAggregate}, where each key has a clock of its own: when the key's watermark passes
 * the packet. By then all packets of that key and time have come, and no other key's are in their windows. Ports: in; out, late.
 */
public final class KeyedTrailing extends TrailingRows {
    private static final int FIRST = 8;

    private final Keys keys;
    /** By clock, groups by the time of their last packets. */
    private final EntryQueues ages = new EntryQueues();
    /** The groups of the packets taken, elements [first, end): each packet is the first of its group that has given no row. */
    private int[] peers = new int[FIRST];
    private int first;
    private int end;
    private long peersTime;

    /**
     * @param order of the input's packets
     * @param size  microseconds, not negative
     * @param keys  of the groups, with clocks
     */
    public KeyedTrailing(EventOrder order, long size, Keys keys, Compiled<Aggregation> compiled) {
        super(new Trailed(order, size, keys, compiled));
        this.keys = keys;
    }

    @Override
    InOrder input(OperatorContext opened, Trailed of, KeyReader reader) {
        return InOrderInputs.open(opened, of.order(), keys, reader, input -> takeReady());
    }

    @Override
    long moreBytes() {
        return ages.bytes() + (long) peers.length * Integer.BYTES;
    }

    @Override
    Packet next() {
        return ordered().head();
    }

    @Override
    void begun(int entry) {
        ages.add(ordered().clock(), entry);
    }

    @Override
    void taken(int entry, long from) {
        peersTime = ordered().headTime();
        ordered().dropHead();
        if (first == end) {
            first = 0;
            end = 0;
        } else if (end == peers.length) {
            peers = Arrays.copyOf(peers, 2 * end);
        }
        peers[end++] = entry;
        int clock = ordered().clock();
        ages.remove(entry);
        ages.add(clock, entry);
        for (int old = ages.first(clock); trails().get(old).isOver(from); old = ages.first(clock)) {
            ages.remove(old);
            forget(old, from);
        }
    }

    @Override
    void refused() {
        ordered().dropHead();
    }

    @Override
    int peers() {
        return end - first;
    }

    @Override
    long peersTime() {
        return peersTime;
    }

    @Override
    void firstPeer(Packet into) {
        TrailingWindow window = trails().get(peers[first]);
        window.packets().view(window.packets().size() - window.unemitted(), into);
    }

    @Override
    void dropPeer() {
        first++;
    }

    @Override
    public void restored() {
        super.restored();
        first = 0;
        end = 0;
        Packet key = new Packet(keys.schema().layout());
        ages.restore(trails().limit(), entry -> trails().get(entry) != null, entry -> {
            PacketDeque packets = trails().get(entry).packets();
            return packets.isEmpty() ? Long.MIN_VALUE : packets.lastTime();
        }, entry -> {
            trails().key(entry, key);
            return ordered().clockOf(key);
        });
    }
}
