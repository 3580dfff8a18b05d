package io.despina.operator.sink;

import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.spool.Spool;
import io.despina.spool.SpoolRecord;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * Keeps packets on disk until the program that reads them needs them no more: waits where it does not keep up, and at the end,
 * so that the job lasts as long as its rows are wanted. They are out of the engine's hands at once, so a restart from a snapshot
 * would spool again what came after it.
 */
public final class SpoolSink implements Sink {
    private static final int FIRST_BYTES = 1 << 12;
    private static final int RECORD_BYTES = 1 << 17;
    /** A larger buffer is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private final IntFunction<Spool> spools;
    private Spool spool;
    private byte[] record = new byte[FIRST_BYTES];
    private int size = SpoolRecord.HEADER_BYTES;
    private int rows;

    /** @param spools by instance */
    public SpoolSink(IntFunction<Spool> spools) {
        this.spools = spools;
    }

    @Override
    public void open(OperatorContext context) {
        spool = spools.apply(context.instance());
    }

    @Override
    public void process(int port, PacketCursor packets) throws IOException, InterruptedException {
        Packet packet;
        while ((packet = packets.next()) != null) {
            int bytes = packet.size();
            if (size + bytes > record.length) {
                record = Arrays.copyOf(record, Math.max(2 * record.length, size + bytes));
            }
            System.arraycopy(packet.bytes(), packet.start(), record, size, bytes);
            size += bytes;
            rows++;
            if (size >= RECORD_BYTES) {
                append();
            }
        }
        append();
    }

    private void append() throws IOException, InterruptedException {
        if (rows > 0) {
            spool.append(record, size, rows);
            size = SpoolRecord.HEADER_BYTES;
            rows = 0;
            if (record.length > KEPT_BYTES) {
                record = new byte[FIRST_BYTES];
            }
        }
    }

    /** Interrupted when the job is killed. */
    @Override
    public boolean end() throws InterruptedException {
        spool.end();
        spool.awaitRelease();
        return true;
    }
}
