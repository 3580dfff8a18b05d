package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** Packets of one key by time, added at the end and removed from the front; a shared arena holds their bytes. */
public final class PacketDeque {
    private static final int OBJECT_BYTES = 64;

    private final PacketArena arena;
    private final PlaceRing ring = new PlaceRing();

    public PacketDeque(PacketArena arena) {
        this.arena = arena;
    }

    /** Stores a copy of {@code packet}, whose time is not before that of the last packet. */
    public void add(long time, Packet packet) {
        ring.add(time, arena.add(packet), 0);
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
        arena.free(ring.firstPlace());
        ring.removeFirst();
    }

    /** Moves {@code into} to the k-th packet. */
    public void view(int k, Packet into) {
        arena.view(ring.place(k), into);
    }

    /** Memory besides the arena's, in bytes. */
    public long bytes() {
        return OBJECT_BYTES + ring.bytes();
    }

    /** Writes the first {@code count} packets. */
    public void write(DataOutput out, int count, Packet view) throws IOException {
        out.writeInt(count);
        for (int k = 0; k < count; k++) {
            view(k, view);
            out.writeLong(ring.time(k));
            StateFormat.writePacket(out, view);
        }
    }

    /** Adds what {@link #write} wrote. */
    public void read(DataInput in, String name, Packet view) throws IOException {
        int count = StateFormat.readCount(in, name, Integer.MAX_VALUE);
        for (int k = 0; k < count; k++) {
            long time = in.readLong();
            if (!ring.isEmpty() && time < ring.lastTime()) {
                throw new SnapshotException("state `" + name + "`: packets are not in order");
            }
            StateFormat.readPacket(in, name, view);
            add(time, view);
        }
    }
}
