package io.despina.operator.source.socket;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.file.RecordDecoder;
import io.despina.operator.source.file.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.socket.Endpoint;
import io.despina.socket.Inflow;
import io.despina.socket.Received;
import io.despina.state.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads the records that peers send, in the order in which they arrive. The thread of a socket wakes it. What it has received is
 * gone when the job fails: a socket cannot be read again, so it has no position.
 */
public final class SocketSource implements Source {
    /** Bytes of records or packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    /** Characters of a record that is too long, in its message. */
    private static final int SHOWN = 1_000;

    private final SocketSourceOptions options;
    private OperatorContext context;
    private Output out;
    private Watermarks watermarks;
    private RecordDecoder decoder;
    private ReceivedRecords records;
    /** The packets of the record found last that are not sent yet. */
    private ScratchPackets pending;
    private Inflow inflow;
    private Endpoint endpoint;
    /** What is being read, or null. */
    private Received received;
    private boolean stopped;
    private boolean wrote;

    public SocketSource(SocketSourceOptions options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext context) throws IOException {
        this.context = context;
        out = context.output(0);
        decoder = new RecordDecoder(options.records(), options.eventTime(), options.parsers(), context::badRecord);
        records = new ReceivedRecords(decoder);
        pending = new ScratchPackets(options.records().schema());
        watermarks = options.eventTime() == null ? null
                : new Watermarks(options.eventTime(), out, context.clock().getAsLong());
        // all that it may ever hold: a job that lacks the memory fails now, not when clients are busy
        context.stateBytes(2 * options.bounds().bufferBytes());
        inflow = new Inflow(options.bounds().bufferBytes(), context);
        endpoint = options.opening().open(inflow, context);
        context.warn(endpoint.description());
    }

    /** The sockets, for tests. */
    Endpoint endpoint() {
        return endpoint;
    }

    /** What has arrived and is not taken yet, for tests. */
    long heldBytes() {
        return inflow.heldBytes();
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
        pending.letGo();
        return again;
    }

    private long read(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            Packet packet = pending.next();
            if (packet != null) {
                budget -= packet.size();
                send(packet);
            } else if (received == null) {
                received = inflow.poll();
                if (received == null) {
                    return stopped ? ENDED : WHEN_WOKEN;
                }
                begin();
            } else if (find()) {
                budget -= records.size() + 1;
                decode();
            } else {
                inflow.done(received);
                received = null;
            }
        }
        return now;
    }

    private void begin() throws Exception {
        if (received.problem() == null) {
            records.begin(received, options.framing());
            return;
        }
        Received broken = received;
        inflow.done(broken);
        received = null;
        context.badRecord(broken.peer().name() + ": " + broken.problem(),
                new String(broken.bytes(), 0, broken.length(), StandardCharsets.UTF_8));
    }

    /** Finds the next record. A peer whose header does not fit is sent away: its records could not be understood. */
    private boolean find() throws Exception {
        try {
            return records.next();
        } catch (IOException header) {
            records.refuse();
            received.peer().close();
            context.badRecord(header.getMessage(), records.text(SHOWN));
            return false;
        }
    }

    private void decode() throws Exception {
        if (records.size() > options.bounds().recordBytes()) {
            context.badRecord(records.where() + ": the record is longer than max_record_bytes="
                    + options.bounds().recordBytes(), records.text(SHOWN));
            return;
        }
        if (decoder.decodeInto(records, out.writer(), watermarks)) {
            wrote = true;
            return;
        }
        pending.clear();
        decoder.decode(records, pending);
    }

    private void send(Packet packet) {
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        wrote = true;
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
