package io.despina.operator.source.inflow;

import io.despina.inflow.Received;
import io.despina.log.Log;
import io.despina.log.LogRange;
import io.despina.state.NamedEntries;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A source that cannot ask for what has come again. A job that keeps its state has it in a log, and goes on from a place in that;
 * without one, what was received is gone when the job fails.
 */
public abstract class LoggedSource extends InflowSource<Received> {
    private static final String PLACE = "received";
    private static final String PIECE = "piece";
    private static final String RECORDS = "records";
    private static final String ROWS = "rows";

    /** Null where the job keeps no state. */
    protected ReceivedLog log;
    /** Records of the piece that is read that are decoded, and rows that have left: of the last of them, or of all. */
    protected long decodedRecords;
    protected long sentRows;
    /** What of the first piece the job had already before it went on. */
    protected long knownRecords;
    protected long knownRows;
    /** Whether nothing more comes. Written by the threads that bring it. */
    protected volatile boolean over;
    private long bufferBytes;
    private long logBytes;
    /** Pieces that are taken, and whose answer waits for the disk. Any thread. */
    private final AtomicInteger answering = new AtomicInteger();
    private final NamedEntries place = new NamedEntries(PLACE, this::place);

    /**
     * At the beginning of {@link #open}, behind {@link #begin}. Blocks for the disk.
     *
     * @param buffer bytes that may wait in the queue
     * @param most   bytes in the log of what no complete epoch has yet
     */
    protected final void beginLog(long buffer, long most) throws IOException {
        bufferBytes = buffer;
        logBytes = most;
        // all that may ever wait: a job that lacks the memory fails now, not when clients are busy
        context.stateBytes(waitingBytes());
        if (context.keptFolder() != null && !context.isRestored()) {
            log = ReceivedLog.open(context, inflow, logBytes, LogRange.ALL);
        }
    }

    /**
     * What is to be read next.
     *
     * @param passed asked about what has come: whether it is not to be taken
     * @return null if nothing is there
     */
    protected final Received take(Predicate<Received> passed) throws IOException {
        decodedRecords = 0;
        sentRows = 0;
        if (log != null) {
            return log.take(passed);
        }
        Received next = inflow.poll();
        while (next != null && passed.test(next)) {
            inflow.done(next);
            next = inflow.poll();
        }
        return next;
    }

    /** It has been read to its end. */
    protected final void done(Received piece) {
        decodedRecords = 0;
        sentRows = 0;
        knownRecords = 0;
        knownRows = 0;
        if (log == null) {
            inflow.done(piece);
        } else {
            log.done(piece);
        }
    }

    /** When what was taken last came, in microseconds since 1970. */
    protected final long arrived() {
        return log == null ? context.wallMicros() : log.arrivedMicros();
    }

    /** What {@link #read} answers when there is nothing to take. */
    protected final long nothing() {
        return log == null || log.isEmpty() ? waiting() : WHEN_WOKEN;
    }

    /** What {@link #read} answers when there is nothing to take, and nothing more comes. */
    protected final long ended() {
        return (log == null || log.isEmpty()) && answering.get() == 0 ? ENDED : WHEN_WOKEN;
    }

    /** What {@link #read} answers when what was taken must wait: a source that is stopped leaves it where it is. */
    protected final long waiting() {
        return stopped && answering.get() == 0 ? ENDED : WHEN_WOKEN;
    }

    /** Tells, if there is a log, when the piece that was taken last survives this process, with null, or why it cannot. */
    protected final void whenDurable(Consumer<IOException> then) {
        log.whenDurable(awaited(then));
    }

    /** The same of all pieces so far. */
    protected final void whenAllDurable(Consumer<IOException> then) {
        log.whenAllDurable(awaited(then));
    }

    /** The source does not end before {@code then} has run. */
    private Consumer<IOException> awaited(Consumer<IOException> then) {
        answering.incrementAndGet();
        return failure -> {
            then.accept(failure);
            answering.decrementAndGet();
            if (stopped || over) {
                context.wake();
            }
        };
    }

    /** How far the job is in the first piece: while it comes again, as far as it was before. */
    private Map<String, String> place() {
        boolean behind = decodedRecords > knownRecords
                || decodedRecords == knownRecords && Long.compareUnsigned(sentRows, knownRows) >= 0;
        return Map.of(PIECE, Long.toString(log.at()), RECORDS, Long.toString(behind ? decodedRecords : knownRecords),
                ROWS, Long.toString(behind ? sentRows : knownRows));
    }

    /** Whole records that wait, and parts of records, at most. */
    protected final long waitingBytes() {
        return 2 * bufferBytes + (context.keptFolder() == null ? 0 : Log.MEMORY_BYTES);
    }

    @Override
    public List<State> states() {
        List<State> states = super.states();
        if (context.keptFolder() != null) {
            states.add(0, place);
        }
        return states;
    }

    @Override
    public void restored() throws Exception {
        super.restored();
        if (context.keptFolder() == null) {
            return;
        }
        List<Map<String, String>> all = place.restored();
        if (all.size() > context.parallelism()) {
            throw new SnapshotException("what `" + context.operatorId() + "` has received lies in " + all.size()
                    + " logs; they cannot be read at parallelism " + context.parallelism());
        }
        Map<String, String> own = context.instance() < all.size() ? all.get(context.instance()) : Map.of();
        knownRecords = Long.parseLong(own.getOrDefault(RECORDS, "0"));
        knownRows = Long.parseLong(own.getOrDefault(ROWS, "0"));
        log = ReceivedLog.open(context, inflow, logBytes, LogRange.from(Long.parseLong(own.getOrDefault(PIECE, "0"))));
        if (log.isEmpty()) {
            knownRecords = 0;       // the rest of that piece is gone; what comes next is another
            knownRows = 0;
        }
    }

    @Override
    public void barrier(long epoch) {
        if (log != null) {
            log.barrier(epoch);
        }
    }

    @Override
    public void acknowledge(long epoch) {
        if (log != null) {
            log.acknowledge(epoch);
        }
    }

    @Override
    public void close() throws IOException {
        if (log != null) {
            log.close();
        }
    }
}
