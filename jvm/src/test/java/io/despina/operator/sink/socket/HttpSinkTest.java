package io.despina.operator.sink.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Retries;
import io.despina.operator.Sink;
import io.despina.operator.outbox.Outbox;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.HttpSinkOptions.Batch;
import io.despina.operator.sink.socket.HttpSinkOptions.Times;
import io.despina.operator.sink.socket.HttpSinkOptions.To;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.socket.TokenPlace;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpSinkTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final long MS = 1_000_000;
    private static final long SECOND = 1000 * MS;

    private record Posted(String body, Map<String, List<String>> headers) {
        String header(String name) {
            return headers.get(name).get(0);
        }
    }

    private final List<Long> waits = new ArrayList<>();
    private final Queue<Posted> posted = new ConcurrentLinkedQueue<>();
    /** What the peer answers, in turn; then 204. */
    private final Queue<String> answers = new ConcurrentLinkedQueue<>();
    private HttpServer peer;
    private OperatorHarness sink;
    private FileFormat format = FileFormat.JSON;
    private Map<String, String> options = Map.of();
    private boolean array;
    private Batch batch = new Batch(3, 1 << 20, 100);
    private Map<String, TokenPlace> secrets = Map.of();
    private long answerMillis = 10_000;

    @BeforeEach
    void listen() throws IOException {
        peer = HttpServer.create(local(), 0);
        start();
    }

    private static InetSocketAddress local() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private void start() {
        peer.createContext("/", this::serve);
        peer.start();
    }

    private void serve(HttpExchange exchange) throws IOException {
        posted.add(new Posted(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
                Map.copyOf(exchange.getRequestHeaders())));
        String answer = answers.poll();
        if (answer == null) {
            exchange.sendResponseHeaders(204, -1);
        } else if (answer.equals("vanish")) {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write("the first".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            return;
        } else if (!answer.equals("cut")) {
            String[] parts = answer.split(" ", 3);
            if (!parts[1].equals("-")) {
                exchange.getResponseHeaders().set("Retry-After", parts[1]);
            }
            byte[] text = parts[2].getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(Integer.parseInt(parts[0]), text.length);
            exchange.getResponseBody().write(text);
        }
        exchange.close();
    }

    @AfterEach
    void close() throws IOException {
        peer.stop(0);
        if (sink != null) {
            sink.close();
        }
    }

    private String url() {
        return "http://127.0.0.1:" + peer.getAddress().getPort() + "/rows";
    }

    private OperatorHarness.Setup setup() {
        return OperatorHarness.of(this::made).inputs(PAIR).outputs(OperatorHarness.LETTERS);
    }

    private HttpSink made() {
        return new HttpSink(new HttpSinkOptions(new To(url(), Map.of("X-Site", "a"), secrets, null),
                new RecordFormat.Write(format, options, "UTC", true), text -> {
                    throw new IllegalStateException("every column is plain");
                }, array, batch, new Times(answerMillis, 5000)), new Retries.Waiting(this::sleep,
                        RandomGenerator.of("L64X128MixRandom")));
    }

    /** The job's clock moves in place of the thread's sleep. */
    private void sleep(long nanos) {
        waits.add(nanos);
        sink.now += nanos;
    }

    private OperatorHarness open() throws Exception {
        sink = setup().open();
        return sink;
    }

    private List<String> bodies() {
        return posted.stream().map(Posted::body).toList();
    }

    @Test
    void aBatchLeavesWhenItHasItsRowsOrItsBytesOrItsTime() throws Exception {
        open().feed(0, List.of(row(1, "a"), row(2, null), row(3, "c"), row(4, "d")));
        assertEquals(List.of("{\"n\":1,\"s\":\"a\"}\n{\"n\":2}\n{\"n\":3,\"s\":\"c\"}\n"), bodies());
        assertEquals("application/x-ndjson", posted.peek().header("Content-type"));
        assertEquals("a", posted.peek().header("X-site"));
        sink.passTo(99_999);
        assertEquals(1, posted.size());
        sink.passTo(100_000);
        assertEquals("{\"n\":4,\"s\":\"d\"}\n", bodies().get(1));
        sink.passTo(1_000_000);
        assertEquals(2, posted.size());
        sink.feed(0, List.of(row(5, "x".repeat(1 << 20)), row(6, "f")));
        assertEquals(3, posted.size());
        sink.end();
        assertEquals("{\"n\":6,\"s\":\"f\"}\n", bodies().get(3));
    }

    @Test
    void aBodyMayBeAnArrayOrCsvWithAHeader() throws Exception {
        array = true;
        open().feed(0, List.of(row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"))).end().close();
        format = FileFormat.CSV;
        array = false;
        options = Map.of("header", "true");
        open().feed(0, List.of(row(1, "a"))).end();
        assertEquals(List.of("[{\"n\":1,\"s\":\"a\"},{\"n\":2,\"s\":\"b\"},{\"n\":3,\"s\":\"c\"}]", "[{\"n\":4,\"s\":\"d\"}]",
                "n,s\n1,a\n"), bodies());
    }

    @Test
    void aPeerThatFailsIsAskedAgainUnderTheSameKey() throws Exception {
        answers.addAll(List.of("503 - down", "429 2 slow", "500 soon x", "cut"));
        open().feed(0, List.of(row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"))).end();
        assertEquals(List.of(), sink.badRecords);
        String first = bodies().get(0);
        assertEquals(first, bodies().get(3));
        assertEquals(1, posted.stream().limit(4).map(each -> each.header("Idempotency-key")).distinct().count());
        assertEquals(2, posted.stream().map(each -> each.header("Idempotency-key")).distinct().count());
        assertTrue(waits.get(0) >= 25 * MS && waits.get(0) < 50 * MS, waits.toString());
        assertEquals(2 * SECOND, waits.get(1));
        assertEquals(List.of(url() + " answers 503: down; trying again"), sink.warnings);
        assertTrue(waits.get(2) >= 100 * MS && waits.get(2) < 200 * MS, waits.toString());
    }

    @Test
    void aPeerThatStillWorksOnABatchIsAskedAgain() throws Exception {
        answers.addAll(List.of("cut", "409 1 in progress", "409 - in progress"));
        open().feed(0, List.of(row(1, "a"))).end();
        assertEquals(List.of(), sink.badRecords);
        assertEquals(4, posted.size());
        assertEquals(1, keys().size());
        sink.close();
        posted.clear();
        answerMillis = 4_000;
        answers.addAll(List.of("cut", "409 6 in progress", "409 6 in progress", "409 6 in progress"));
        open().feed(0, List.of(row(1, "a")));
        assertEquals(url() + " answers 409: in progress: {\"n\":1,\"s\":\"a\"}",
                assertThrows(IllegalArgumentException.class, sink::end).getMessage(), "it has had as long as for an answer");
    }

    @Test
    void aBatchThatIsInThePeersWayTheFirstTimeIsABadOne() throws Exception {
        answers.add("409 - there is such a row");
        open().feed(0, List.of(row(1, "a")));
        assertEquals(url() + " answers 409: there is such a row: {\"n\":1,\"s\":\"a\"}",
                assertThrows(IllegalArgumentException.class, sink::end).getMessage());
    }

    @Test
    void anAnswerWithoutAnEndIsNone() throws Exception {
        answerMillis = 100;
        answers.add("vanish");
        open().feed(0, List.of(row(1, "a"))).end();
        assertEquals(posted.peek().header("Idempotency-key"), posted.stream().skip(1).findFirst().orElseThrow()
                .header("Idempotency-key"));
        assertEquals(List.of("cannot reach " + url() + ": no answer within timeout_ms=100; trying again"), sink.warnings);
    }

    @Test
    void aLongAnswerIsNotReadToItsEnd() throws Exception {
        answers.add("400 - " + "why ".repeat(100_000));
        open().feed(0, List.of(row(1, "a")));
        assertEquals(url() + " answers 400: " + "why ".repeat(75).strip() + ": {\"n\":1,\"s\":\"a\"}",
                assertThrows(IllegalArgumentException.class, sink::end).getMessage());
    }

    @Test
    void aPeerThatKeepsFailingFailsTheJob() throws Exception {
        answers.addAll(List.of("503 3600 down", "503 3600 still\ndown"));
        open().feed(0, List.of(row(1, "a")));
        IOException failed = assertThrows(IOException.class, sink::end);
        assertEquals(url() + " answers 503: still\uFFFDdown; tried again for retry_for_ms=5000", failed.getMessage());
        assertEquals(List.of(5 * SECOND), waits);
        sink.close();
        open().feed(0, List.of(row(1, "a")));
        String url = url();
        peer.stop(0);
        assertEquals("cannot reach " + url + ": Connection refused; tried again for retry_for_ms=5000",
                assertThrows(IOException.class, sink::end).getMessage());
    }

    @Test
    void whatThePeerDoesNotWantGoesToOnErrorRowByRow() throws Exception {
        answers.add("422 - no such device");
        sink = setup().writingDeadLetters().room(64, 1).open();
        sink.feed(0, List.of(row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d"))).end();
        String reason = url() + " answers 422: no such device: ";
        assertEquals(List.of(row(reason + "{\"n\":1,\"s\":\"a\"}"), row(reason + "{\"n\":2,\"s\":\"b\"}"),
                row(reason + "{\"n\":3,\"s\":\"c\"}")), sink.rows(0));
        assertEquals("{\"n\":4,\"s\":\"d\"}\n", bodies().get(1));
        answers.add("404 - gone");
        sink.close();
        open().feed(0, List.of(row(1, "a")));
        assertEquals(url() + " answers 404: gone: {\"n\":1,\"s\":\"a\"}",
                assertThrows(IllegalArgumentException.class, sink::end).getMessage());
    }

    @Test
    void secretsLeaveInHeadersAndAreNeverShown(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "s3cret\n");
        secrets = Map.of("Authorization", new TokenPlace(null, file.toString()),
                "X-Key", new TokenPlace(null, file.toString()));
        answers.add("403 - s3cret is not known");
        open().feed(0, List.of(row(1, "a")));
        String failed = assertThrows(IllegalArgumentException.class, sink::end).getMessage();
        assertEquals(url() + " answers 403: … is not known: {\"n\":1,\"s\":\"a\"}", failed);
        assertEquals("Bearer s3cret", posted.peek().header("Authorization"));
        assertEquals("s3cret", posted.peek().header("X-key"));
    }

    @Test
    void keysOfAnEpochAreTheSameWheneverItIsSent(@TempDir Path folder) throws Exception {
        sink = OperatorHarness.of(() -> new Outbox(made(), Runnable::run, 1 << 20)).inputs(PAIR)
                .outputs(OperatorHarness.LETTERS).keeping(folder).open();
        for (int k = 0; k < 5; k++) {
            sink.feedRow(0, k, "a");
        }
        Sink tested = (Sink) sink.operator();
        var prepared = tested.prepare(4);
        Map<String, byte[]> epoch = sink.snapshot();
        prepared.join();
        assertEquals(0, posted.size());
        for (String answer : List.of("200 - ok", "cut")) {
            answers.add(answer);
        }
        while (answers.size() < 2_000) {
            answers.add("500 - no");
        }
        assertThrows(CompletionException.class, () -> tested.commit(4).join());
        List<String> first = keys();
        answers.clear();
        posted.clear();
        sink.restart(epoch);
        answers.add("409 - the process before has just sent it");
        ((Sink) sink.operator()).commit(4).join();
        assertEquals(first, keys());
        assertEquals(2, first.size());
        assertTrue(first.get(0).endsWith("-4-0") && first.get(1).endsWith("-4-1"), first.toString());
    }

    @Test
    void aPeerThatMeansSomethingElseBy409IsWaitedForOnce(@TempDir Path folder) throws Exception {
        answerMillis = 4_000;
        batch = new Batch(1, 1 << 20, 100);
        sink = OperatorHarness.of(() -> new Outbox(made(), Runnable::run, 1 << 20)).inputs(PAIR)
                .outputs(OperatorHarness.LETTERS).writingDeadLetters().keeping(folder).open();
        sink.feed(0, List.of(row(1, "a"), row(2, "b"), row(3, "c")));
        Sink tested = (Sink) sink.operator();
        var prepared = tested.prepare(4);
        Map<String, byte[]> epoch = sink.snapshot();
        prepared.join();
        answers.addAll(List.of("409 6 there is such a row", "500 5 no", "500 5 no"));
        assertThrows(CompletionException.class, () -> tested.commit(4).join());
        assertEquals(List.of(), waits.subList(0, waits.size() - 1), "nothing was sent before the first epoch of a job");
        assertEquals(2, keys().size());
        posted.clear();
        waits.clear();
        sink.restart(epoch);
        for (int k = 0; k < 4; k++) {
            answers.add("409 4 there is such a row");
        }
        ((Sink) sink.operator()).commit(4).join();
        assertEquals(4, posted.size(), "the first is sent twice");
        assertEquals(List.of(4 * SECOND), waits);
    }

    private List<String> keys() {
        return posted.stream().map(each -> each.header("Idempotency-key")).distinct().toList();
    }
}
