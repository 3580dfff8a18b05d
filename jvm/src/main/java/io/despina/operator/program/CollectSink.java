package io.despina.operator.program;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

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

    /** Blocks for the disk. */
    @Override
    public void open(OperatorContext context) throws IOException {
        Path logs = context.keptFolder();
        Path kept = logs == null ? null : logs.resolve(ServedEpochs.CUTS);
        if (kept == null || !Files.exists(kept)) {
            return;
        }
        if (context.isRestored()) {
            throw new SnapshotException("rows of `" + context.operatorId() + "` were kept for the program until their epoch was "
                    + "complete, and some may wait for it: with delivery at_least_once they would be lost");
        }
        try (Stream<Path> left = Files.list(kept)) {
            for (Path each : left.toList()) {
                Files.delete(each);
            }
        }
        Files.delete(kept);     // of a job before, which begins anew
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
