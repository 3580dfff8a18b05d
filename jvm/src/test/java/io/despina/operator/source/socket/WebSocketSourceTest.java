package io.despina.operator.source.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.WebSocketSink;
import io.despina.operator.sink.socket.WebSocketSinkOptions;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.Framing;
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import io.despina.socket.SocketListener;
import io.despina.socket.TokenPlace;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebSocketSourceTest {
    private static final Schema LINE = Schema.of(new Column("value", Simple.STRING, true));
    private static final int MESSAGE_BYTES = 20_000;
    private static final long BUFFER_BYTES = 1 << 16;

    private final HttpClient client = HttpClient.newHttpClient();
    private TokenPlace token;
    private OperatorHarness source;

    /** Tells when the source has closed the connection. */
    private static final class Watched implements WebSocket.Listener {
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed.complete(-1);
        }
    }

    private SocketSource tested() {
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.TEXT, Map.of(), LINE, 0, false, Set.of(), "UTC", true);
        return new SocketSource(new SocketSourceOptions(records, null, options -> null, Framing.WHOLE,
                new Bounds(MESSAGE_BYTES, BUFFER_BYTES, 0), (inflow, context) -> new SocketListener(
                        new SocketListener.Options("127.0.0.1", 0, 1000, 0, null),
                        Protocol.webSocket(new HttpOptions("/live", MESSAGE_BYTES, token)), inflow, context::warn)));
    }

    private SocketListener listener() throws Exception {
        if (source == null) {
            source = OperatorHarness.of(this::tested).outputs(LINE).room(1 << 16, 2).skippingBadRecords().open();
        }
        return (SocketListener) ((SocketSource) source.operator()).endpoint();
    }

    private String url(String path) throws Exception {
        return "ws://127.0.0.1:" + listener().port() + path;
    }

    private WebSocket connected(WebSocket.Listener listening) throws Exception {
        return client.newWebSocketBuilder().buildAsync(URI.create(url("/live")), listening).join();
    }

    private List<Object> values() {
        return source.rows(0).stream().map(each -> each.get(0)).toList();
    }

    @AfterEach
    void close() throws IOException {
        if (source != null) {
            source.close();
        }
    }

    @Test
    void eachMessageIsARecordWhateverItsFrames() throws Exception {
        WebSocket socket = connected(new Watched());
        socket.sendText("a\nb", true).join();
        socket.sendText("in ", false).join();
        socket.sendText("three ", false).join();
        socket.sendPing(ByteBuffer.allocate(1)).join();
        socket.sendText("parts", true).join();
        socket.sendBinary(ByteBuffer.wrap("bytes".getBytes(StandardCharsets.UTF_8)), true).join();
        socket.sendText("", true).join();
        socket.sendText("x".repeat(MESSAGE_BYTES), true).join();
        Client.produceRows(source, 4);
        assertEquals(List.of("a\nb", "in three parts", "bytes", "x".repeat(MESSAGE_BYTES)), values());
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        Client.produceUntil(source, () -> ((SocketListener) ((SocketSource) source.operator()).endpoint()).clients() == 0);
        assertEquals(List.of(), source.badRecords);
    }

    @Test
    void aMessageThatIsTooLongSendsItsClientAway() throws Exception {
        Watched whole = new Watched();
        connected(whole).sendText("x".repeat(MESSAGE_BYTES + 1), true).join();
        Watched parts = new Watched();
        WebSocket socket = connected(parts);
        socket.sendText("x".repeat(MESSAGE_BYTES), false).join();
        socket.sendText("x", true).join();
        assertEquals(1009, whole.closed.join());
        assertEquals(1009, parts.closed.join());
        Client.produceUntil(source, () -> source.badRecords.size() == 2);
        for (String bad : source.badRecords) {
            assertTrue(bad.endsWith("the message is longer than max_record_bytes=" + MESSAGE_BYTES + ": "), bad);
        }
        WebSocket cut = connected(new Watched());
        cut.sendText("part", false).join();
        cut.abort();
        Client.produceUntil(source, () -> source.badRecords.size() == 3);
        assertEquals(List.of(), values());
    }

    @Test
    void unfinishedMessagesAreBoundedTogether() throws Exception {
        for (int k = 0; k < 5; k++) {
            connected(new Watched()).sendText("x".repeat(MESSAGE_BYTES), false).join();
        }
        Client.produceUntil(source, () -> !source.badRecords.isEmpty());
        assertTrue(source.badRecords.get(0).contains("there is no memory for its message"), source.badRecords.get(0));
    }

    @Test
    void whatIsNotForItIsRefused(@TempDir Path folder) throws Exception {
        token = new TokenPlace(null, Files.writeString(folder.resolve("token"), "s3cret").toString());
        for (String path : List.of("/live", "/other")) {
            Throwable refused = assertThrows(CompletionException.class, () -> client.newWebSocketBuilder()
                    .buildAsync(URI.create(url(path)), new Watched()).join()).getCause();
            assertEquals(401, ((WebSocketHandshakeException) refused).getResponse().statusCode());
        }
        client.newWebSocketBuilder().header("Authorization", "Bearer s3cret")
                .buildAsync(URI.create(url("/live?x=1")), new Watched()).join().sendText("a", true).join();
        Client.produceRows(source, 1);
        try (Client plain = new Client(listener().port())) {
            plain.send("GET /live HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer s3cret\r\n\r\n");
            String answer = new String(plain.socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answer.startsWith("HTTP/1.1 426"), answer);
        }
        Random random = new Random(4);
        for (int k = 0; k < 20; k++) {
            byte[] rubbish = new byte[1 + random.nextInt(3000)];
            random.nextBytes(rubbish);
            try (Client other = new Client(listener().port())) {
                other.send(rubbish);
            }
        }
        assertEquals(List.of("a"), values());
    }

    @Test
    void aSinkSendsEveryRowToABusySource() throws Exception {
        int rows = 20_000;
        String url = url("/live");
        OperatorHarness sink = OperatorHarness.of(() -> new WebSocketSink(new WebSocketSinkOptions(
                new WebSocketSinkOptions.To(url, null, null),
                new RecordFormat.Write(FileFormat.TEXT, Map.of(), "UTC", true), text -> null,
                new WebSocketSinkOptions.Times(0, 5000)))).inputs(LINE).open();
        List<List<Object>> all = new ArrayList<>();
        IntStream.range(0, rows).forEach(n -> all.add(row(n + " " + "x".repeat(200))));
        CompletableFuture<Void> fed = CompletableFuture.runAsync(() -> {
            try {
                sink.feed(0, all);
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        SocketSource tested = (SocketSource) source.operator();
        while (tested.heldBytes() < BUFFER_BYTES) {
            Thread.sleep(1);
        }
        assertTrue(tested.heldBytes() < 3 * BUFFER_BYTES);
        Client.produceRows(source, rows);
        fed.join();
        assertEquals(all, source.rows(0));
        assertEquals(List.of(), sink.warnings);
        sink.close();
    }

    @Test
    void aStopLetsGoOnWhatHasArrived() throws Exception {
        Watched watched = new Watched();
        WebSocket socket = connected(watched);
        socket.sendText("a", true).join();
        while (source.wakes.get() == 0) {
            Thread.sleep(1);
        }
        assertTrue(((Source) source.operator()).stop());
        source.produceAll();
        assertEquals(List.of("a"), values());
        assertFalse(watched.closed.isDone());
        source.close();
        watched.closed.join();
    }
}
