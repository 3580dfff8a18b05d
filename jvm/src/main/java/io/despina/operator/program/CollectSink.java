package io.despina.operator.program;

import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;

/**
 * Hands packets to the user's program, a batch per segment, and blocks while the program does not keep up. Packets leave the
 * engine at once, so a restart from a snapshot hands over again those that came after it.
 */
public final class CollectSink implements Sink {
    private final CollectedBatch batch;

    public CollectSink(CollectedRows rows) {
        batch = new CollectedBatch(rows);
    }

    @Override
    public void process(int port, PacketCursor packets) throws InterruptedException {
        Packet packet;
        while ((packet = packets.next()) != null) {
            batch.add(packet);
        }
        batch.handOver();
    }
}
