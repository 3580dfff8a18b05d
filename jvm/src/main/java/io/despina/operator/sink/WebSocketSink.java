package io.despina.operator.sink;

import io.despina.operator.OperatorContext;
import io.despina.operator.Reason;
import io.despina.operator.Sink;
import io.despina.operator.sink.WebSocketSinkOptions.To;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends each packet as a message over a WebSocket, to a program that listens. It blocks while that does not read. When the
 * connection breaks it makes another, and sends the message again that it was sending.
 */
public final class WebSocketSink implements Sink {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final long CLOSE_S = 2;

    private final WebSocketSinkOptions options;
    private final Retries.Waiting waiting;
    private final LineBuffer record = new LineBuffer();
    private OperatorContext context;
    private RecordEncoder encoder;
    private HttpClient client;
    private String token;
    private Retries backoff;
    /** Null while there is no connection. */
    private WebSocket socket;
    private boolean told;

    public WebSocketSink(WebSocketSinkOptions options) {
        this(options, Retries.Waiting.REAL);
    }

    WebSocketSink(WebSocketSinkOptions options, Retries.Waiting waiting) {
        this.options = options;
        this.waiting = waiting;
    }

    @Override
    public void open(OperatorContext context) throws Exception {
        this.context = context;
        To to = options.to();
        encoder = new RecordEncoder(options.records(), options.formatters(), context.input(0));
        backoff = new Retries(context.clock(), options.times().retryMillis(), waiting);
        token = to.token() == null ? null : to.token().read();
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(CONNECT);
        client = (to.tls() == null ? builder : builder.sslContext(to.tls().context())).build();
        connect();
    }

    @Override
    public boolean blocks() {
        return true;
    }

    private void connect() throws IOException, InterruptedException {
        while (socket == null) {
            WebSocket.Builder builder = client.newWebSocketBuilder().connectTimeout(CONNECT);
            if (token != null) {
                builder.header("Authorization", "Bearer " + token);
            }
            try {
                socket = result(builder.buildAsync(URI.create(options.to().url()), new Silent()), 0);
            } catch (IOException e) {
                failed("cannot reach ", e);
            }
        }
    }

    /** What the peer sends does not count. */
    private static final class Silent implements WebSocket.Listener {
    }

    private void failed(String what, IOException why) throws IOException, InterruptedException {
        if (socket != null) {
            socket.abort();
            socket = null;
        }
        String problem = what + options.to().url() + ": " + Reason.of(why);
        if (!told) {
            told = true;
            context.warn(problem + "; trying again");
        }
        backoff.await(0, problem);
    }

    /** @param mostMillis 0 for as long as it takes */
    private static <T> T result(CompletableFuture<T> future, long mostMillis) throws IOException, InterruptedException {
        try {
            return mostMillis == 0 ? future.get() : future.get(mostMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("it took nothing for write_timeout_ms=" + mostMillis, e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof WebSocketHandshakeException refused && refused.getResponse() != null
                    ? new IOException("it answers " + refused.getResponse().statusCode(), cause)
                    : new IOException(Reason.of(cause), cause);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            record.cut(0);
            encoder.write(packet, record, context);
            if (record.size() > 0) {
                send(new String(record.bytes(), 0, record.size() - 1, StandardCharsets.UTF_8));
            }
        }
    }

    private void send(String message) throws IOException, InterruptedException {
        for (boolean sent = false; !sent;) {
            connect();
            try {
                result(socket.sendText(message, true), options.times().writeMillis());
                sent = true;
            } catch (IOException e) {
                failed("lost the connection to ", e);
            }
        }
        backoff.reset();
        told = false;
    }

    @Override
    public void close() {
        if (socket == null) {
            return;
        }
        try {
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(CLOSE_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            socket.abort();
        } catch (ExecutionException | TimeoutException gone) {
            socket.abort();
        }
        socket = null;
    }
}
