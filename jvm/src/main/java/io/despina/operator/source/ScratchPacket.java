package io.despina.operator.source;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;

/** One packet in memory of its own, reused: for packets that must be looked at before they go out. */
final class ScratchPacket {
    private static final int SIZE = 512;

    private final PacketWriter writer;
    private final Packet view;

    ScratchPacket(Schema schema) {
        writer = new PacketWriter(schema.layout(), ScratchPacket::grow, false);
        writer.open(new byte[SIZE], 0, SIZE);
        view = new Packet(schema.layout());
    }

    private static void grow(PacketWriter writer, int needed) {
        int size = Integer.highestOneBit(needed) << 1;
        writer.move(new byte[size], 0, size);
    }

    /** Begins it anew. */
    PacketWriter begin() {
        writer.open(writer.bytes(), 0, writer.limit());
        return writer.begin();
    }

    /** Ends it; the view holds until {@link #begin}. */
    Packet commit() {
        writer.commit();
        view.wrap(writer.bytes(), 0, writer.position());
        return view;
    }
}
