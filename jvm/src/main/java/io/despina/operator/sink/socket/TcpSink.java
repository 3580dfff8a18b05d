package io.despina.operator.sink.socket;

import io.despina.operator.OperatorContext;
import io.despina.operator.Retries;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.RecordEncoder;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.socket.SocketClient;
import java.io.IOException;

/** Sends packets as records to a program that listens, many with each write. */
public final class TcpSink implements LeavingSink {
    private static final int WRITE_BYTES = 1 << 16;
    private static final int PREFIX = 4;

    private final TcpSinkOptions options;
    private final Retries.Waiting waiting;
    private final LineBuffer head = new LineBuffer();
    private final LineBuffer records = new LineBuffer();
    private OperatorContext context;
    private RecordEncoder encoder;
    /** Of the line end that the encoder writes. */
    private int suffix;
    private KeptConnection connection;

    public TcpSink(TcpSinkOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    TcpSink(TcpSinkOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext context) throws IOException, InterruptedException {
        openForLater(context);
        connection.connect();
    }

    @Override
    public void openForLater(OperatorContext context) throws IOException {
        this.context = context;
        encoder = new RecordEncoder(options.records(), options.formatters(), context.input(0));
        suffix = options.records().format().isText() ? 1 : 0;
        if (options.lengthPrefixed()) {
            head.write(new byte[PREFIX], 0, PREFIX);
        }
        encoder.head(head);
        framed(head, 0, head.size() > PREFIX);
        connection = new KeptConnection(new SocketClient(options.address(), null),
                new Retries(context, options.retryMillis(), waiting), head);
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            int start = records.size();
            if (options.lengthPrefixed()) {
                records.write(new byte[PREFIX], 0, PREFIX);
            }
            boolean put = encoder.put(packet, records, context);
            framed(records, start, put);
            if (records.size() >= WRITE_BYTES) {
                send();
            }
        }
        if (records.size() > 0) {
            send();
        }
    }

    /** Turns what is behind room for its length into a record, if there is one: else the packet went to {@code on_error}. */
    private void framed(LineBuffer buffer, int start, boolean isThere) {
        if (!options.lengthPrefixed()) {
            return;
        }
        if (!isThere) {
            buffer.cut(start);
            return;
        }
        int end = buffer.size() - suffix;
        int length = end - start - PREFIX;
        buffer.cut(end);
        for (int k = 0; k < PREFIX; k++) {
            buffer.bytes()[start + k] = (byte) (length >>> 8 * (PREFIX - 1 - k));
        }
    }

    private void send() throws IOException, InterruptedException {
        connection.send(records.bytes(), records.size());
        records.cut(0);
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
    }
}
