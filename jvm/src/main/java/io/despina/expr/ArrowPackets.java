package io.despina.expr;

import io.despina.packet.PacketWriter;

/** Makes packets of one schema from Arrow streams. Not thread-safe. */
@FunctionalInterface
public interface ArrowPackets {

    /**
     * Writes the rows of one whole Arrow IPC stream.
     *
     * @throws IllegalArgumentException if it is no such stream, has other columns, or holds a NULL in a column that is not
     *         nullable
     */
    void read(byte[] stream, PacketWriter out);
}
