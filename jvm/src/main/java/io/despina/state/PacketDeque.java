package io.despina.state;

import io.despina.packet.Packet;

/** Packets of one key by time, added at the end and removed from the front; an arena that all keys share holds their bytes. */
public final class PacketDeque {
    private static final int OBJECT_BYTES = 64;

    private final ListedPackets listed;
    private final PlaceRing ring = new PlaceRing();

    PacketDeque(ListedPackets listed) {
        this.listed = listed;
    }

    /** Stores a copy of {@code packet}, whose time is not before that of the last one. Snapshots have it after {@link #list}. */
    public void add(long time, Packet packet) {
        ring.add(time, listed.arena().add(packet), 0);
    }

    /** Snapshots have the k-th packet from now on. Those before it are listed already. */
    public void list(int k) {
        listed.list(ring.place(k));
    }

    public int size() {
        return ring.size();
    }

    public boolean isEmpty() {
        return ring.isEmpty();
    }

    /** Time of the first packet. */
    public long firstTime() {
        return ring.firstTime();
    }

    /** Time of the last packet. */
    public long lastTime() {
        return ring.lastTime();
    }

    public void removeFirst() {
        listed.remove(ring.firstPlace());
        ring.removeFirst();
    }

    /** Moves {@code into} to the k-th packet. */
    public void view(int k, Packet into) {
        listed.arena().view(ring.place(k), into);
    }

    /** Memory besides the arena's, in bytes. */
    public long bytes() {
        return OBJECT_BYTES + ring.bytes();
    }
}
