package io.despina.expr;

import io.despina.packet.PacketWriter;

/** Makes packets of one schema from Arrow streams: the way back of {@link ArrowRows}. Not thread-safe. */
@FunctionalInterface
public interface ArrowPackets {

    /**
     * Writes the rows of one whole Arrow IPC stream.
     *
     * @throws IllegalArgumentException if it is no such stream, has other columns, or holds a NULL where none may be
     */
    void read(byte[] stream, PacketWriter out);
}
