package io.despina.arrow;

import io.despina.packet.Packet;
import io.despina.packet.Schema;

/** Packets of one schema as whole Arrow IPC streams: the schema, one record batch, the end. Not thread-safe. */
public final class StreamWriter {
    /** A mark without a message. */
    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

    private final byte[] schema;
    private final BatchWriter batch;

    /** @param timeZone the zone in the time stamps' Arrow type, for example {@code UTC} */
    public StreamWriter(Schema schema, String timeZone) {
        this.schema = ArrowSchema.ofStream(schema, timeZone);
        batch = BatchWriter.ofAll(schema);
    }

    public void add(Packet packet) {
        batch.add(packet);
    }

    /** Rows added since the last {@link #take}. */
    public int rows() {
        return batch.rows();
    }

    /** All rows since the last call, as one stream. */
    public byte[] take() {
        return batch.take(schema, END);
    }
}
