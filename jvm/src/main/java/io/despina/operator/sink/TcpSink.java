package io.despina.operator.sink;

import io.despina.operator.OperatorContext;
import io.despina.operator.Reason;
import io.despina.operator.Sink;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.socket.SocketClient;
import java.io.IOException;

/**
 * Sends packets as records to a program that listens. It blocks while that does not read. When the connection breaks it makes
 * another, and writes again whatever the last write had, because it cannot know what of it has arrived; what earlier writes gave
 * to the system may be lost.
 */
public final class TcpSink implements Sink {
    private static final int WRITE_BYTES = 1 << 16;
    private static final int PREFIX = 4;

    private final TcpSinkOptions options;
    private final Retries.Waiting waiting;
    private final LineBuffer head = new LineBuffer();
    private final LineBuffer records = new LineBuffer();
    private OperatorContext context;
    private RecordEncoder encoder;
    private SocketClient client;
    private Retries backoff;
    private boolean connected;
    /** The user knows that the connection is lost. */
    private boolean told;

    public TcpSink(TcpSinkOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    TcpSink(TcpSinkOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext context) throws IOException, InterruptedException {
        this.context = context;
        encoder = new RecordEncoder(options.records(), options.formatters(), context.input(0));
        if (options.lengthPrefixed()) {
            head.write(new byte[PREFIX], 0, PREFIX);
        }
        encoder.head(head);
        framed(head, 0);
        backoff = new Retries(context.clock(), options.retryMillis(), waiting);
        client = new SocketClient(options.address());
        connect();
    }

    @Override
    public boolean blocks() {
        return true;
    }

    private void connect() throws IOException, InterruptedException {
        if (connected && !client.isOpen()) {
            connected = false;
            tell("lost the connection to " + options.address());
        }
        while (!client.isOpen()) {
            try {
                client.connect();
                if (head.size() > 0) {
                    client.write(head.bytes(), head.size());
                }
                connected = true;
            } catch (IOException e) {
                failed("cannot reach ", e);
            }
        }
    }

    private void failed(String what, IOException why) throws IOException, InterruptedException {
        String problem = what + options.address() + ": " + Reason.of(why);
        connected = false;
        tell(problem);
        backoff.await(0, problem);
    }

    private void tell(String problem) {
        if (!told) {
            told = true;
            context.warn(problem + "; trying again");
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            int start = records.size();
            if (options.lengthPrefixed()) {
                records.write(new byte[PREFIX], 0, PREFIX);
            }
            encoder.write(packet, records, context);
            framed(records, start);
            if (records.size() >= WRITE_BYTES) {
                send();
            }
        }
        if (records.size() > 0) {
            send();
        }
    }

    /** Turns a line behind room for its length into a record. */
    private void framed(LineBuffer buffer, int start) {
        if (!options.lengthPrefixed()) {
            return;
        }
        if (buffer.size() == start + PREFIX) {
            buffer.cut(start);      // there is no header, or the packet went to `on_error`
            return;
        }
        int end = buffer.size() - 1;        // the encoder writes a line end
        int length = end - start - PREFIX;
        buffer.cut(end);
        for (int k = 0; k < PREFIX; k++) {
            buffer.bytes()[start + k] = (byte) (length >>> 8 * (PREFIX - 1 - k));
        }
    }

    private void send() throws IOException, InterruptedException {
        for (boolean sent = false; !sent;) {
            connect();
            try {
                client.write(records.bytes(), records.size());
                sent = true;
            } catch (IOException e) {
                failed("lost the connection to ", e);
            }
        }
        backoff.reset();
        told = false;
        records.cut(0);
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
