package io.despina.operator.sink;

import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.util.Arrays;

/**
 * Hands packets to the user's program, a batch per segment, and blocks while the program does not keep up. Packets leave the
 * engine at once, so a restart from a snapshot hands over again those that came after it.
 */
public final class CollectSink implements Sink {
    private static final int FIRST_BYTES = 1 << 12;
    private static final int BATCH_BYTES = 1 << 18;
    /** A larger buffer is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private final CollectedRows rows;
    private byte[] batch = new byte[FIRST_BYTES];
    private int size;

    public CollectSink(CollectedRows rows) {
        this.rows = rows;
    }

    @Override
    public void process(int port, PacketCursor packets) throws InterruptedException {
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (size + packet.size() > batch.length) {
                batch = Arrays.copyOf(batch, Math.max(2 * batch.length, size + packet.size()));
            }
            System.arraycopy(packet.bytes(), packet.start(), batch, size, packet.size());
            size += packet.size();
            if (size >= BATCH_BYTES) {
                handOver();
            }
        }
        handOver();
    }

    private void handOver() throws InterruptedException {
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
