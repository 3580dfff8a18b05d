package io.despina.operator.source.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.Framing;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import io.despina.socket.WebSocketCaller;
import io.despina.socket.WebSocketCaller.Options;
import io.despina.socket.WebSocketCaller.Target;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebSocketCallerTest {
    private static final Schema LINE = Schema.of(new Column("value", Simple.STRING, true));
    private static final int MESSAGE_BYTES = 100;

    private TokenPlace token;
    private long retryMillis = 60_000;
    private OperatorHarness source;

    private void open(String url) throws Exception {
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.TEXT, Map.of(), LINE, 0, false, Set.of(), "UTC", true);
        TlsFiles none = null;
        source = OperatorHarness.of(() -> new SocketSource(new SocketSourceOptions(records, null, options -> null, Framing.WHOLE,
                new Bounds(MESSAGE_BYTES, 1 << 16, 0), (inflow, context) -> new WebSocketCaller(new Options(Target.of(url, token,
                        none, List.of("{\"subscribe\": \"a\"}")), MESSAGE_BYTES, 0, retryMillis), inflow, context::warn,
                        context::wake)))).outputs(LINE).room(1 << 16, 2).skippingBadRecords().open();
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
    void itSubscribesTakesMessagesAndConnectsAgain(@TempDir Path folder) throws Exception {
        token = new TokenPlace(null, Files.writeString(folder.resolve("token"), "secret").toString());
        try (PushingServer server = new PushingServer(k -> new String[] {"m" + k, "n" + k})) {
            open(server.url());
            Client.produceUntil(source, () -> source.rows(0).size() >= 6);
            assertEquals(List.of("m0", "n0", "m1", "n1", "m2", "n2"), values().subList(0, 6));
            assertEquals("{\"subscribe\": \"a\"}", server.texts.peek());
            assertTrue(server.heads.peek().contains("Authorization: Bearer secret\r\n")
                    || server.heads.peek().contains("authorization: Bearer secret\r\n"), server.heads.peek());
            assertTrue(source.warnings.get(0).startsWith("cannot reach " + server.url() + ": "), source.warnings.toString());
        }
    }

    @Test
    void aMessageThatIsTooLongIsABadRecord() throws Exception {
        try (PushingServer server = new PushingServer(k -> new String[] {"x".repeat(MESSAGE_BYTES + 1)})) {
            open(server.url());
            Client.produceUntil(source, () -> !source.badRecords.isEmpty());
            assertEquals(server.url() + ": the message is longer than max_record_bytes=" + MESSAGE_BYTES + ": ",
                    source.badRecords.get(0));
        }
    }

    /** Waits double, and the user is told once, until a message comes. */
    @Test
    void aServerThatLetsItInAndSendsItAwayIsNotCalledAllTheTime() throws Exception {
        try (PushingServer server = new PushingServer(k -> new String[0])) {
            open(server.url());
            Client.produceUntil(source, () -> server.heads.size() >= 4);
            assertEquals(1, source.warnings.size(), source.warnings.toString());
        }
    }

    @Test
    void aServerThatRefusesFailsTheJob() throws Exception {
        try (PushingServer server = new PushingServer(k -> null)) {
            open(server.url());
            assertEquals(server.url() + " answers 403", failure());
        }
    }

    @Test
    void aServerThatStaysAwayFailsTheJob() throws Exception {
        retryMillis = 100;
        PushingServer server = new PushingServer(k -> null);
        server.close();
        open(server.url());
        String failure = failure();
        assertTrue(failure.startsWith("cannot reach " + server.url() + ": "), failure);
        assertTrue(failure.endsWith("; tried again for retry_for_ms=100"), failure);
    }

    /** Nothing comes, and the source says why. */
    private String failure() {
        return assertThrows(IOException.class, () -> Client.produceUntil(source, () -> false)).getMessage();
    }
}
