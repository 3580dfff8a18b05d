package io.despina.operator.source.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.Endpoint;
import io.despina.socket.Framing;
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import io.despina.socket.SocketListener;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources of sockets in a job that keeps its state, and is killed. */
class ReceivedLogTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final int BODY_BYTES = 200_000;
    private static final long BUFFER_BYTES = 400_000;
    private static final long LOG_BYTES = 1 << 20;

    @TempDir
    private Path folder;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private OperatorHarness source;

    private SocketSourceOptions options(Protocol protocol, Map<String, String> csv) {
        return new SocketSourceOptions(new RecordFormat.Read(FileFormat.CSV, csv, PAIR, 2, false, Set.of(), "UTC", true), null,
                Expressions::parser, Framing.LINES, new Bounds(BODY_BYTES, BUFFER_BYTES, LOG_BYTES),
                (inflow, context) -> new SocketListener(new SocketListener.Options("127.0.0.1", 0, 1000, 0, null), protocol,
                        inflow, context::warn));
    }

    private void tcp(Map<String, String> csv) throws Exception {
        source = OperatorHarness.of(() -> new SocketSource(options(Protocol.records(Framing.LINES, BODY_BYTES), csv)))
                .outputs(PAIR).skippingBadRecords().keeping(folder).open();
    }

    private void http() throws Exception {
        source = OperatorHarness.of(() -> new HttpSource(options(Protocol.http(new HttpOptions("/", BODY_BYTES, null)),
                Map.of()))).outputs(PAIR).skippingBadRecords().keeping(folder).open();
    }

    private int port() {
        return ((SocketListener) ((ListeningSource) source.operator()).endpoint()).port();
    }

    private CompletableFuture<HttpResponse<String>> posted(String key, String body) {
        return client.sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/"))
                .header("Idempotency-Key", key).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String answer(String key, String body) throws Exception {
        CompletableFuture<HttpResponse<String>> sent = posted(key, body);
        Client.produceUntil(source, sent::isDone);
        return sent.get().statusCode() + " " + sent.get().body().strip();
    }

    private Map<String, byte[]> epoch(long number) throws Exception {
        ((Source) source.operator()).barrier(number);
        Map<String, byte[]> snapshot = source.snapshot();
        ((Source) source.operator()).acknowledge(number);
        return snapshot;
    }

    /** What has come is on the disk: only then is it sure to outlive the process. */
    private void awaitLog() throws InterruptedException {
        AtomicBoolean durable = new AtomicBoolean();
        ((ListeningSource) source.operator()).whenLogged(() -> durable.set(true));
        Client.await(source, durable::get);
    }

    /** Rows since the restart, which the harness has behind those of before. */
    private List<Object> rowsBehind(int first) {
        return new ArrayList<>(source.rows(0).subList(first, source.rows(0).size()));
    }

    @AfterEach
    void close() throws IOException {
        source.close();
    }

    @Test
    void whatNoEpochHasComesAgain() throws Exception {
        tcp(Map.of());
        try (Client one = new Client(port())) {
            one.send("1,a\n2,b\n");
            Client.produceRows(source, 2);
            awaitLog();
            source.restartAfresh();
        }
        Client.produceRows(source, 4);
        assertEquals(List.of(row(1, "a"), row(2, "b")), rowsBehind(2));
        Map<String, byte[]> snapshot = epoch(1);
        awaitLog();
        source.restart(snapshot);
        try (Client two = new Client(port())) {
            two.send("3,c\n");
            Client.produceRows(source, 5);
        }
        assertEquals(List.of(row(3, "c")), rowsBehind(4));
    }

    @Test
    void aBarrierWithinAPieceLosesNothingAndRepeatsNothing() throws Exception {
        tcp(Map.of());
        StringBuilder lines = new StringBuilder();
        for (int k = 0; k < 300; k++) {
            lines.append(k % 7 == 3 ? "x" : k).append(k % 5 == 0 ? ",\"q\"\"" + k + "\"\n" : ",s\n");
        }
        try (Client one = new Client(port())) {
            one.send(lines.toString());
            while (source.rows(0).size() + source.badRecords.size() < 300) {
                source.produce();
                int rows = source.rows(0).size();
                int bad = source.badRecords.size();
                Map<String, byte[]> snapshot = source.snapshot();
                source.produce();
                int more = source.rows(0).size();
                List<Object> first = rowsBehind(rows);
                List<String> firstBad = new ArrayList<>(source.badRecords.subList(bad, source.badRecords.size()));
                if (first.isEmpty() && firstBad.isEmpty()) {
                    continue;
                }
                awaitLog();
                source.restart(snapshot);
                awaitLog();
                source.restart();       // a barrier came before the rest of the piece was read
                Client.produceUntil(source, () -> source.rows(0).size() - more >= first.size());
                assertEquals(first, rowsBehind(more).subList(0, first.size()));
                assertEquals(firstBad, source.badRecords.subList(bad + firstBad.size(), bad + 2 * firstBad.size()));
                return;
            }
        }
        throw new AssertionError("the piece came in one run");
    }

    @Test
    void aJobThatBeginsAnewHasNothingOfThatBefore() throws Exception {
        tcp(Map.of());
        try (Client one = new Client(port())) {
            one.send("1,a\n");
            Client.produceRows(source, 1);
            epoch(1);
            one.send("2,b\n");
            Client.produceRows(source, 2);
        }
        Client.produceUntil(source, () -> Files.exists(folder.resolve("complete")));
        awaitLog();
        source.restartAfresh();
        try (Client two = new Client(port())) {
            two.send("3,c\n");
            Client.produceRows(source, 3);
            awaitLog();
            source.restartAfresh();
        }
        Client.produceRows(source, 4);
        assertEquals(List.of(row(3, "c"), row(3, "c")), rowsBehind(2));
    }

    /** As with a savepoint that is restored into another folder. */
    @Test
    void aPieceWhoseRestIsGoneHidesNoneThatComes() throws Exception {
        tcp(Map.of());
        try (Client one = new Client(port())) {
            one.send("1,a\n".repeat(300));
            while (source.rows(0).isEmpty()) {
                source.produce();
            }
        }
        Map<String, byte[]> snapshot = source.snapshot();
        assertTrue(source.rows(0).size() < 300);
        source.close();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        int rows = source.rows(0).size();
        source.restart(snapshot);
        try (Client two = new Client(port())) {
            two.send("7,z\n");
            Client.produceRows(source, rows + 1);
        }
        assertEquals(List.of(row(7, "z")), rowsBehind(rows));
    }

    /** The states of the newest epoch may turn out to be damaged. */
    @Test
    void whatAnEpochBeforeTheLastNeedsIsNotCut() throws Exception {
        tcp(Map.of());
        String piece = "1,abcdefgh\n".repeat(5_000);
        Map<String, byte[]> second = null;
        try (Client one = new Client(port())) {
            for (int k = 1; k <= 30; k++) {
                one.send(piece);
                Client.produceRows(source, 5_000 * k);
                Map<String, byte[]> snapshot = epoch(k);
                second = k == 28 ? snapshot : second;
            }
        }
        awaitLog();
        source.restart(second);
        Client.produceRows(source, 5_000 * 32);
        assertEquals(10_000, rowsBehind(5_000 * 30).size());
        try (Stream<Path> files = Files.list(folder)) {
            assertTrue(files.filter(file -> file.toString().endsWith(".seg")).count() < 10, "old segments are given back");
        }
    }

    @Test
    void aPeerIsWhoItWas() throws Exception {
        tcp(Map.of("header", "true"));
        String name;
        try (Client one = new Client(port())) {
            name = one.name();
            one.send("n,s\n1,a\n");
            Client.produceRows(source, 1);
            Map<String, byte[]> snapshot = epoch(1);
            one.send("x,b\n2,c\n");
            Client.produceRows(source, 2);
            awaitLog();
            source.restart(snapshot);
        }
        Client.produceRows(source, 3);
        assertEquals(List.of(row(2, "c")), rowsBehind(2));
        assertEquals(2, source.badRecords.size());
        assertEquals(source.badRecords.get(0), source.badRecords.get(1));
        assertTrue(source.badRecords.get(1).startsWith(name + ":3: "), source.badRecords.get(1));
    }

    @Test
    void aRequestThatComesAgainIsAnsweredAgainAndNotTaken() throws Exception {
        http();
        assertEquals("200 {\"rows\": 1, \"bad\": 1}", answer("k1", "1,a\nx,b\n"));
        Map<String, byte[]> snapshot = epoch(1);
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer("k2", "2,b"));
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer("k2", "2,b"));
        assertEquals("422 {\"error\": \"another request had this Idempotency-Key\"}", answer("k2", "3,b"));
        assertEquals(List.of(row(1, "a"), row(2, "b")), source.rows(0));
        awaitLog();
        source.restart(snapshot);
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer("k2", "2,b"));
        assertEquals("200 {\"rows\": 1, \"bad\": 1}", answer("k1", "1,a\nx,b\n"));
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer("k3", "4,d"));
        assertEquals(List.of(row(2, "b"), row(4, "d")), rowsBehind(2));
    }

    @Test
    void aFullLogIsSaidInTheAnswerUntilAnEpochIsComplete() throws Exception {
        http();
        String body = "1,abcdefgh\n".repeat(10_000);
        long fit = LOG_BYTES / body.length() + 1;
        for (int k = 0; k < fit; k++) {
            assertEquals("200 {\"rows\": 10000, \"bad\": 0}", answer("k" + k, body));
        }
        CompletableFuture<HttpResponse<String>> waiting = posted("waiting", body);
        Client.produceUntil(source, () -> !((ListeningSource) source.operator()).hasRoom());
        assertTrue(answer("more", "1,a").startsWith("429 "));
        assertFalse(waiting.isDone());
        epoch(1);
        epoch(2);
        source.produce();
        assertFalse(waiting.isDone(), "the epoch before the first may still be needed");
        epoch(3);
        Client.produceUntil(source, waiting::isDone);
        assertEquals(200, waiting.get().statusCode());
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer("last", "7,z"));
    }

    /** What is in no log is answered by nobody: whoever sent it still has it. */
    @Test
    void aStopWaitsForRoomInTheLog() throws Exception {
        http();
        String body = "1,abcdefgh\n".repeat(10_000);
        for (int k = 0; k <= LOG_BYTES / body.length(); k++) {
            answer("k" + k, body);
        }
        CompletableFuture<HttpResponse<String>> waiting = posted("waiting", body);
        Client.produceUntil(source, () -> !((ListeningSource) source.operator()).hasRoom());
        int rows = source.rows(0).size();
        assertTrue(((Source) source.operator()).stop());
        assertEquals(Source.WHEN_WOKEN, source.produce());
        assertEquals(rows, source.rows(0).size());
        assertFalse(waiting.isDone());
        epoch(1);
        epoch(2);
        source.produce();
        assertFalse(waiting.isDone(), "the epoch before the first may still be needed");
        epoch(3);
        Client.produceToEnd(source);
        assertEquals(rows + 10_000, source.rows(0).size());
        source.close();
        assertEquals(200, waiting.get().statusCode());
    }

    @Test
    void aStopWaitsForTheAnswers() throws Exception {
        http();
        CompletableFuture<HttpResponse<String>> sent = posted("k", "1,a");
        Client.await(source, () -> source.wakes.get() > 0);
        assertTrue(((Source) source.operator()).stop());
        Client.produceToEnd(source);
        source.close();
        assertEquals(200, sent.get().statusCode());
    }

    /** A server that forgets what was acknowledged, as a broker of MQTT. */
    @Test
    void aPieceThatWaitsForItsAnswerGetsItWhenTheLogHasIt() throws Exception {
        List<Integer> answers = new CopyOnWriteArrayList<>();
        AtomicReference<Inflow<Received>> into = new AtomicReference<>();
        SocketSourceOptions tcp = options(null, Map.of());
        SocketSourceOptions answered = new SocketSourceOptions(tcp.records(), null, tcp.parsers(), Framing.WHOLE, tcp.bounds(),
                (inflow, context) -> {
                    into.set(inflow);
                    return new NoEndpoint();
                });
        source = OperatorHarness.of(() -> new SocketSource(answered)).outputs(PAIR).skippingBadRecords().keeping(folder).open();
        byte[] record = "1,a".getBytes(StandardCharsets.UTF_8);
        into.get().put(Received.request(new Peer("broker", () -> { }), record, record.length,
                (status, text) -> answers.add(status), null));
        assertEquals(List.of(), answers);
        Client.produceUntil(source, () -> !answers.isEmpty());
        assertEquals(List.of(Received.TAKEN), answers);
        source.restartAfresh();
        Client.produceRows(source, 2);
        assertEquals(List.of(row(1, "a"), row(1, "a")), source.rows(0));
    }

    private record NoEndpoint() implements Endpoint {
        @Override
        public String description() {
            return "reads nothing by itself";
        }

        @Override
        public void stop() {
            // nothing comes
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
