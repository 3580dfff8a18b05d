package io.despina.operator.keyed;

import io.despina.operator.order.Keys;
import io.despina.operator.order.LastPackets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.KeyedPackets;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.util.List;

/**
 * Groups that have rows at points of time: of each its last packet, with that one's time, and the first point without a row.
 */
final class SampledGroups {
    /** Own columns of what is kept. */
    private static final int SINCE = 0;
    private static final int NEXT = 1;

    private final KeyedPackets table;
    private final LastPackets last;
    private final ScratchPacket scratch;
    private final Packet view;
    private final Packet key;

    /**
     * @param name  of the state
     * @param reads ordinals of the columns of a packet that rows are made of
     */
    SampledGroups(String name, Schema input, Keys keys, List<Integer> reads) {
        Schema own = LastPackets.own(input, Type.Simple.BIGINT, Type.Simple.BIGINT);
        last = new LastPackets(input, own, reads);
        Schema kept = last.kept(own);
        scratch = new ScratchPacket(kept.layout());
        view = new Packet(kept.layout());
        key = new Packet(keys.schema().layout());
        table = new KeyedPackets(name, keys.schema(), keys.dealing(), kept);
    }

    /** The entry of a group, or {@link io.despina.state.KeyedTable#NONE}. */
    int find(Packet of) {
        return table.find(of);
    }

    /** Looks at a group; false if there is none at that entry. */
    boolean look(int entry) {
        return table.view(entry, view);
    }

    /** Of the group that was looked at last, the time of its last packet. */
    long since() {
        return view.getLong(SINCE);
    }

    /** Of the same, the first point without a row. */
    long next() {
        return view.getLong(NEXT);
    }

    /** Of the same, the last packet, until the table changes. */
    Packet last() {
        return last.of(view);
    }

    /** The key of a group, until the next call. */
    Packet key(int entry) {
        table.key(entry, key);
        return key;
    }

    /**
     * Keeps a group's last packet.
     *
     * @param entry of the group, or {@link io.despina.state.KeyedTable#NONE} for a new one
     * @return whether the bytes of the state may have changed
     */
    boolean keep(int entry, Packet of, Packet packet, long since, long next) {
        PacketWriter writer = scratch.begin();
        writer.setLong(SINCE, since);
        writer.setLong(NEXT, next);
        last.keep(packet, writer);
        scratch.commit();
        return table.put(entry, of, scratch);
    }

    /** The same packet with another point. */
    void keep(int entry, Packet packet, long since, long next) {
        keep(entry, key(entry), packet, since, next);
    }

    void remove(int entry) {
        table.remove(entry);
    }

    /** Entries are below this. */
    int limit() {
        return table.limit();
    }

    /** How many groups there are. */
    int size() {
        return table.size();
    }

    State state() {
        return table;
    }
}
