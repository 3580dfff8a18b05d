package io.despina.operator.source.socket;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.file.RecordDecoder;
import io.despina.operator.source.file.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.socket.Endpoint;
import io.despina.socket.Framing;
import io.despina.socket.Inflow;
import io.despina.socket.Received;
import io.despina.spec.FileFormat;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/**
 * Takes the rows of requests, and answers each when all its rows are in the graph. Where a bad record would fail another source,
 * it refuses the request instead, and takes none of its rows.
 */
public final class HttpSource implements Source {
    /** Bytes of records or packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    /** Characters of a bad record in an answer. */
    private static final int SHOWN = 200;

    private final SocketSourceOptions options;
    private OperatorContext context;
    private Output out;
    private Watermarks watermarks;
    private RecordDecoder decoder;
    private ReceivedRecords records;
    /** The request's rows. */
    private ScratchPackets rows;
    private Inflow inflow;
    private Endpoint endpoint;
    /** The request, or null. */
    private Received request;
    /** Whether all its records are rows by now. */
    private boolean decoded;
    /** Why it is refused, or null. */
    private String refusal;
    private long taken;
    private long bad;
    private boolean stopped;
    private boolean wrote;
    private long stateBytes;

    public HttpSource(SocketSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        out = context.output(0);
        decoder = new RecordDecoder(options.records(), options.eventTime(), options.parsers(), this::badRecord);
        records = new ReceivedRecords(decoder);
        rows = new ScratchPackets(options.records().schema());
        watermarks = options.eventTime() == null ? null
                : new Watermarks(options.eventTime(), out, context.clock().getAsLong());
        charge();
        inflow = new Inflow(options.bounds().bufferBytes(), context);
        endpoint = options.opening().open(inflow, context);
        context.warn(endpoint.description());
    }

    /** The socket, for tests. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** Counts all that may ever wait, and the rows that are held now. */
    private void charge() {
        long held = 2 * options.bounds().bufferBytes() + rows.bytes();
        if (held != stateBytes) {
            stateBytes = held;
            context.stateBytes(held);
        }
    }

    private void badRecord(String why, String record) throws Exception {
        bad++;
        if (!context.failsOnBadRecord()) {
            context.badRecord(why, record);
        } else if (refusal == null) {
            refusal = why + ": " + record.substring(0, Math.min(SHOWN, record.length()));
        }
    }

    @Override
    public long produce(long now) throws Exception {
        wrote = false;
        out.due(now);
        long again = read(now);
        if (watermarks != null) {
            watermarks.batchDone(now, wrote);
            again = watermarks.waiting(now, again);
        }
        charge();
        return again;
    }

    private long read(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            if (request == null) {
                if (!begin()) {
                    return stopped ? ENDED : WHEN_WOKEN;
                }
            } else if (!decoded) {
                decoded = refusal != null || !find();
                budget -= records.size() + 1;
                if (!decoded) {
                    decoder.decode(records, rows);
                }
            } else {
                budget -= send();
            }
        }
        return now;
    }

    private boolean begin() {
        request = inflow.poll();
        if (request == null) {
            return false;
        }
        decoded = false;
        refusal = null;
        taken = 0;
        bad = 0;
        rows.clear();
        records.begin(request, options.records().format() == FileFormat.JSON && isArray(request) ? Framing.WHOLE : Framing.LINES);
        return true;
    }

    private static boolean isArray(Received body) {
        int k = 0;
        while (k < body.length() && body.bytes()[k] <= ' ' && body.bytes()[k] >= 0) {
            k++;
        }
        return k < body.length() && body.bytes()[k] == '[';
    }

    /** Finds the next record. A header that does not fit the schema is a bad record, and so is all behind it. */
    private boolean find() throws Exception {
        try {
            return records.next();
        } catch (IOException header) {
            records.refuse();
            badRecord(header.getMessage(), records.text(SHOWN));
            return false;
        }
    }

    /** Sends the next row, or the answer behind the last. @return its cost */
    private int send() {
        Packet packet = refusal == null ? rows.next() : null;
        if (packet == null) {
            answer();
            return 1;
        }
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        wrote = true;
        taken++;
        return packet.size();
    }

    private void answer() {
        if (refusal == null) {
            request.reply().answer(OK, "{\"rows\": " + taken + ", \"bad\": " + bad + "}");
        } else {
            request.reply().answer(BAD_REQUEST, "{\"error\": \""
                    + new String(JsonStringEncoder.getInstance().quoteAsString(refusal)) + "\"}");
        }
        inflow.done(request);
        request = null;
        rows.clear();
    }

    @Override
    public boolean stop() {
        stopped = true;
        endpoint.stop();
        return true;
    }

    @Override
    public List<State> states() {
        return watermarks == null ? List.of() : List.of(watermarks.state());
    }

    @Override
    public void restored() {
        if (watermarks != null) {
            watermarks.restored();
        }
    }

    @Override
    public void close() {
        if (endpoint != null) {
            endpoint.close();
        }
    }
}
