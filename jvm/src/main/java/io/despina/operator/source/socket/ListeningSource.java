package io.despina.operator.source.socket;

import io.despina.inflow.Received;
import io.despina.log.Log;
import io.despina.log.LogRange;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.source.inflow.InflowSource;
import io.despina.socket.Endpoint;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What the sources that listen on a port have in common. The thread of a socket wakes them. A socket cannot be read again: a job
 * that keeps its state has in a log what has come, and goes on from a place in that; without one, what was received is gone when
 * the job fails.
 */
abstract class ListeningSource extends InflowSource<Received> {
    private static final String PLACE = "received";
    private static final String PIECE = "piece";
    private static final String RECORDS = "records";
    private static final String ROWS = "rows";

    final SocketSourceOptions options;
    ReceivedRecords records;
    /** Null where the job keeps no state. */
    ReceivedLog log;
    /** Records of the piece that is read that are decoded, and rows that have left: of the last of them, or of all. */
    long decodedRecords;
    long sentRows;
    /** What of the first piece the job had already before it went on. */
    long knownRecords;
    long knownRows;
    /** Pieces that are taken, and whose answer waits for the disk. Any thread. */
    private final AtomicInteger answering = new AtomicInteger();
    private final NamedEntries place = new NamedEntries(PLACE, this::place);
    private Endpoint endpoint;

    ListeningSource(SocketSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws IOException {
        begin(opened, options.records().schema(), options.eventTime(), options.bounds().bufferBytes());
        decoder = new RecordDecoder(options.records(), options.eventTime(), options.parsers(), badRecords());
        records = new ReceivedRecords(decoder);
        // all that may ever wait: a job that lacks the memory fails now, not when clients are busy
        context.stateBytes(waitingBytes());
        if (context.keptFolder() != null && !context.isRestored()) {
            log = ReceivedLog.open(context, inflow, options.bounds().logBytes(), LogRange.ALL);
        }
        endpoint = options.opening().open(inflow, context);
        context.tell(endpoint.description());
    }

    /**
     * What is to be read next.
     *
     * @param passed asked about what has come: whether it is not to be taken
     * @return null if nothing is there
     */
    final Received take(Predicate<Received> passed) throws IOException {
        decodedRecords = 0;
        sentRows = 0;
        return log == null ? inflow.poll() : log.take(passed);
    }

    /** It has been read to its end. */
    final void done(Received piece) {
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
    final long arrived() {
        return log == null ? context.wallMicros() : log.arrivedMicros();
    }

    /** What {@link #read} answers when there is nothing to take. */
    final long nothing() {
        return stopped && answering.get() == 0 && (log == null || log.isEmpty()) ? ENDED : WHEN_WOKEN;
    }

    /** Tells, if there is a log, when the piece that was taken last survives this process, with null, or why it cannot. */
    final void whenDurable(Consumer<IOException> then) {
        log.whenDurable(awaited(then));
    }

    /** The same of all pieces so far. */
    final void whenAllDurable(Consumer<IOException> then) {
        log.whenAllDurable(awaited(then));
    }

    /** The source does not end before {@code then} has run. */
    private Consumer<IOException> awaited(Consumer<IOException> then) {
        answering.incrementAndGet();
        return failure -> {
            then.accept(failure);
            answering.decrementAndGet();
            if (stopped) {
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
    final long waitingBytes() {
        return 2 * options.bounds().bufferBytes() + (context.keptFolder() == null ? 0 : Log.MEMORY_BYTES);
    }

    /** Whether its peers may send more, for tests. */
    final boolean hasRoom() {
        return inflow.hasRoom();
    }

    /** The sockets, for tests. */
    final Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public boolean stop() {
        stopped = true;
        endpoint.stop();
        return true;
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
        if (context.keptFolder() != null) {
            Map<String, String> found = place.restored().isEmpty() ? Map.of() : place.restored().get(0);
            knownRecords = Long.parseLong(found.getOrDefault(RECORDS, "0"));
            knownRows = Long.parseLong(found.getOrDefault(ROWS, "0"));
            log = ReceivedLog.open(context, inflow, options.bounds().logBytes(),
                    LogRange.from(Long.parseLong(found.getOrDefault(PIECE, "0"))));
            if (log.isEmpty()) {
                knownRecords = 0;       // the rest of that piece is gone; what comes next is another
                knownRows = 0;
            }
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
        if (endpoint != null) {
            endpoint.close();
        }
        if (log != null) {
            log.close();
        }
    }
}
