package io.despina.operator.record.value;

import io.despina.packet.PacketWriter;

/** Reads records that are no text. */
public interface BinaryReader {

    /**
     * Reads the record {@code bytes[from, to)} into a packet.
     *
     * @return why it is none; null if all is well
     */
    String read(byte[] bytes, int from, int to, PacketWriter out);
}
