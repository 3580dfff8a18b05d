package io.despina.operator.program;

import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import java.util.Arrays;

/**
 * Hands packets to the user's program, a batch per segment, and blocks while the program does not keep up. Packets leave the
 * engine at once, so a restart from a snapshot hands over again those that came after it.
 */
public final class CollectSink implements ProgramSink {
    private static final int BATCH_BYTES = 1 << 18;

    private final CollectedRows rows;
    private final PacketBlock batch = new PacketBlock(0, BATCH_BYTES);

    public CollectSink(CollectedRows rows) {
        this.rows = rows;
    }

    @Override
    public void add(Packet packet) throws InterruptedException {
        if (batch.add(packet)) {
            handOver();
        }
    }

    @Override
    public void handOver() throws InterruptedException {
        if (!batch.isEmpty()) {
            byte[] whole = Arrays.copyOf(batch.bytes(), batch.length());
            batch.clear();
            rows.take(whole);
        }
    }
}
