package io.despina.operator.source.socket;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.despina.inflow.Received;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.packet.Packet;
import io.despina.socket.Framing;
import io.despina.spec.FileFormat;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes the rows of requests, and answers each when all its rows are in the graph, and in a job that keeps its state are on the
 * disk too. Where a bad record would fail another source, it refuses the request instead, and takes none of its rows.
 */
public final class HttpSource extends ListeningSource {
    private static final int BAD_REQUEST = 400;
    private static final int OTHER_REQUEST = 422;
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
    private final RequestKeys keys = new RequestKeys();

    public HttpSource(SocketSourceOptions options) {
        super(options);
    }

    @Override
    protected BadRecords badRecords() {
        return this::badRecord;
    }

    /** Counts all that may ever wait, and the rows that are held now. */
    @Override
    protected void settle() {
        long held = waitingBytes() + rows.bytes() + (log == null ? 0 : RequestKeys.bytes());
        if (held != stateBytes) {
            stateBytes = held;
            context.stateBytes(held);
        }
    }

    private void badRecord(String why, String record) throws Exception {
        bad++;
        if (!context.failsOnBadRecord()) {
            if (decodedRecords > knownRecords) {
                context.badRecord(why, record);
            }
        } else if (refusal == null) {
            refusal = why + ": " + record.substring(0, Math.min(SHOWN, record.length()));
        }
    }

    @Override
    protected long read(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            if (request == null) {
                if (!begin()) {
                    return nothing();
                }
            } else if (!decoded) {
                decoded = refusal != null || !find();
                budget -= records.size() + 1;
                if (!decoded) {
                    decodedRecords++;
                    decoder.decode(records, rows);
                }
            } else {
                budget -= sendNext();
            }
        }
        return now;
    }

    private boolean begin() throws IOException {
        request = take(this::isRepeated);
        if (request == null) {
            return false;
        }
        decoded = false;
        refusal = null;
        taken = 0;
        bad = 0;
        rows.clear();
        boolean whole = options.records().format() == FileFormat.JSON && isArray(request);
        records.begin(request, whole ? Framing.WHOLE : Framing.LINES, arrived());
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
            decodedRecords++;
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
        sentRows++;
        if (sentRows > knownRows) {
            send(packet);
        }
        taken++;
        return packet.size();
    }

    /** Answers a request again whose key it knows. */
    private boolean isRepeated(Received again) {
        if (again.key() == null || !keys.has(again.key())) {
            return false;
        }
        String answer = keys.answer(again);
        if (answer == null) {
            again.reply().answer(OTHER_REQUEST, error("another request had this Idempotency-Key"));
        } else {
            whenAllDurable(durable(again.reply(), answer));
        }
        return true;
    }

    /** Answers when the request survives this process and its machine. */
    private static Consumer<IOException> durable(Received.Reply reply, String answer) {
        return failure -> {
            if (failure == null) {
                reply.answer(Received.TAKEN, answer);
            } else {
                reply.answer(Received.LOST, error(failure.getMessage()));
            }
        };
    }

    private static String error(String why) {
        return "{\"error\": \"" + new String(JsonStringEncoder.getInstance().quoteAsString(why)) + "\"}";
    }

    @Override
    public List<State> states() {
        List<State> states = super.states();
        if (context.keptFolder() != null) {
            states.add(keys.state());
        }
        return states;
    }

    private void answer() {
        if (refusal == null) {
            String answer = "{\"rows\": " + taken + ", \"bad\": " + bad + "}";
            if (log != null && request.key() != null) {
                keys.taken(request, answer);
            }
            if (log == null) {
                request.reply().answer(Received.TAKEN, answer);
            } else if (request.reply() != null) {
                whenDurable(durable(request.reply(), answer));
            }
        } else if (request.reply() != null) {
            request.reply().answer(BAD_REQUEST, error(refusal));
        }
        done(request);
        request = null;
        rows.clear();
    }
}
