package io.despina.operator.program;

import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import java.util.Arrays;

/** Packets on their way to the user's program, handed over a batch at a time. */
final class CollectedBatch {
    private static final int BATCH_BYTES = 1 << 18;

    private final CollectedRows rows;
    private final PacketBlock batch = new PacketBlock(0, BATCH_BYTES);

    CollectedBatch(CollectedRows rows) {
        this.rows = rows;
    }

    void add(Packet packet) throws InterruptedException {
        if (batch.add(packet)) {
            handOver();
        }
    }

    void handOver() throws InterruptedException {
        if (!batch.isEmpty()) {
            byte[] whole = Arrays.copyOf(batch.bytes(), batch.length());
            batch.clear();
            rows.take(whole);
        }
    }
}
