package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import java.util.Arrays;

/** Memory for one packet at a time: a key, or a state's next value, before it is looked up or stored. */
public final class ScratchPacket implements PacketWriter.Regions {
    private static final int FIRST_BYTES = 256;
    /** A larger region is not kept for the next packet. */
    private static final int KEPT_BYTES = 1 << 20;
    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");

    private final PacketWriter writer;
    private final Packet view;
    private final int most;
    private byte[] bytes;

    public ScratchPacket(PacketLayout layout) {
        this(layout, Bytes.MAX_LENGTH);
    }

    /** @param most the most bytes of a packet, {@code max_packet_bytes} */
    public ScratchPacket(PacketLayout layout, int most) {
        this.most = most;
        bytes = new byte[Math.min(FIRST_BYTES, most)];
        writer = new PacketWriter(layout, this);
        view = new Packet(layout);
    }

    /** Begins a packet, which replaces the last one. */
    public PacketWriter begin() {
        letGo();
        if (CHECKS) {
            Arrays.fill(bytes, (byte) 0xdb);
        }
        writer.open(bytes, 0, bytes.length);
        return writer.begin();
    }

    /** Ends the packet. The returned view is valid until the next {@link #begin}. */
    public Packet commit() {
        writer.commit();
        view.wrap(bytes, 0, writer.position());
        return view;
    }

    /** The packet, in the memory that it was written to; the next one has other memory. */
    Packet handOver() {
        Packet given = new Packet(view.layout());
        given.wrap(bytes, view.start(), view.end());
        bytes = new byte[Math.min(FIRST_BYTES, most)];
        return given;
    }

    /** Swaps memory with {@code other}, which then shows this packet. Copies neither. */
    void exchange(Packet other) {
        byte[] given = bytes;
        bytes = other.bytes();
        other.wrap(given, view.start(), view.end());
    }

    /** The size of the packet's memory. */
    int capacity() {
        return bytes.length;
    }

    /** The packet that {@link #commit} returned. */
    Packet packet() {
        return view;
    }

    /** Releases the memory of a large packet. */
    public void letGo() {
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
            writer.open(bytes, 0, bytes.length);
            view.letGo();
        }
    }

    @Override
    public void makeRoom(PacketWriter open, int needed) {
        if (needed > most + Bytes.MAX_VARINT) {
            throw new IllegalArgumentException("a state of at least " + needed + " bytes; max_packet_bytes=" + most);
        }
        byte[] larger = new byte[Math.min(most + Bytes.MAX_VARINT, Math.max(needed, 2 * bytes.length))];
        open.move(larger, 0, larger.length);
        bytes = larger;
    }
}
