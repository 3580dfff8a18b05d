package io.despina.operator.source.socket;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.despina.operator.source.file.RecordDecoder.BadRecords;
import io.despina.packet.Packet;
import io.despina.socket.Framing;
import io.despina.socket.Received;
import io.despina.spec.FileFormat;
import java.io.IOException;

/**
 * Takes the rows of requests, and answers each when all its rows are in the graph. Where a bad record would fail another source,
 * it refuses the request instead, and takes none of its rows.
 */
public final class HttpSource extends ListeningSource {
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    /** Characters of a bad record in an answer. */
    private static final int SHOWN = 200;

    /** The request, or null. */
    private Received request;
    /** Whether all its records are rows by now. */
    private boolean decoded;
    /** Why it is refused, or null. */
    private String refusal;
    private long taken;
    private long bad;
    private long stateBytes;

    public HttpSource(SocketSourceOptions options) {
        super(options);
        stateBytes = waitingBytes();
    }

    @Override
    BadRecords badRecords() {
        return this::badRecord;
    }

    /** Counts all that may ever wait, and the rows that are held now. */
    @Override
    void settle() {
        long held = waitingBytes() + rows.bytes();
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
    long read(long now) throws Exception {
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
                budget -= sendNext();
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
    private int sendNext() {
        Packet packet = refusal == null ? rows.next() : null;
        if (packet == null) {
            answer();
            return 1;
        }
        send(packet);
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
}
