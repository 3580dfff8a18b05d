package io.despina.expr;

import io.despina.packet.Packet;

/** Collects packets of one schema as an Arrow stream. Not thread-safe. */
public interface ArrowRows extends AutoCloseable {

    void add(Packet packet);

    /** Rows added since the last {@link #take}. */
    int rows();

    /** All rows since the last call, as one complete Arrow IPC stream: schema, one record batch, end. */
    byte[] take();

    @Override
    void close();
}
