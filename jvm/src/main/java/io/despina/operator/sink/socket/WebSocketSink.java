package io.despina.operator.sink.socket;

import io.despina.operator.OperatorContext;
import io.despina.operator.Retries;
import io.despina.operator.outbox.LeavingSink;
import io.despina.operator.record.LineBuffer;
import io.despina.operator.record.RecordEncoder;
import io.despina.operator.sink.socket.WebSocketSinkOptions.To;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.socket.SocketClient;
import io.despina.socket.TlsFiles;
import io.despina.socket.WebSocketUpgrade;
import java.io.IOException;
import java.net.URI;

/** Sends each packet as a message over a WebSocket, to a program that listens. */
public final class WebSocketSink implements LeavingSink {
    private static final String SECURE = "wss";
    private static final int PORT = 80;
    private static final int SECURE_PORT = 443;
    private static final TlsFiles SYSTEMS_OWN = new TlsFiles(null, null, null);

    private final WebSocketSinkOptions options;
    private final Retries.Waiting waiting;
    private final LineBuffer record = new LineBuffer();
    private OperatorContext context;
    private RecordEncoder encoder;
    private boolean isText;
    private KeptConnection connection;

    public WebSocketSink(WebSocketSinkOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    WebSocketSink(WebSocketSinkOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext context) throws Exception {
        openForLater(context);
        connection.connect();
    }

    @Override
    public void openForLater(OperatorContext context) throws IOException {
        this.context = context;
        encoder = new RecordEncoder(options.records(), options.formatters(), context.input(0));
        isText = options.records().format().isText();
        connection = new KeptConnection(client(options.to(), options.times().writeMillis(), !isText),
                new Retries(context, options.times().retryMillis(), waiting), new LineBuffer());
    }

    static SocketClient client(To to, long writeMillis, boolean binary) throws IOException {
        URI uri = URI.create(to.url());
        boolean secure = uri.getScheme().equals(SECURE);
        if (uri.getHost() == null) {
            throw new IOException("the host of " + to.url() + " has a name that no host can have");
        }
        int port = uri.getPort() >= 0 ? uri.getPort() : secure ? SECURE_PORT : PORT;
        TlsFiles tls = !secure ? null : to.tls() == null ? SYSTEMS_OWN : to.tls();
        return new SocketClient(new SocketClient.Address(uri.getHost(), port, tls, writeMillis),
                new WebSocketUpgrade(uri, to.token() == null ? null : to.token().read(), binary));
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            record.cut(0);
            if (encoder.put(packet, record, context)) {
                connection.send(record.bytes(), record.size() - (isText ? 1 : 0));      // without the line end
            }
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
    }
}
