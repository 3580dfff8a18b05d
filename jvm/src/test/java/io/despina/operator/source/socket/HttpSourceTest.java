package io.despina.operator.source.socket;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpSourceTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final int BODY_BYTES = 10_000;
    private static final long BUFFER_BYTES = 20_000;

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private FileFormat format = FileFormat.CSV;
    private Map<String, String> options = Map.of();
    private boolean failing = true;
    private String path = "/rows";
    private TokenPlace token;
    private OperatorHarness source;

    private HttpSource tested() {
        RecordFormat.Read records = new RecordFormat.Read(format, options, PAIR, format == FileFormat.CSV ? 2 : 0, false,
                Set.of(), "UTC", true);
        HttpOptions http = new HttpOptions(path, BODY_BYTES, token);
        return new HttpSource(new SocketSourceOptions(records, null, Expressions::parser, Framing.LINES,
                new Bounds(BODY_BYTES, BUFFER_BYTES, 0), (inflow, context) -> new SocketListener(
                        new SocketListener.Options("127.0.0.1", 0, 1000, 0, null), Protocol.http(http), inflow,
                        context::warn)));
    }

    private int port() throws Exception {
        if (source == null) {
            OperatorHarness.Setup setup = OperatorHarness.of(this::tested).outputs(PAIR);
            source = (failing ? setup : setup.skippingBadRecords()).open();
        }
        return ((SocketListener) ((HttpSource) source.operator()).endpoint()).port();
    }

    private HttpRequest.Builder request(String path) throws Exception {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
    }

    private CompletableFuture<HttpResponse<String>> sent(HttpRequest request) {
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private CompletableFuture<HttpResponse<String>> posted(String body) throws Exception {
        return sent(request("/rows").POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    private String answer(CompletableFuture<HttpResponse<String>> sent) throws Exception {
        Client.produceUntil(source, sent::isDone);
        return sent.get().statusCode() + " " + sent.get().body().strip();
    }

    @AfterEach
    void close() throws IOException {
        if (source != null) {
            source.close();
        }
    }

    @Test
    void rowsAreAnsweredOnceTheyAreInTheGraph() throws Exception {
        CompletableFuture<HttpResponse<String>> sent = posted("1,a\n2,b\r\n3,c");
        while (source.wakes.get() == 0) {
            Thread.sleep(1);
        }
        assertFalse(sent.isDone());
        assertEquals("200 {\"rows\": 3, \"bad\": 0}", answer(sent));
        assertEquals(List.of(row(1, "a"), row(2, "b"), row(3, "c")), source.rows(0));
        assertEquals("200 {\"rows\": 0, \"bad\": 0}", answer(posted("")));
    }

    @Test
    void jsonComesLineByLineOrAsAnArray() throws Exception {
        format = FileFormat.JSON;
        assertEquals("200 {\"rows\": 2, \"bad\": 0}", answer(posted("{\"n\": 1, \"s\": \"a\"}\n{\"n\": 2}\n")));
        assertEquals("200 {\"rows\": 2, \"bad\": 0}", answer(posted(" [{\"n\": 3},\n {\"n\": 4, \"s\": \"d\"}]")));
        assertEquals(List.of(row(1, "a"), row(2, null), row(3, null), row(4, "d")), source.rows(0));
    }

    @Test
    void underFailABadRecordRefusesItsRequestAndNoOther() throws Exception {
        String refused = answer(posted("1,a\nx,\"b\n2,c\n"));
        assertTrue(refused.startsWith("400 {\"error\": \"127.0.0.1:"), refused);
        assertTrue(refused.contains(":2: ") && refused.endsWith("x,\\\"b\"}"), refused);
        assertEquals(List.of(), source.rows(0));
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer(posted("3,d")));
        assertEquals(List.of(row(3, "d")), source.rows(0));
    }

    @Test
    void otherwiseABadRecordGoesToOnErrorAndTheOthersAreTaken() throws Exception {
        failing = false;
        assertEquals("200 {\"rows\": 2, \"bad\": 1}", answer(posted("1,a\nx,b\n2,c\n")));
        assertEquals(List.of(row(1, "a"), row(2, "c")), source.rows(0));
        assertTrue(source.badRecords.get(0).endsWith(": x,b"), source.badRecords.toString());
    }

    @Test
    void eachBodyHasItsOwnHeader() throws Exception {
        options = Map.of("header", "true");
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer(posted("n,s\n1,a\n")));
        String refused = answer(posted("s,n\nb,2\n"));
        assertTrue(refused.startsWith("400") && refused.contains("the CSV header does not fit the schema"), refused);
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer(posted("n,s\n3,c\n")));
        assertEquals(List.of(row(1, "a"), row(3, "c")), source.rows(0));
    }

    @Test
    void whatIsNotForItIsRefused() throws Exception {
        assertEquals("404 {\"error\": \"the path is /rows\"}",
                answer(sent(request("/other").POST(HttpRequest.BodyPublishers.ofString("1,a")).build())));
        assertEquals("405 {\"error\": \"rows come by POST\"}", answer(sent(request("/rows?x=1").GET().build())));
        assertEquals("415 {\"error\": \"the body must not be packed\"}", answer(sent(request("/rows")
                .header("Content-Encoding", "gzip").POST(HttpRequest.BodyPublishers.ofString("x")).build())));
        String large = "413 {\"error\": \"the body is longer than max_body_bytes=" + BODY_BYTES + "\"}";
        assertEquals(large, answer(posted("x".repeat(BODY_BYTES + 1))));
        assertEquals(large, answer(posted("x".repeat(5_000_000))));
        assertEquals(large, answer(sent(request("/rows").POST(HttpRequest.BodyPublishers.ofByteArrays(
                List.of(new byte[BODY_BYTES], new byte[1]))).build())));
        try (Client asking = new Client(port())) {
            asking.send("POST /rows HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10001\r\n\r\n");
            String answer = new String(asking.socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answer.startsWith("HTTP/1.1 413") && answer.endsWith(large.substring(4) + "\n"), answer);
        }
        assertEquals("200 {\"rows\": 1, \"bad\": 0}", answer(sent(request("/rows").expectContinue(true)
                .POST(HttpRequest.BodyPublishers.ofString("1,a")).build())));
    }

    @Test
    void aTokenIsAskedForAndNeverShown(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "s3cret-words\n");
        token = new TokenPlace(null, file.toString());
        HttpRequest.BodyPublisher row = HttpRequest.BodyPublishers.ofString("1,a");
        for (String wrong : List.of("Bearer s3cret", "s3cret-words", "Bearer s3cret-words2")) {
            String refused = answer(sent(request("/rows").header("Authorization", wrong).POST(row).build()));
            assertTrue(refused.startsWith("401") && !refused.contains("s3cret"), refused);
        }
        assertTrue(answer(posted("1,a")).startsWith("401"));
        assertEquals("200 {\"rows\": 1, \"bad\": 0}",
                answer(sent(request("/rows").header("Authorization", "Bearer s3cret-words").POST(row).build())));
        assertFalse(source.warnings.toString().contains("s3cret"));
        Files.writeString(file, "two words");
        IOException none = assertThrows(IOException.class, () -> OperatorHarness.of(this::tested).outputs(PAIR).open());
        assertEquals(file + " holds no token: one is visible ASCII characters, without spaces", none.getMessage());
        token = new TokenPlace("DESPINA_NO_SUCH_VARIABLE", null);
        none = assertThrows(IOException.class, () -> OperatorHarness.of(this::tested).outputs(PAIR).open());
        assertTrue(none.getMessage().startsWith("the environment variable DESPINA_NO_SUCH_VARIABLE holds no token"));
    }

    @Test
    void aBusyGraphIsSaidInTheAnswerAndMemoryIsBounded() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        String body = "1,abc\n".repeat(1500);
        for (int k = 0; k < 30; k++) {
            all.add(posted(body));
        }
        while (all.stream().filter(CompletableFuture::isDone).count() < 20) {     // some wait, or are still on their way
            Thread.sleep(1);
        }
        for (CompletableFuture<HttpResponse<String>> each : all) {
            if (each.isDone()) {
                assertEquals(429, each.get().statusCode());
                assertEquals("1", each.get().headers().firstValue("Retry-After").orElse(""));
            }
        }
        Client.produceUntil(source, () -> all.stream().allMatch(CompletableFuture::isDone));
        long taken = 0;
        for (CompletableFuture<HttpResponse<String>> each : all) {
            taken += each.get().statusCode() == 200 ? 1500 : 0;
        }
        assertTrue(taken > 0);
        assertEquals(taken, source.rows(0).size());
    }

    @Test
    void aClientThatDoesNotReadItsAnswersIsSentAway() throws Exception {
        path = "/" + "x".repeat(3000);      // the answer says it
        String requests = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000);
        Socket little = new Socket();
        little.setReceiveBufferSize(1 << 12);
        little.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
        try (Client client = new Client(little)) {
            assertThrows(IOException.class, () -> {
                for (int k = 0; k < 1000; k++) {    // their answers take 3 GB
                    client.send(requests);
                }
            });
        }
    }

    @Test
    void aStopAnswersWhatHasArrived() throws Exception {
        CompletableFuture<HttpResponse<String>> sent = posted("1,a");
        while (source.wakes.get() == 0) {
            Thread.sleep(1);
        }
        assertTrue(((Source) source.operator()).stop());
        source.produceAll();
        source.close();
        assertEquals(200, sent.get().statusCode());
        assertEquals(List.of(row(1, "a")), source.rows(0));
    }

    @Test
    void aClientMayCutItsRequestOrSendRubbish() throws Exception {
        int port = port();
        try (Client half = new Client(port)) {
            half.send("POST /rows HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n1,a\n");
            half.cut();
        }
        Random random = new Random(3);
        for (int k = 0; k < 20; k++) {
            byte[] rubbish = new byte[1 + random.nextInt(3000)];
            random.nextBytes(rubbish);
            try (Client client = new Client(port)) {
                client.send(rubbish).send("\r\n\r\n");
            } catch (IOException sentAway) {
                assertTrue(sentAway.getMessage() != null);
            }
        }
        // two at once on one connection are answered in their order
        try (Client client = new Client(port)) {
            String one = "POST /rows HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n1,a";
            client.send(one + "GET /rows HTTP/1.1\r\nHost: x\r\n\r\n"
                    + one.replace("HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n"));
            Client.produceRows(source, 2);
            String answers = new String(client.socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answers.matches("(?s).*200 OK.*405 Method.*200 OK.*"), answers);
        }
        assertEquals(2, source.rows(0).size());
    }
}
