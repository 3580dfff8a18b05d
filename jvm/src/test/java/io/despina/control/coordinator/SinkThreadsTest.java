package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.despina.catalogue.Catalogue;
import io.despina.descriptor.OperatorType;
import io.despina.json.Json;
import io.despina.wake.SharedThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No sink waits for a disk or a peer on a thread that many tasks share: with the checks of the tests, {@link SharedThreads} fails
 * a job whose sink does. A sink of the catalogue without a line here fails the build.
 */
class SinkThreadsTest {
    private static final long LONG = 60_000;
    private static final String GRAPH = """
            {"format": 1, "name": "threads", "operators": {
             "source": {"type": "generator_source", "rows": {"type": "select", "select": ["id"]}, "count": 300,
              "rate_per_s": 1500},
             "sink": %s}, "links": [{"from": "source", "to": "sink"}]}""";
    /** By type, more than once where a sink has several ways. */
    private static final List<String> RUN = List.of(
            "{'type': 'file_sink', 'path': 'OUT', 'format': 'csv', 'roll_every_ms': 30}",
            "{'type': 'file_sink', 'path': 'OUT', 'format': 'csv', 'roll_every_ms': 30, 'options': {'compression': 'gzip'}}",
            "{'type': 'file_sink', 'path': 'OUT', 'format': 'parquet', 'roll_every_ms': 30}",
            "{'type': 'file_sink', 'path': 'OUT/one.csv', 'format': 'csv', 'single_file': true, 'roll_every_ms': 30}",
            "{'type': 'file_sink', 'path': 'viewfs://here/data', 'format': 'csv', 'roll_every_ms': 30, 'options':"
                    + " {'fs.viewfs.mounttable.here.link./data': 'file:OUT'}}",
            "{'type': 'discard_sink'}",
            "{'type': 'tcp_sink', 'host': '127.0.0.1', 'port': TCP, 'format': 'json'}",
            "{'type': 'http_sink', 'url': 'http://127.0.0.1:HTTP/', 'format': 'json'}");
    /** Not run here. */
    private static final Set<String> OTHERS = Set.of(
            "collect_sink",         // rows are in memory, and a reader that is slow is no reason to wait
            "console_sink",         // standard error, as of the command itself
            "jdbc_sink",            // JdbcSink blocks, and says so: it has a thread of its own
            "kafka_sink",           // RecordSink does, of any connector
            "mqtt_sink",
            "nats_sink",
            "zeromq_sink",
            "redis_sink",
            "delta_sink",           // the disk alone
            "iceberg_sink",
            "connector_sink",
            "job_sink",             // JobSink does
            "java_sink",            // UserEndsTest: what may wait has a thread of its own
            "python_sink",          // its process writes; PythonSink waits for an answer nowhere but while it is opened
            "websocket_sink");      // KeptConnection, as tcp_sink

    @TempDir
    Path folder;

    static Stream<String> sinks() {
        return RUN.stream();
    }

    @Test
    void everySinkOfTheCatalogueHasALine() throws Exception {
        Set<String> here = new TreeSet<>(OTHERS);
        for (String sink : RUN) {
            here.add(Json.tree(sink.replace('\'', '"').replace("TCP", "1").replace("HTTP", "1")).path("type").asText());
        }
        Set<String> all = Catalogue.DESCRIPTOR.types().stream().map(OperatorType::word).filter(word -> word.endsWith("_sink"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(all, here);
    }

    @Test
    void theCheckFindsAThreadThatIsShared() {
        CompletableFuture<Void> waits = new CompletableFuture<>();
        new Thread(() -> {
            try {
                SharedThreads.waits("waits");
                waits.complete(null);
            } catch (AssertionError found) {
                waits.completeExceptionally(found);
            }
        }, SharedThreads.NAME + "0").start();
        assertTrue(assertThrows(CompletionException.class, waits::join).getCause() instanceof AssertionError);
        SharedThreads.waits("may wait here");
    }

    @ParameterizedTest
    @MethodSource("sinks")
    void nothingWaitsOnASharedThread(String sink) throws Exception {
        HttpServer posts = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        posts.createContext("/", post -> {
            post.getRequestBody().readAllBytes();
            post.sendResponseHeaders(200, -1);
            post.close();
        });
        posts.start();
        try (ServerSocket lines = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
                Coordinator coordinator = new Coordinator()) {
            CompletableFuture.runAsync(() -> swallow(lines));
            for (String state : List.of("state", "")) {
                String graph = GRAPH.formatted(sink.replace("OUT", folder.resolve("out" + state).toString())
                        .replace("TCP", "" + lines.getLocalPort()).replace("HTTP", "" + posts.getAddress().getPort()))
                        .replace('\'', '"');
                folder.resolve("out" + state).toFile().mkdir();
                String options = state.isEmpty() ? "{}"
                        : Json.object().put("state", folder.resolve(state).toString()).put("epoch_ms", 20).toString();
                String job = coordinator.run(graph, "test", options).path("job").asText();
                JsonNode end = coordinator.await(job, LONG);
                assertEquals("done", end.path("state").asText(), end.toString());
                assertEquals(0, end.path("restarts").asInt(), end.toString());
            }
        } finally {
            posts.stop(0);
        }
    }

    private static void swallow(ServerSocket lines) {
        try {
            while (true) {
                Socket peer = lines.accept();
                CompletableFuture.runAsync(() -> {
                    try (peer; InputStream in = peer.getInputStream()) {
                        in.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException ended) {
                        return;
                    }
                });
            }
        } catch (IOException closed) {
            return;
        }
    }
}
