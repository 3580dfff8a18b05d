package io.despina.operator.program;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.spool.KeptSpool;
import io.despina.spool.Spool;
import io.despina.spool.SpoolRecord;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * Keeps packets on disk until the program that reads them needs them no more, so that the job lasts as long as its rows are
 * wanted. It waits while the program does not keep up. In a job that keeps its state, the program sees rows when their epoch is
 * complete, and they keep their numbers when the job goes on; else they are out of the engine's hands at once.
 */
public final class SpoolSink implements ProgramSink {
    private static final int RECORD_BYTES = 1 << 17;

    private final IntFunction<Spool> spools;
    private final boolean isKept;
    private final PacketBlock record = new PacketBlock(SpoolRecord.HEADER_BYTES, RECORD_BYTES);
    private Spool spool;
    /** Null unless it is kept. */
    private ServedEpochs epochs;

    /**
     * @param spools by instance
     * @param isKept whether each is a {@link KeptSpool}
     */
    public SpoolSink(IntFunction<Spool> spools, boolean isKept) {
        this.spools = spools;
        this.isKept = isKept;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        spool = spools.apply(context.instance());
        if (isKept) {
            epochs = new ServedEpochs((KeptSpool) spool, context);
        }
    }

    @Override
    public boolean commits() {
        return isKept;
    }

    @Override
    public List<State> states() {
        return isKept ? List.of(epochs.state()) : List.of();
    }

    @Override
    public void restored() throws Exception {
        if (isKept) {
            epochs.restored();
        }
    }

    @Override
    public void add(Packet packet) throws IOException, InterruptedException {
        if (record.add(packet)) {
            handOver();
        }
    }

    @Override
    public void handOver() throws IOException, InterruptedException {
        if (!record.isEmpty()) {
            spool.append(record.bytes(), record.length(), record.packets());
            record.clear();
        }
    }

    /** Interrupted when the job is killed. What is kept waits in {@link #taken}: before its last epoch, nobody sees it. */
    @Override
    public boolean end() throws InterruptedException {
        if (isKept) {
            epochs.finish();
        } else {
            spool.end();
            spool.awaitRelease();
        }
        return true;
    }

    @Override
    public CompletableFuture<Void> prepare(long epoch) {
        return epochs.prepare(epoch);
    }

    @Override
    public CompletableFuture<Void> commit(long epoch) {
        epochs.commit(epoch);
        return DONE;
    }

    @Override
    public CompletableFuture<Void> taken() {
        spool.end();        // of a job that is stopped, too: until it goes on, no row follows
        return spool.taken().thenCompose(nothing -> ((KeptSpool) spool).forceCuts());
    }

    @Override
    public void close() {
        if (epochs != null) {
            epochs.close();
        }
    }
}
