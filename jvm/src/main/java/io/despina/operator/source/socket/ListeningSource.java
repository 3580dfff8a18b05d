package io.despina.operator.source.socket;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.file.RecordDecoder;
import io.despina.operator.source.file.RecordDecoder.BadRecords;
import io.despina.operator.source.file.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.socket.Endpoint;
import io.despina.socket.Inflow;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/**
 * What the sources that listen on a port have in common. The thread of a socket wakes them. What was received is gone when the
 * job fails: a socket cannot be read again, so there is no position.
 */
abstract class ListeningSource implements Source {
    /** Bytes of records or packets after which {@link #produce} returns. */
    static final int BATCH_BYTES = 1 << 16;

    final SocketSourceOptions options;
    OperatorContext context;
    Output out;
    RecordDecoder decoder;
    ReceivedRecords records;
    /** Packets that are decoded and not sent yet. */
    ScratchPackets rows;
    Watermarks watermarks;
    Inflow inflow;
    boolean stopped;
    /** Whether this call of {@link #produce} has sent a packet. */
    boolean wrote;
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
                : new Watermarks(options.eventTime(), out, context.clock().getAsLong());
        // all that may ever wait: a job that lacks the memory fails now, not when clients are busy
        context.stateBytes(waitingBytes());
        inflow = new Inflow(options.bounds().bufferBytes(), context);
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

    final void send(Packet packet) {
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        wrote = true;
    }

    /** Whole records that wait, and parts of records, at most. */
    final long waitingBytes() {
        return 2 * options.bounds().bufferBytes();
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
