package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.control.resource.PythonOutputs;
import io.despina.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoordinatorTest {
    private static final long LONG = 60_000;

    private final Coordinator coordinator = new Coordinator();

    @AfterEach
    void close() {
        coordinator.close();
    }

    @Test
    void aRelayRunsToItsEndInThisJvm() throws Exception {
        JsonNode end = end(start(JobGraphs.relay(100_000)));
        assertEquals("done", end.path("state").asText(), end.toString());
        assertEquals(100_000, end.at("/operators/sink/packets_in").asLong());
        assertTrue(end.path("first_packet_s").asDouble(-1) >= 0, end.toString());
    }

    @Test
    void aJobThatHasEndedIsStartedAgainUnderItsId() throws Exception {
        String job = start(JobGraphs.collect("{}", 100, "id"));
        assertEquals("done", end(job).path("state").asText());
        for (int attempt = 2; attempt < 5; attempt++) {
            JsonNode again = coordinator.startAgain(job);
            assertEquals(job, again.path("job").asText());
            assertEquals(attempt, again.path("attempt").asInt());
            JsonNode end = end(job);
            assertEquals("done", end.path("state").asText(), end.toString());
            assertEquals(attempt, end.path("attempt").asInt());
            assertEquals(100, arrow(coordinator.collected(job, "rows")).size());
        }
    }

    @Test
    void aSecondJobOfTheSameProcessIsRefusedAFolderInUse(@TempDir Path folder) throws Exception {
        String options = Json.object().put("state", folder.toString()).toString();
        String first = coordinator.run(JobGraphs.relay(-1), "test", options).path("job").asText();
        Refusal refused = assertThrows(Refusal.class, () -> coordinator.run(JobGraphs.relay(-1), "test", options));
        assertEquals("state_in_use", refused.rule(), refused.getMessage());
        assertTrue(refused.getMessage().contains("process " + ProcessHandle.current().pid()), refused.getMessage());
        coordinator.stop(first, "drain");
        assertEquals("stopped", end(first).path("state").asText());
        String next = coordinator.run(JobGraphs.relay(-1), "test", options).path("job").asText();
        coordinator.stop(next, "drain");
        assertEquals("stopped", end(next).path("state").asText());
    }

    @Test
    void whatRunsOrHasSpentItsRowsIsNotStartedAgain() throws Exception {
        String endless = start(JobGraphs.relay(-1));
        assertEquals("it can be started again when it has ended",
                assertThrows(Refusal.class, () -> coordinator.startAgain(endless)).hint());
        coordinator.stop(endless, "now");
        assertEquals("stopped", end(endless).path("state").asText());
        String fed = coordinator.run(JobGraphs.collect("{}", 1, "id"), "test", "{\"inputs\": [\"source\"]}").get("job").asText();
        coordinator.endFeed(fed, "source", "");
        assertEquals("done", end(fed).path("state").asText());
        assertEquals("input", assertThrows(Refusal.class, () -> coordinator.startAgain(fed)).rule());
        assertEquals("job", assertThrows(Refusal.class, () -> coordinator.startAgain("none-1")).rule());
    }

    @Test
    void collectedRowsArriveAsArrowAndEnd() throws Exception {
        String job = start(JobGraphs.collect("{}", 1_000, "id", "concat('row ', id) AS text"));
        assertEquals("done", end(job).path("state").asText());
        List<String> rows = arrow(coordinator.collected(job, "rows"));
        assertEquals(1_000, rows.size());
        assertEquals("[7, row 7]", rows.get(7));
        assertEquals(0, coordinator.collected(job, "rows").length);
    }

    @Test
    void aSinkWithoutRowsStillGivesItsSchema() throws Exception {
        String job = start(JobGraphs.collect("{}", 0, "id"));
        assertEquals("done", end(job).path("state").asText());
        assertTrue(coordinator.collected(job, "rows").length > 0);
        assertEquals(0, coordinator.collected(job, "rows").length);
    }

    @Test
    void rowsThatAreFedTakeThePlaceOfWhatTheSourceWouldMake() throws Exception {
        String graph = JobGraphs.collect("{}", 1, "id", "id * 2 AS twice");
        String options = "{\"inputs\": [\"source\"]}";
        byte[] none = coordinator.check(graph, "test", options).at("/inputs/source").binaryValue();
        assertEquals(List.of(), arrow(none));
        String job = coordinator.run(graph, "test", options).get("job").asText();
        byte[] three = coordinator.collected(fed(graph, 3), "rows");
        assertEquals(true, coordinator.feed(job, "source", none, 0).get("open").asBoolean());
        coordinator.endFeed(job, "source", "");
        assertEquals("done", end(job).path("state").asText());
        assertEquals(List.of(), arrow(coordinator.collected(job, "rows")));
        assertEquals(List.of("[0, 0]", "[1, 2]", "[2, 4]"), arrow(three));
        assertEquals(false, coordinator.feed(job, "source", none, 0).get("open").asBoolean());
    }

    /** A job that has been fed the ids up to a number, and has ended. */
    private String fed(String graph, int count) throws Exception {
        String ids = start(JobGraphs.collect("{}", count, "id"));
        end(ids);
        String job = coordinator.run(graph, "test", "{\"inputs\": [\"source\"]}").get("job").asText();
        coordinator.feed(job, "source", coordinator.collected(ids, "rows"), 0);
        coordinator.endFeed(job, "source", "");
        assertEquals("done", end(job).path("state").asText());
        return job;
    }

    @Test
    void rowsThatCannotBeHadFailTheJob() throws Exception {
        String job = coordinator.run(JobGraphs.collect("{}", 1, "id"), "test", "{\"inputs\": [\"source\"]}").get("job").asText();
        coordinator.endFeed(job, "source", "ValueError: no more");
        JsonNode end = end(job);
        assertEquals("failed", end.path("state").asText());
        assertEquals("input", end.at("/error/rule").asText());
        assertEquals("the rows for operator source: ValueError: no more", end.at("/error/message").asText());
    }

    @Test
    void aSinkThatHasRowsEndsTheWaitForThem() throws Exception {
        String job = coordinator.run(JobGraphs.collect("{}", 1, "id"), "test", "{\"inputs\": [\"source\"]}").get("job").asText();
        String ids = start(JobGraphs.collect("{}", 1, "id"));
        end(ids);
        coordinator.feed(job, "source", coordinator.collected(ids, "rows"), 0);
        while (coordinator.awaitRows(job, "rows", LONG).at("/collected/rows/waiting_bytes").asLong() == 0) {
            continue;
        }
        coordinator.stop(job, "now");
        end(job);
        coordinator.awaitRows(job, "rows", LONG);
    }

    @Test
    void twoJobsWithOtherSettingsShareOneResource() throws Exception {
        String zone = "date_format(timestamp_seconds(id), 'HH:mm') AS at";
        String strict = start(JobGraphs.collect("{\"ansi\": true, \"time_zone\": \"UTC\"}", 2_000, zone));
        String loose = start(JobGraphs.collect("{\"ansi\": false, \"time_zone\": \"Asia/Tokyo\"}", 2_000, zone,
                "cast('no number' AS INT) AS n"));
        assertEquals("done", end(strict).path("state").asText());
        assertEquals("done", end(loose).path("state").asText());
        assertEquals("[00:00]", arrow(coordinator.collected(strict, "rows")).get(0));
        assertEquals("[09:00, null]", arrow(coordinator.collected(loose, "rows")).get(0));
    }

    @Test
    void anOperatorThatFailsIsNamed() throws Exception {
        JsonNode end = end(start(JobGraphs.collect("{\"ansi\": true}", 1_000, "1 div (id - 500) AS n")));
        assertEquals("failed", end.path("state").asText(), end.toString());
        assertTrue(end.at("/error/message").asText().contains("operator made"), end.toString());
        assertTrue(end.at("/error/message").asText().toLowerCase(Locale.ROOT).contains("zero"), end.toString());
    }

    @Test
    void aMissingFileIsNamed() throws Exception {
        JsonNode end = end(start("""
                {"format": 1, "name": "missing",
                 "operators": {
                   "source": {"type": "file_source", "path": "no/such/file.csv", "format": "csv", "schema": "a INT"},
                   "sink": {"type": "discard_sink"}},
                 "links": [{"from": "source", "to": "sink"}]}
                """));
        assertEquals("failed", end.path("state").asText(), end.toString());
        assertTrue(end.at("/error/message").asText().contains("no/such/file.csv"), end.toString());
        assertTrue(end.at("/error/message").asText().contains("source"), end.toString());
    }

    @Test
    void aBrokenGraphIsRefusedWithPlaces() throws Exception {
        ObjectNode answer = coordinator.run("{\"format\": 1,\n \"operatorz\": {}}", "broken.graph.json", "{}");
        assertFalse(answer.has("job"), answer.toString());
        assertEquals("did you mean `operators`?", answer.at("/diagnostics/2/hint").asText(), answer.toString());
        assertEquals(2, answer.at("/diagnostics/2/line").asInt(), answer.toString());
        assertEquals("error", answer.at("/diagnostics/0/severity").asText());
    }

    @Test
    void stopEndsAnUnboundedJobAndAStoppedCollectSinkDoesNotHang() throws Exception {
        String relay = start(JobGraphs.relay(-1));
        coordinator.stop(relay, "drain");
        assertEquals("stopped", end(relay).path("state").asText());

        String full = start(JobGraphs.collect("{}", 100_000_000, "id", "repeat('x', 1000) AS filler"));
        long waiting = 0;
        for (long before = -1; waiting == 0 || waiting != before;) {
            before = waiting;
            waiting = coordinator.await(full, 300).at("/collected/rows/waiting_bytes").asLong();
        }
        assertTrue(waiting <= PythonOutputs.MOST + (1 << 20), waiting + " bytes wait");
        coordinator.stop(full, "now");
        assertEquals("stopped", end(full).path("state").asText());
    }

    @Test
    void aDurationEndsAJobAsDone() throws Exception {
        ObjectNode answer = coordinator.run(JobGraphs.relay(-1), "test.graph.json", "{\"duration_s\": 0.3, \"warm_up_s\": 0.1}");
        String job = answer.get("job").asText();
        JsonNode end = end(job);
        assertEquals("done", end.path("state").asText(), end.toString());
        JsonNode report = coordinator.report(job);
        assertTrue(report.path("measured_s").asDouble() < report.path("elapsed_s").asDouble() - 0.1, report.toString());
        assertTrue(report.at("/latency_ms/sink/p50").asDouble() >= 0, report.toString());
        assertTrue(report.at("/resources/local/cpu_s").asDouble() > 0, report.toString());
    }

    @Test
    void manyJobsLeaveNoThreads() throws Exception {
        for (int k = 0; k < 3; k++) {
            end(start(JobGraphs.relay(100)));
        }
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        int jobs = 20;
        for (int k = 0; k < jobs; k++) {
            assertEquals("done", end(start(JobGraphs.relay(100))).path("state").asText());
        }
        Set<Thread> more = new HashSet<>(Thread.getAllStackTraces().keySet());
        more.removeAll(before);
        // some pools begin late; a thread that jobs left behind would be there once for each
        assertTrue(more.size() < jobs / 4, "more threads: " + more);
    }

    private String start(String graph) throws Refusal {
        ObjectNode answer = coordinator.run(graph, "test.graph.json", "{}");
        assertTrue(answer.has("job"), answer.toString());
        return answer.get("job").asText();
    }

    private JsonNode end(String job) throws Refusal {
        return coordinator.await(job, LONG);
    }

    private static List<String> arrow(byte[] stream) throws IOException {
        List<String> rows = new ArrayList<>();
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), allocator)) {
            while (reader.loadNextBatch()) {
                VectorSchemaRoot root = reader.getVectorSchemaRoot();
                for (int k = 0; k < root.getRowCount(); k++) {
                    int row = k;
                    rows.add(root.getFieldVectors().stream().map(v -> String.valueOf(v.getObject(row))).toList().toString());
                }
            }
        }
        return rows;
    }
}
