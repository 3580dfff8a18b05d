package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowState;
import io.despina.api.RowWriter;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** States that an operator cannot go on from, as only it knows: the job says so and ends, and never begins anew. */
class UnfitStateTest {
    private static final int PACKETS = 50;
    private static final long LONG = 60_000;

    @TempDir
    Path folder;
    private Coordinator coordinator;

    /** Tallies the rows of each key. */
    public static class Tallies implements RowOperator {
        private RowState state;

        @Override
        public String state() {
            return "n BIGINT";
        }

        @Override
        public void open(Context context) {
            state = context.state();
        }

        @Override
        public void process(Row row, RowWriter out) {
            long n = (state.exists() ? state.get().getLong(0) : 0) + 1;
            state.put().setLong(0, n).commit();
            out.begin().copy(0, row, 0).setLong(1, n).commit();
        }
    }

    /** The same with another state. */
    public static final class Averages extends Tallies {
        @Override
        public String state() {
            return "n BIGINT, mean DOUBLE";
        }
    }

    /** Forgets that it kept one. */
    public static final class Forgetful implements RowOperator {
        @Override
        public void process(Row row, RowWriter out) {
            out.begin().copy(0, row, 0).setLong(1, 0).commit();
        }
    }

    /** Does not open any more. */
    public static final class Broken extends Tallies {
        @Override
        public void open(Context context) {
            throw new IllegalStateException("no licence");
        }
    }

    @BeforeEach
    void start() {
        coordinator = new Coordinator();
    }

    @AfterEach
    void end() {
        coordinator.close();
    }

    private String graph(Class<?> of, String key) {
        return ("{'format': 1, 'name': 'g', 'operators': {'made': {'type': 'generator_source', 'rate_per_s': 2000, 'rows': "
                + "{'type': 'select', 'select': ['id % 7 AS k', 'id']}}, 'counts': {'type': 'java', 'class': '" + of.getName()
                + "', 'group_by': ['" + key + "'], 'schema': 'k BIGINT, n BIGINT'}, 'out': {'type': 'file_sink', 'path': '"
                + folder.resolve("out") + "', 'format': 'csv'}}, 'links': [{'from': 'made', 'to': 'counts'}, "
                + "{'from': 'counts', 'to': 'out'}]}").replace('\'', '"');
    }

    private String started(String graph) throws Refusal {
        ObjectNode options = Json.object().put("state", folder.resolve("state").toString()).put("epoch_ms", 20);
        options.putArray("jars").add(UnfitStateTest.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        JsonNode answer = coordinator.run(graph, "test", options.toString());
        assertTrue(answer.has("job"), answer::toString);
        return answer.get("job").asText();
    }

    /** Runs it until it has kept something, and stops it. @return its last epoch */
    private long kept(Class<?> of) throws Exception {
        return kept(graph(of, "k"));
    }

    private long kept(String graph) throws Exception {
        String job = started(graph);
        JsonNode status;
        do {
            coordinator.await(job, 10);
            status = coordinator.status(job);
            assertTrue(status.path("state").asText().matches("deploying|running"), status::toString);
        } while (status.path("operators").path("counts").path("packets_in").asInt() < PACKETS);
        coordinator.stop(job, "drain");
        assertEquals("stopped", coordinator.await(job, LONG).path("state").asText());
        return coordinator.status(job).path("epoch").path("complete").asLong();
    }

    /** @return its error, without what differs from run to run */
    private JsonNode fails(Class<?> of, String key) throws Exception {
        long rows = rows();
        JsonNode end = coordinator.await(started(graph(of, key)), LONG);
        assertEquals("failed", end.path("state").asText(), end::toString);
        assertEquals(rows, rows(), "nothing has begun");
        return end;
    }

    private static String words(JsonNode failed) {
        return failed.path("error").path("message").asText().replace(UnfitStateTest.class.getName() + "$", "")
                .replaceAll("epoch \\d+", "epoch N");
    }

    private long rows() throws IOException {
        long rows = 0;
        try (Stream<Path> files = Files.list(folder.resolve("out"))) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                rows += Files.readAllLines(each).size();
            }
        }
        return rows;
    }

    private void isRefusedAtOnce(String why, JsonNode failed) {
        assertEquals("operator counts, instance 0: " + why, words(failed));
        assertEquals("state", failed.path("error").path("rule").asText());
        assertEquals("let it keep what it kept, or go on without its state: --drop counts",
                failed.path("error").path("hint").asText());
        assertEquals(0, failed.path("restarts").asInt(), "it can never go on");
    }

    @Test
    void aClassWithAnotherStateIsRefusedWithItsNameAndTheEpoch() throws Exception {
        kept(Tallies.class);
        isRefusedAtOnce("class Averages cannot go on from epoch N: state `rows`: its schema in the snapshot is `k BIGINT -> n "
                + "BIGINT`, in the graph `k BIGINT -> n BIGINT, mean DOUBLE`", fails(Averages.class, "k"));
        assertTrue(kept(Tallies.class) > 0, "the one that kept it goes on");
    }

    @Test
    void aClassThatKeepsNothingAnyMoreIsRefused() throws Exception {
        kept(Tallies.class);
        String words = words(fails(Forgetful.class, "k"));
        assertTrue(words.matches("operator counts, instance 0: class Forgetful cannot go on from epoch N: it kept state "
                + "`(rows|ended)`, and keeps no such state now"), words);
    }

    @Test
    void anotherKeyIsRefused() throws Exception {
        kept(Tallies.class);
        isRefusedAtOnce("class Tallies cannot go on from epoch N: state `rows`: its schema in the snapshot is `k BIGINT -> n "
                + "BIGINT`, in the graph `key_1 STRING -> n BIGINT`", fails(Tallies.class, "CAST(k AS STRING)"));
    }

    @Test
    void anOperatorThatKeptNothingMayGo() throws Exception {
        String with = graph(Tallies.class, "k").replace("{\"from\": \"made\", \"to\": \"counts\"}", "{\"from\": \"made\", "
                + "\"to\": \"few\"}, {\"from\": \"few\", \"to\": \"counts\"}").replace("\"counts\": {", "\"few\": {\"type\": "
                + "\"filter\", \"where\": \"id % 2 = 0\"}, \"counts\": {");
        kept(with);
        assertTrue(kept(Tallies.class) > 0);
    }

    /** That may be for a reason that passes, such as a licence server that is away. */
    @Test
    void aClassThatDoesNotOpenIsTriedAgainAndThenEndsTheJob() throws Exception {
        kept(Tallies.class);
        JsonNode end = fails(Broken.class, "k");
        assertEquals("operator counts, instance 0: Broken: IllegalStateException: no licence (UnfitStateTest.java:N) (the same 3 "
                + "times in a row)", words(end).replaceAll("java:\\d+", "java:N"));
        assertEquals(2, end.path("restarts").asInt());
    }
}
