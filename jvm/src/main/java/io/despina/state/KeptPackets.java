package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Packets that the keys of a state keep beside their values, for as long as each likes. Snapshots have them as entries of their
 * own, see {@link ListedPackets}. A key that has fallen silent may keep a packet for long, and with it a chunk of memory; so
 * packets should move to other places when most of the memory is free.
 */
final class KeptPackets {
    /** Memory that is not much larger than the packets is good enough. Where faults are looked for, packets move more often. */
    private static final long SLACK = Boolean.getBoolean("despina.checks") ? 0 : 1 << 20;
    /** Packets should move when the memory is so many times as large as they are. */
    private static final int SPARSE = 4;

    private final String name;
    private final int timeColumn;
    private final Function<Packet, Packet> key;
    private final PacketArena arena = new PacketArena();
    private final ListedPackets listed;
    private final ReturnedPackets returned;
    private final Packet view;
    /** The size of the packets. */
    private long live;

    /**
     * What packets are.
     *
     * @param time ordinal of their event time
     * @param key  of a packet, until the next call
     */
    record Kind(Schema schema, int time, Function<Packet, Packet> key) {
    }

    /** @param name of the state */
    KeptPackets(String name, Kind kind, ListedPackets.Part part) {
        this.name = name;
        timeColumn = kind.time;
        key = kind.key;
        listed = new ListedPackets(arena, kind.schema, part);
        returned = new ReturnedPackets(name, kind.schema, part.markable());
        view = new Packet(kind.schema.layout());
    }

    /** Keeps a copy of a packet. @return its place, until it moves */
    long add(Packet packet) {
        live += packet.size();
        return listed.add(packet);
    }

    void mark(long place) {
        listed.mark(place);
    }

    /** Moves {@code into} to a packet. */
    void view(long place, Packet into) {
        arena.view(place, into);
    }

    void remove(long place) {
        arena.view(place, view);
        live -= view.size();
        listed.remove(place);
    }

    /** Whether the packets hold much more memory than they need. */
    boolean isSparse() {
        return arena.ownBytes() >= SPARSE * live + SLACK;
    }

    /** Moves a packet to the other end of the memory. @return its new place */
    long move(long place) {
        arena.view(place, view);
        boolean marked = listed.isMarked(place);
        long to = listed.add(view);
        if (marked) {
            listed.mark(to);
        }
        listed.remove(place);
        return to;
    }

    /** The key of a packet, until the next call. */
    Packet key(Packet packet) {
        return key.apply(packet);
    }

    /** The event time of a packet. */
    long time(Packet packet) {
        return packet.getLong(timeColumn);
    }

    /** The packets now, or what has changed of them since they were last frozen, if that is wanted. */
    Frozen freeze(KeyBuckets buckets, boolean changes) {
        ToIntFunction<Packet> bucket = packet -> buckets.of(key(packet));
        return changes ? listed.freezeChanges(bucket) : listed.freeze(bucket);
    }

    /** Reads an entry, which is one of these packets. It waits for {@link #restoredAll}. */
    void restore(SectionReader entry) throws IOException {
        check(returned.read(entry));
    }

    /** @throws SnapshotException if a packet that was restored has no event time */
    void check(Packet packet) throws SnapshotException {
        StateFormat.checkTime(name, packet, timeColumn);
    }

    /** Gives the packets that were restored, from the oldest on; those of a key come as they were added. */
    void restoredAll(ReturnedPackets.MarkTaker taker) throws SnapshotException {
        returned.giveTo(taker);
    }

    long bytes() {
        return arena.bytes() + listed.bytes() + returned.bytes();
    }

    void clear() {
        listed.clear();
        returned.clear();
        live = 0;
    }
}
