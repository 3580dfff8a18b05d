package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.members.Environment;
import io.despina.control.members.Members;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.operator.sink.file.ShownFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs whose coordinator loses its state's disk at a random write, before it or after it, and then ends. They are run again with
 * the same state, until one reaches its end: every row is in the output once, and counted once.
 */
class EpochRecoveryTest {
    private static final int MOST_RUNS = 25;
    private static final long COUNT = 3_000;
    private static final long LONG = 60_000;
    private static final String SOURCE = """
            {"type": "generator_source", "rows": {"type": "select", "select": ["id",
             "timestamp_millis(1700000000000 + id * 10) AS ts", "pmod(id * 31, 7) AS g",
             "CAST(pmod(id * 7919, 101) AS INT) - 50 AS x"]}, "count": %d, %s
             "event_time": {"column": "ts", "order_by": ["id"], "max_delay_ms": 0}}""";

    @TempDir
    Path folder;

    /** By name: the operators between a source and a sink, and the links among them. */
    private static final Map<String, String[]> GRAPHS = new TreeMap<>(Map.ofEntries(
            graph("filter", "{'type': 'filter', 'where': 'x > 0'}"),
            graph("filter_parallel", "{'type': 'filter', 'where': 'x > 0', 'parallelism': 3}"),
            graph("project", "{'type': 'project', 'select': ['id', 'x * 2 AS twice']}"),
            graph("tumbling", "{'type': 'aggregate', 'group_by': ['g'], 'window': {'type': 'tumbling', 'size_ms': 1000},"
                    + " 'select': ['window.start AS start', 'g', 'count(*) AS n', 'sum(x) AS sum']}"),
            graph("tumbling_parallel", "{'type': 'aggregate', 'group_by': ['g'], 'parallelism': 2, 'window': {'type':"
                    + " 'tumbling', 'size_ms': 500}, 'select': ['window.start AS start', 'g', 'count(*) AS n']}"),
            graph("sliding", "{'type': 'aggregate', 'group_by': ['g'], 'window': {'type': 'sliding', 'size_ms': 1000,"
                    + " 'slide_ms': 500}, 'select': ['window.start AS start', 'g', 'max(x) AS most']}"),
            graph("session", "{'type': 'aggregate', 'group_by': ['g'], 'window': {'type': 'session', 'gap_ms': 60},"
                    + " 'select': ['window.start AS start', 'g', 'count(*) AS n']}"),
            graph("counted", "{'type': 'aggregate', 'group_by': ['g'], 'window': {'type': 'count', 'size': 7},"
                    + " 'select': ['g', 'first(id) AS first', 'sum(x) AS sum']}"),
            graph("running", "{'type': 'aggregate', 'group_by': ['g'], 'emit': 'each', 'select': ['id', 'count(*) AS n']}"),
            graph("whole", "{'type': 'aggregate', 'group_by': ['g'], 'select': ['g', 'count(*) AS n', 'sum(id) AS ids']}"),
            graph("distinct", "{'type': 'aggregate', 'group_by': ['g'], 'select': ['g', 'count(DISTINCT x) AS n']}"),
            graph("deduplicate", "{'type': 'deduplicate', 'by': ['x', 'g']}"),
            graph("latest", "{'type': 'latest', 'group_by': ['g'], 'every_ms': 700, 'parallelism': 2}"),
            graph("changes", "{'type': 'changes', 'group_by': ['g'], 'of': 'x > 10', 'select': ['id', 'previous']}"),
            graph("top", "{'type': 'top', 'n': 3, 'by': ['x DESC', 'id'], 'window': {'type': 'tumbling', 'size_ms': 1000},"
                    + " 'group_by': ['g'], 'select': ['g', 'x', 'id']}"),
            graph("sort", "{'type': 'sort', 'by': ['x', 'id DESC'], 'window': {'type': 'tumbling', 'size_ms': 400},"
                    + " 'select': ['x', 'id']}"),
            graph("pattern", "{'type': 'pattern', 'group_by': ['g'], 'steps': [{'name': 'high', 'where': 'x > 30'},"
                    + " {'name': 'low', 'where': 'x < -20'}], 'within_ms': 400, 'select': ['g', 'high.id AS high', 'low.id AS"
                    + " low']}"),
            graph("scan", "{'type': 'scan', 'group_by': ['g'], 'state': {'sum': {'initial': '0', 'next': 'pmod(7 * sum + x,"
                    + " 1000)'}}, 'select': ['id', 'next.sum AS sum']}"),
            graph("explode", "{'type': 'explode', 'of': 'sequence(0, pmod(id, 3))', 'as': 'n'}"),
            graph("chain", "{'type': 'filter', 'where': 'x <> 3'}", "{'type': 'aggregate', 'group_by': ['g'], 'window': {'type':"
                    + " 'tumbling', 'size_ms': 300}, 'select': ['window_time AS ts', 'g', 'count(*) AS n']}",
                    "{'type': 'aggregate', 'parallelism': 2, 'group_by': ['g'], 'window': {'type': 'tumbling', 'size_ms': 3000},"
                    + " 'select': ['g', 'sum(n) AS n']}")));

    private static Map.Entry<String, String[]> graph(String name, String... operators) {
        return Map.entry(name, operators);
    }

    static Stream<String> names() {
        return GRAPHS.keySet().stream();
    }

    private static String text(String name, Path out, String rate) {
        StringBuilder operators = new StringBuilder("'source': ").append(SOURCE.formatted(COUNT, rate));
        StringBuilder links = new StringBuilder();
        String before = "source";
        String[] between = GRAPHS.get(name);
        for (int k = 0; k < between.length; k++) {
            operators.append(", 'op").append(k).append("': ").append(between[k]);
            links.append("{'from': '").append(before).append("', 'to': 'op").append(k).append("'}, ");
            before = "op" + k;
        }
        return ("{'format': 1, 'name': '" + name + "', 'operators': {" + operators + ", 'sink': {'type': 'file_sink', 'path': '"
                + out + "', 'format': 'json'}}, 'links': [" + links + "{'from': '" + before + "', 'to': 'sink'}]}")
                .replace('\'', '"');
    }

    private static List<String> rows(Path out) throws IOException {
        return ShownFiles.lines(out).stream().sorted().toList();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rowsAreThereOnceHoweverOftenTheRunIsLost(String name) throws Exception {
        Path calm = folder.resolve("calm");
        JsonNode undisturbed;
        try (Coordinator coordinator = new Coordinator()) {
            String job = coordinator.run(text(name, calm, ""), "test", "{}").path("job").asText();
            undisturbed = coordinator.await(job, LONG);
            assertEquals("done", undisturbed.path("state").asText());
        }
        Path out = folder.resolve("out");
        Random random = new Random(name.hashCode());
        JsonNode end = Json.object();
        int runs = 0;
        while (!end.path("state").asText().equals("done")) {
            assertTrue(++runs <= MOST_RUNS + 1, "it does not end: " + end);
            end = run(text(name, out, "\"rate_per_s\": 20000,"), random, runs > MOST_RUNS);
        }
        assertEquals(rows(calm), rows(out), runs + " runs");
        assertTrue(Files.exists(out.resolve("_SUCCESS")));
        if (end.has("operators")) {     // else it had ended before its last start
            assertEquals(counts(undisturbed), counts(end), runs + " runs");
        }
    }

    /** What is counted of operators: the memory of states is another after a restore, and so is the time of tasks. */
    private static JsonNode counts(JsonNode status) {
        JsonNode operators = status.path("operators").deepCopy();
        operators.forEach(each -> ((ObjectNode) each).remove(List.of("state_bytes", "busy_ms", "paused_ms")));
        return operators;
    }

    /** Until it ends or its disk is lost. @return its last status */
    private JsonNode run(String graph, Random random, boolean calm) throws Exception {
        MortalStores stores = new MortalStores(calm ? Integer.MAX_VALUE : 3 + random.nextInt(14), random.nextBoolean());
        Environment usual = Environment.ofProcess();
        Environment mortal = new Environment(usual.clock(), usual.wall(), usual.timer(), usual.aside(), usual.ports(),
                stores::open);
        String options = Json.object().put("state", folder.resolve("state").toString()).put("epoch_ms", 10).toString();
        try (Coordinator coordinator = new Coordinator(new Members.Starters(null, null), Members.Patience.USUAL, mortal)) {
            String job = coordinator.run(graph, "test", options).path("job").asText();
            coordinator.ended(job).thenRun(stores::giveUp);
            assertTrue(stores.over.await(LONG, TimeUnit.MILLISECONDS), "neither ends nor dies");
            return coordinator.ended(job).isDone() ? coordinator.await(job, LONG) : Json.object();
        } catch (Refusal refused) {
            // the disk was lost at once, or right after the end of the run before
            boolean ended = refused.rule().equals("state_ended");
            assertTrue(ended || refused.rule().equals("state"), refused.getMessage());
            return Json.object().put("state", ended ? "done" : "");
        }
    }
}
