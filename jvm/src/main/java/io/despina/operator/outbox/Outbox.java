package io.despina.operator.outbox;

import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.operator.KeptNames;
import io.despina.operator.OperatorContext;
import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketCursor;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Lets the rows of a sink leave when their epoch is complete, and not before: until then they are in a log. Of an epoch whose
 * rows were leaving when its process was lost, all leave again, under the same name, so that the target can tell. One that has
 * left is not sent again. In a job that keeps no state, rows leave at once.
 */
public final class Outbox implements Sink, LogOwner {
    /** Of its buffers and logs. */
    static final long MEMORY_BYTES = 2 * Log.MEMORY_BYTES;
    private static final int RECORD_BYTES = 1 << 17;

    private final LeavingSink inner;
    private final Executor senders;
    private final long mostBytes;
    private OperatorContext context;
    private LeavingContext leaving;
    private Log log;
    private SentEpochs sent;
    private final PacketBlock record = new PacketBlock(0, RECORD_BYTES);
    private final PreparedRows epochs = new PreparedRows();
    /** Whether the job goes on with more instances, and this is one of those: of epochs before its first one it has no row. */
    private boolean added;
    private long firstPrepared = Long.MAX_VALUE;
    /** Guarded by this: who sends, to be interrupted. */
    private Thread sending;
    private boolean closed;
    /** Guarded by this: whether who closes could not wait for the thread that sends, which then closes what it has used. */
    private boolean left;

    /**
     * @param senders   threads that may block
     * @param mostBytes in the log before the job waits for the target
     */
    public Outbox(LeavingSink inner, Executor senders, long mostBytes) {
        this.inner = inner;
        this.senders = senders;
        this.mostBytes = mostBytes;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        if (context.keptFolder() == null) {
            inner.open(context);
            return;
        }
        epochs.of(context.input(0).toString());
        leaving = new LeavingContext(context);
        leaving.stateBytes(0);
        inner.openForLater(leaving);
        if (!context.isRestored()) {
            openLog(0);
        }
    }

    /** @param next the first row that comes: those behind it are dropped, because the job makes them again */
    private void openLog(long next) throws IOException {
        Path folder = context.keptFolder();
        String name = "the outbox of `" + context.operatorId() + "`";
        sent = new SentEpochs(LogPlace.of(folder.resolve("sent"), context.attempt(), name), this);
        KeptNames.write(folder, KeptNames.OUTBOX, sent.name());
        epochs.left(sent.last());
        log = Log.open(LogPlace.of(folder, context.attempt(), name), LogOptions.of(Long.MAX_VALUE),
                new LogRange(epochs.first(next), next), this);
        epochs.begin(log.next());
    }

    @Override
    public boolean blocks() {
        return true;
    }

    /** Asked before it knows whether the job keeps state: without that, there is nothing to prepare. */
    @Override
    public boolean commits() {
        return true;
    }

    @Override
    public List<State> states() {
        return context.keptFolder() == null ? List.of() : List.of(epochs.state());
    }

    @Override
    public void restored() throws Exception {
        if (context.keptFolder() == null) {
            return;
        }
        List<Map<String, String>> all = epochs.restored();
        if (all.size() > context.parallelism()) {
            throw new SnapshotException("rows of `" + context.operatorId() + "` wait in " + all.size()
                    + " outboxes; they cannot leave at parallelism " + context.parallelism());
        }
        added = context.instance() >= all.size();
        Map<String, String> own = !added ? all.get(context.instance()) : Map.of();
        String before = epochs.otherSchema(own);
        if (before != null) {
            throw new SnapshotException("rows of `" + context.operatorId() + "` wait in an outbox, with the columns " + before
                    + "; now they are " + context.input(0));
        }
        openLog(epochs.goOnFrom(own, context.isCommitted()));
        if (all.size() < context.parallelism()) {
            epochs.shareEpochs(all);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (log == null) {
            inner.process(port, packets);
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (record.add(packet)) {
                append();
            }
        }
        append();
        leaving.handOn();
    }

    private void append() throws IOException, InterruptedException {
        if (record.isEmpty()) {
            return;
        }
        awaitTarget();
        ByteBuffer content = ByteBuffer.wrap(record.bytes(), 0, record.length());
        synchronized (this) {
            while (log.append(EpochRows.VERSION, content, record.packets()) == Log.FULL) {
                wait();
            }
        }
        record.clear();
    }

    /** While rows of complete epochs wait for the target, the log does not grow without a bound. */
    private synchronized void awaitTarget() throws InterruptedException {
        while (sending != null && log.bytes() >= mostBytes && leaving.isEmpty()) {
            wait();
        }
    }

    @Override
    public synchronized void room() {
        notifyAll();
    }

    @Override
    public void warn(String words) {
        context.warn(words);
    }

    /** Bad records that the other thread has found wait, or the sink that sends at once has something to do. */
    @Override
    public boolean timer(long micros) throws Exception {
        return log == null ? inner.timer(micros) : leaving.handOn();
    }

    @Override
    public boolean release() throws Exception {
        return log == null ? inner.release() : leaving.handOn();
    }

    @Override
    public boolean end() throws Exception {
        epochs.end();
        return log == null ? inner.end() : leaving.handOn();
    }

    @Override
    public CompletableFuture<Void> prepare(long epoch) {
        if (log == null) {
            return DONE;
        }
        epochs.left(sent.last());
        epochs.prepare(epoch, log.next());
        firstPrepared = Math.min(firstPrepared, epoch);
        log.turn();
        return log.force();
    }

    @Override
    public boolean shows(long epoch) {
        EpochRows of = epochs.find(epoch);
        return of == null || !of.isEmpty();
    }

    @Override
    public CompletableFuture<Void> commit(long epoch) {
        if (log == null) {
            return DONE;
        }
        EpochRows ready = epochs.find(epoch);
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (epoch <= sent.last() || added && epoch < firstPrepared) {
            done.complete(null);
        } else if (ready == null) {
            done.completeExceptionally(new IOException("epoch " + epoch + " of the outbox of `" + context.operatorId()
                    + "` is not prepared"));
        } else {
            senders.execute(() -> use(done, () -> send(epoch, ready)));
        }
        return done;
    }

    /** Rows that were refused after the last row of the job has left are counted. */
    @Override
    public CompletableFuture<Void> taken() throws Exception {
        if (log == null) {
            return DONE;
        }
        leaving.count();
        return epochs.isOver() ? last() : DONE;
    }

    /** What the inner sink says of the end may wait for its target. */
    private CompletableFuture<Void> last() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        senders.execute(() -> use(done, inner::over));
        return done;
    }

    private void send(long epoch, EpochRows ready) throws Exception {
        if (!ready.isEmpty()) {
            leave(epoch, ready);
        }
        sent.sent(epoch);
        log.cut(ready.to());
    }

    /** What blocks, on a thread for that. */
    private interface Sending {
        void run() throws Exception;
    }

    /** Runs what uses the inner sink, which {@link #close} may cut short. */
    private void use(CompletableFuture<Void> done, Sending what) {
        synchronized (this) {
            if (closed) {
                done.completeExceptionally(new InterruptedException("the job has ended"));
                return;
            }
            sending = Thread.currentThread();
        }
        try {
            what.run();
            done.complete(null);
        } catch (Throwable e) {       // an Error too must end the epoch that waits for it
            done.completeExceptionally(e);
        } finally {
            ended();
        }
    }

    private void ended() {
        synchronized (this) {
            sending = null;
            notifyAll();
            if (!left) {
                return;
            }
        }
        Thread.interrupted();       // meant for the sending, not for the closing
        try {
            closeAll();
        } catch (IOException why) {
            context.warn("`" + context.operatorId() + "`: " + why.getMessage());
        }
    }

    /** A target with markers is asked for the epoch's, before and when a transaction may have ended or not: nobody guesses. */
    private void leave(long epoch, EpochRows ready) throws Exception {
        while (!(inner instanceof MarkedSink marked) || isAbsent(marked, epoch)) {
            leaving.begin();
            try {
                inner.begin(sent.name(), epoch);
                ready.leave(log, context, inner);
                leaving.done();
                return;
            } catch (UnknownCommitException e) {
                if (!(inner instanceof MarkedSink)) {
                    throw e;
                }
            }
        }
        leaving.done();     // what did not answer has them all the same
    }

    private boolean isAbsent(MarkedSink marked, long epoch) throws Exception {
        return switch (marked.marker(sent.name(), epoch)) {
            case ABSENT -> true;
            case THERE -> false;
            case PRUNED -> throw new IOException("the target of `" + context.operatorId() + "` no longer knows whether it has "
                    + "epoch " + epoch + " of the outbox " + sent.name() + ": it has pruned its markers. Look whether the "
                    + "rows are there; only then can the job go on");
        };
    }

    /**
     * What the target has not got, another attempt sends it, if there is one. Nothing is closed under the thread that sends: a
     * sink that lost its transaction or its files there would take an epoch for written.
     */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            if (sending != null) {
                sending.interrupt();
                inner.cut();
            }
            try {
                while (sending != null) {
                    wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                left = sending != null;
            }
            if (left) {
                return;
            }
        }
        closeAll();
    }

    private void closeAll() throws IOException {
        inner.close();
        if (sent != null) {
            sent.close();
        }
        if (log != null) {
            log.close();
        }
    }
}
