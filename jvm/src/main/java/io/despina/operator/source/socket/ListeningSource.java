package io.despina.operator.source.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Received;
import io.despina.log.Log;
import io.despina.log.LogRange;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.socket.Endpoint;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * What the sources that listen on a port have in common. The thread of a socket wakes them. A socket cannot be read again: a job
 * that keeps its state has in a log what has come, and goes on from a place in that; without one, what was received is gone when
 * the job fails.
 */
abstract class ListeningSource implements Source {
    /** Bytes of records or packets after which {@link #produce} returns. */
    static final int BATCH_BYTES = 1 << 16;
    private static final String PLACE = "received";
    private static final String PIECE = "piece";
    private static final String RECORDS = "records";
    private static final String ROWS = "rows";

    final SocketSourceOptions options;
    OperatorContext context;
    Output out;
    RecordDecoder decoder;
    ReceivedRecords records;
    /** Packets that are decoded and not sent yet. */
    ScratchPackets rows;
    Watermarks watermarks;
    Inflow inflow;
    /** Written by the task; threads of the log read it. */
    volatile boolean stopped;
    /** Whether this call of {@link #produce} has sent a packet. */
    boolean wrote;
    /** Null where the job keeps no state. */
    ReceivedLog log;
    /** Records of the piece that is read that are decoded, and rows that have left: of the last of them, or of all. */
    long decodedRecords;
    long sentRows;
    /** What of the first piece the job had already before it went on. */
    long knownRecords;
    long knownRows;
    private final NamedEntries place = new NamedEntries(PLACE, this::place);
    private Endpoint endpoint;

    ListeningSource(SocketSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) throws IOException {
        context = opened;
        out = context.output(0);
        decoder = new RecordDecoder(options.records(), options.eventTime(), options.parsers(), badRecords());
        records = new ReceivedRecords(decoder);
        rows = new ScratchPackets(options.records().schema());
        watermarks = options.eventTime() == null ? null
                : new Watermarks(options.eventTime(), out, context.clock());
        // all that may ever wait: a job that lacks the memory fails now, not when clients are busy
        context.stateBytes(waitingBytes());
        inflow = new Inflow(options.bounds().bufferBytes(), context);
        if (context.keptFolder() != null && !context.isRestored()) {
            log = ReceivedLog.open(context, inflow, options.bounds().logBytes(), LogRange.ALL);
        }
        endpoint = options.opening().open(inflow, context);
        context.tell(endpoint.description());
    }

    /** Where bad records go. */
    abstract BadRecords badRecords();

    /** Sends what has arrived. @return as of {@link #produce} */
    abstract long read(long now) throws Exception;

    /** After {@link #read}. */
    abstract void settle();

    @Override
    public final long produce(long now) throws Exception {
        wrote = false;
        out.due(now);
        long again = read(now);
        if (watermarks != null) {
            watermarks.batchDone(now, wrote);
            again = watermarks.waiting(now, again);
        }
        settle();
        return again;
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

    /** What {@link #read} answers when there is nothing to take. */
    final long nothing() {
        return stopped && (log == null || log.isEmpty()) ? ENDED : WHEN_WOKEN;
    }

    /** How far the job is in the first piece: while it comes again, as far as it was before. */
    private Map<String, String> place() {
        boolean behind = decodedRecords > knownRecords
                || decodedRecords == knownRecords && Long.compareUnsigned(sentRows, knownRows) >= 0;
        return Map.of(PIECE, Long.toString(log.at()), RECORDS, Long.toString(behind ? decodedRecords : knownRecords),
                ROWS, Long.toString(behind ? sentRows : knownRows));
    }

    final void send(Packet packet) {
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        wrote = true;
    }

    /** Whole records that wait, and parts of records, at most. */
    final long waitingBytes() {
        return 2 * options.bounds().bufferBytes() + (context.keptFolder() == null ? 0 : Log.MEMORY_BYTES);
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
        List<State> states = new ArrayList<>();
        if (context.keptFolder() != null) {
            states.add(place);
        }
        if (watermarks != null) {
            states.add(watermarks.state());
        }
        return states;
    }

    @Override
    public void restored() throws IOException {
        if (watermarks != null) {
            watermarks.restored();
        }
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
