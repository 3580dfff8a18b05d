package io.despina.operator.sink;

import io.despina.packet.Packet;
import java.util.Arrays;

/** Packets on their way to the user's program, handed over a batch at a time. */
final class CollectedBatch {
    private static final int FIRST_BYTES = 1 << 12;
    private static final int BATCH_BYTES = 1 << 18;
    /** A larger buffer is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private final CollectedRows rows;
    private byte[] batch = new byte[FIRST_BYTES];
    private int size;

    CollectedBatch(CollectedRows rows) {
        this.rows = rows;
    }

    void add(Packet packet) throws InterruptedException {
        if (size + packet.size() > batch.length) {
            batch = Arrays.copyOf(batch, Math.max(2 * batch.length, size + packet.size()));
        }
        System.arraycopy(packet.bytes(), packet.start(), batch, size, packet.size());
        size += packet.size();
        if (size >= BATCH_BYTES) {
            handOver();
        }
    }

    void handOver() throws InterruptedException {
        if (size > 0) {
            byte[] whole = Arrays.copyOf(batch, size);
            size = 0;
            if (batch.length > KEPT_BYTES) {
                batch = new byte[FIRST_BYTES];
            }
            rows.take(whole);
        }
    }
}
