package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.operator.sink.file.ShownFiles;
import io.despina.snapshot.Claim;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.Savepoint;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job is stopped with open windows, and goes on from a savepoint elsewhere, or from an epoch: each row comes out once. */
class SavepointRunTest {
    private static final long LONG = 60_000;
    private static final int COUNT = 4_000;

    @TempDir
    Path folder;
    private Coordinator coordinator;
    private Path savepoint;

    @BeforeEach
    void start() {
        coordinator = new Coordinator();
        savepoint = folder.resolve("savepoint");
    }

    @AfterEach
    void end() {
        coordinator.close();
    }

    /**
     * A graph.
     *
     * @param sums id of the aggregate
     * @param more of its fields
     * @param rate of the source, or empty
     */
    private String graph(String sums, String more, String rate, Path out) {
        return ("{'format': 1, 'name': 'g', 'operators': {'source': {'type': 'generator_source', 'rows': {'type': 'select', "
                + "'select': ['id', 'timestamp_millis(1700000000000 + id * 10) AS ts', 'pmod(id * 31, 7) AS g', "
                + "'pmod(id * 7919, 101) AS x']}, 'count': " + COUNT + ", " + rate
                + " 'event_time': {'column': 'ts', 'order_by': ['id'], 'max_delay_ms': 0}}, '" + sums
                + "': {'type': 'aggregate', 'group_by': ['g'], 'window': {'type': 'tumbling', 'size_ms': 5000}, 'select': "
                + "['window.start AS start', 'g', 'count(*) AS n', 'sum(x) AS sum']" + more
                + "}, 'out': {'type': 'file_sink', 'path': '" + out + "', 'format': 'json'}}, 'links': [{'from': 'source', "
                + "'to': '" + sums + "'}, {'from': '" + sums + "', 'to': 'out'}]}").replace('\'', '"');
    }

    private String slow(Path out) {
        return graph("sums", "", "'rate_per_s': 4000,", out);
    }

    private ObjectNode options(String state) {
        return Json.object().put("state", folder.resolve(state).toString()).put("epoch_ms", 20)
                .put("directory", folder.toString());
    }

    private String started(String graph, ObjectNode options) throws Refusal {
        JsonNode answer = coordinator.run(graph, "test", options.toString());
        assertTrue(answer.has("job"), answer::toString);
        return answer.get("job").asText();
    }

    private void run(String graph, ObjectNode options) throws Refusal {
        JsonNode end = coordinator.await(started(graph, options), LONG);
        assertEquals("done", end.path("state").asText(), end::toString);
    }

    /** Until that many packets have come to the windows. */
    private void awaitPackets(String job, int packets) throws Refusal {
        awaitPackets(job, "sums", packets);
    }

    private void awaitPackets(String job, String operator, int packets) throws Refusal {
        JsonNode status;
        do {
            coordinator.await(job, 10);
            status = coordinator.status(job);
            assertTrue(status.path("state").asText().matches("deploying|running"), status::toString);
        } while (status.path("operators").path(operator).path("packets_in").asInt() < packets);
    }

    private static List<String> rows(Path out) throws IOException {
        return ShownFiles.lines(out).stream().sorted().toList();
    }

    private List<String> expected() throws Exception {
        Path calm = folder.resolve("calm");
        run(graph("sums", "", "", calm), Json.object());
        return rows(calm);
    }

    private FolderFacts facts(String state) throws IOException {
        return StateFolder.at(new LocalStore(folder.resolve(state)), "g").facts();
    }

    /** Runs the graph, and stops it with open windows. @return its last epoch */
    private EpochFacts stopped(Path out) throws Exception {
        String job = started(slow(out), options("state"));
        awaitPackets(job, 700);
        coordinator.stop(job, "drain");
        assertEquals("stopped", coordinator.await(job, LONG).path("state").asText());
        List<EpochFacts> epochs = facts("state").epochs();
        return epochs.get(epochs.size() - 1);
    }

    private Manifest savepoint(Path out) throws Exception {
        EpochFacts last = stopped(out);
        return Savepoint.begin(new LocalStore(savepoint)).write(new LocalStore(folder.resolve("state")), last.manifest());
    }

    private String refusal(String graph, ObjectNode options) {
        return assertThrows(Refusal.class, () -> coordinator.run(graph, "test", options.toString())).getMessage()
                .replace(folder.toString(), "");
    }

    private JsonNode written(String job) throws Refusal {
        JsonNode answer = coordinator.awaitSavepoint(job, LONG);
        assertTrue(answer.path("done").asBoolean(), answer::toString);
        return answer;
    }

    @Test
    void aJobThatIsStoppedWithASavepointGoesOnFromItElsewhere() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        String job = started(slow(out), options("state"));
        awaitPackets(job, 700);
        coordinator.savepoint(job, "savepoint", "drain");
        assertTrue(written(job).path("bytes").asLong() > 0);
        assertEquals("stopped", coordinator.await(job, LONG).path("state").asText());
        run(graph("sums", ", 'parallelism': 2", "", out), options("other").put("from", "savepoint"));
        assertEquals(expected, rows(out));
    }

    @Test
    void whatSparkRunsAPartOfHasNone() throws Exception {
        String job = started(slow(folder.resolve("out")), options("state").put("part", true));
        awaitPackets(job, 1);
        for (String stop : List.of("", "drain")) {
            String told = assertThrows(Refusal.class, () -> coordinator.savepoint(job, "savepoint", stop)).getMessage();
            assertTrue(told.startsWith("Spark runs a part of the graph, and a savepoint would not have"), told);
        }
        assertFalse(Files.exists(savepoint));
        String told = assertThrows(Refusal.class, () -> coordinator.stop(job, "flush")).getMessage();
        assertTrue(told.startsWith("flush ends the job as the end of its input does, and Spark's queries"), told);
        coordinator.stop(job, "drain");
        assertEquals("stopped", coordinator.await(job, LONG).path("state").asText());
    }

    @Test
    void aJobGoesOnBehindItsSavepoint() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        String job = started(slow(out), options("state"));
        awaitPackets(job, 700);
        coordinator.savepoint(job, "savepoint", "");
        long epoch = written(job).path("epoch").asLong();
        assertEquals("done", coordinator.await(job, LONG).path("state").asText());
        assertEquals(expected, rows(out));
        Manifest kept = Savepoint.read(new LocalStore(savepoint));
        assertEquals(epoch, kept.epoch());
        Path again = folder.resolve("again");
        run(graph("sums", ", 'parallelism': 3", "", again), options("other").put("from", "savepoint"));
        List<String> behind = rows(again);
        assertTrue(expected.containsAll(behind) && !behind.isEmpty(), behind::toString);
    }

    @Test
    void whereNoSavepointCanBeWrittenIsSaidInWords() throws Exception {
        Path out = folder.resolve("out");
        String without = started(slow(out), Json.object());
        assertEquals(without + " keeps no state, of which a savepoint is a copy",
                refusedSavepoint(without, savepoint.toString(), ""));
        coordinator.stop(without, "now");
        coordinator.await(without, LONG);
        String job = started(slow(folder.resolve("others")), options("state"));
        awaitPackets(job, 100);
        Files.createDirectories(folder.resolve("full/of"));
        assertEquals("no savepoint can be written to /full: it is not empty: a savepoint gets a folder of its own",
                refusedSavepoint(job, "full", ""));
        Files.writeString(folder.resolve("file"), "");
        assertEquals("no savepoint can be written to /file/below: /file already exists", refusedSavepoint(job, "file/below", ""));
        assertEquals("a job that is stopped with a savepoint drains: `flush` would end the windows that it is to keep",
                refusedSavepoint(job, "savepoint", "flush"));
        assertEquals("no savepoint of job " + job + " was asked for",
                assertThrows(Refusal.class, () -> coordinator.awaitSavepoint(job, 1)).getMessage());
        coordinator.stop(job, "now");
        coordinator.await(job, LONG);
        assertEquals(job + " ends, or has ended", refusedSavepoint(job, "savepoint", ""));
        assertFalse(Files.exists(savepoint));
        assertFalse(Files.exists(folder.resolve("file/below")));
        assertTrue(Files.exists(folder.resolve("full/of")));
    }

    private String refusedSavepoint(String job, String to, String stop) {
        return assertThrows(Refusal.class, () -> coordinator.savepoint(job, to, stop)).getMessage()
                .replace(folder.toString(), "");
    }

    @Test
    void aRenamedOperatorGoesOnElsewhereAtAnotherParallelism() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        Manifest kept = savepoint(out);
        Path moved = Files.move(savepoint, folder.resolve("moved"));
        ObjectNode options = options("other").put("from", "moved");
        options.putObject("rename").put("sums", "totals");
        run(graph("totals", ", 'parallelism': 3", "", out), options);
        assertEquals(expected, rows(out));
        FolderFacts facts = facts("other");
        assertTrue(facts.epochs().get(0).epoch() > kept.epoch() && facts.greatestAttempt() > kept.attempt());
        assertEquals(moved.toString(), facts.claims().get(0).start().savepoint());
    }

    @Test
    void whatIsAdoptedOutlivesTheSavepointAndItsUser() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        savepoint(out);
        ObjectNode options = options("other").put("from", savepoint.toString());
        options.putObject("rename").put("sums", "totals");
        String job = started(graph("totals", "", "'rate_per_s': 4000,", out), options);
        coordinator.stop(job, "now");
        coordinator.await(job, LONG);
        new LocalStore(savepoint).delete("");
        run(graph("totals", "", "", out), options("other"));
        assertEquals(expected, rows(out));
    }

    @Test
    void aCommandThatIsStartedAgainGoesOnFromTheSavepointUntilItHasBegun() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        Manifest kept = savepoint(out);
        long since = System.currentTimeMillis();
        StateFolder other = StateFolder.at(new LocalStore(folder.resolve("other")), "g");
        other.claim(new Claim(kept.attempt() + 1, "died", "here", 1, since, 5, Map.of(), null));
        ObjectNode options = options("other").put("from", "savepoint").put("supervised_since_ms", since);
        options.putObject("rename").put("sums", "totals");
        String job = started(graph("totals", "", "'rate_per_s': 4000,", out), options);
        coordinator.stop(job, "now");
        coordinator.await(job, LONG);
        new LocalStore(savepoint).delete("");
        run(graph("totals", "", "", out), options);
        assertEquals(expected, rows(out));
        assertEquals(Arrays.asList(savepoint.toString(), null), other.facts().claims().stream()
                .filter(each -> each.start() != null).map(each -> each.start().savepoint()).toList());
    }

    @Test
    void oneThatHasBegunAnewDoesNotBeginAnewAgain() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        stopped(folder.resolve("before"));
        ObjectNode options = options("state").put("from_start", true)
                .put("supervised_since_ms", System.currentTimeMillis());
        String job = started(slow(out), options);
        awaitPackets(job, COUNT / 8);
        coordinator.stop(job, "drain");
        coordinator.await(job, LONG);
        long before = facts("state").epochs().get(facts("state").epochs().size() - 1).epoch();
        run(graph("sums", "", "", out), options);
        assertEquals(expected, rows(out));
        FolderFacts facts = facts("state");
        assertTrue(facts.claims().get(facts.claims().size() - 1).start().epoch() >= before, facts::toString);
    }

    @Test
    void anEpochOfTheStateGoesOnUnderAnotherId() throws Exception {
        List<String> expected = expected();
        Path out = folder.resolve("out");
        EpochFacts last = stopped(out);
        ObjectNode options = options("state").put("from", Long.toString(last.epoch()));
        options.putObject("rename").put("sums", "totals");
        run(graph("totals", ", 'parallelism': 2", "", out), options);
        assertEquals(expected, rows(out));
    }

    @Test
    void aDroppedOperatorBeginsAnew() throws Exception {
        Path out = folder.resolve("out");
        savepoint(out);
        ObjectNode options = options("other").put("from", "savepoint");
        options.putArray("drop").add("sums");
        run(graph("sums", "", "", out), options);
        long counted = 0;
        for (String row : rows(out)) {
            counted += Json.tree(row).path("n").asLong();
        }
        assertTrue(counted > 0 && counted < COUNT, counted + " packets");
    }

    @Test
    void nowIsThatOfTheSavepoint() throws Exception {
        Manifest kept = savepoint(folder.resolve("out"));
        run(graph("sums", "", "", folder.resolve("out")), options("other").put("from", "savepoint"));
        List<EpochFacts> epochs = facts("other").epochs();
        assertEquals(kept.origin().nowMicros(), epochs.get(epochs.size() - 1).manifest().origin().nowMicros());
    }

    @Test
    void aSourceWhoseFilesWereMovedIsRefusedBeforeItReadsThemAgain() throws Exception {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.writeString(in.resolve("a.csv"), "1\n2\n");
        String graph = ("{'format': 1, 'name': 'g', 'operators': {'readings': {'type': 'file_source', 'path': '" + in
                + "', 'format': 'csv', 'schema': 'n INT', 'follow': true}, 'out': {'type': 'file_sink', 'path': '"
                + folder.resolve("out") + "', 'format': 'csv'}}, 'links': [{'from': 'readings', 'to': 'out'}]}")
                .replace('\'', '"');
        String job = started(graph, options("state"));
        awaitPackets(job, "out", 2);
        coordinator.stop(job, "drain");
        coordinator.await(job, LONG);
        Path moved = Files.move(in, folder.resolve("moved"));
        String elsewhere = graph.replace(in.toString(), moved.toString());
        assertEquals("/state: the graph does not fit epoch N: operator `readings` had read /in, in the graph it reads /moved: if "
                + "these are the same files, let /in be a link to them and write that path; if they are others, without its "
                + "place: --drop readings", refusal(elsewhere, options("state")).replaceAll("epoch \\d+", "epoch N"));
        Files.createSymbolicLink(in, moved);
        Files.writeString(moved.resolve("a.csv"), "3\n", StandardOpenOption.APPEND);
        String again = started(graph, options("state"));
        awaitPackets(again, "out", 3);
        coordinator.stop(again, "drain");
        assertEquals("stopped", coordinator.await(again, LONG).path("state").asText());
        assertEquals(List.of("1", "2", "3"), rows(folder.resolve("out")));
    }

    @Test
    void whatCannotBeGoneOnFromIsRefusedInWords() throws Exception {
        Path out = folder.resolve("out");
        assertEquals("/nowhere is no savepoint: it is empty or not there",
                refusal(slow(out), options("other").put("from", "nowhere")));
        savepoint(out);
        assertEquals("/state is no savepoint: it is a state folder, and `g` is a graph in it; name a folder in "
                + "g/savepoints, or an epoch by its number", refusal(slow(out), options("other").put("from", "state")));
        assertEquals("/other: the graph does not fit savepoint /savepoint: it is of graph `g`, and this one is `h`",
                refusal(slow(out).replace("\"name\": \"g\"", "\"name\": \"h\""), options("other").put("from", "savepoint")));
        assertEquals("/other: the graph does not fit savepoint /savepoint: operator `sums` is not in the graph: its state is "
                + "lost if you say --drop sums, or say --rename sums=NEW",
                refusal(graph("totals", "", "", out), options("other").put("from", "savepoint")));
        assertEquals("/other: the graph does not fit savepoint /savepoint: operator `sums` kept `windows of g BIGINT -> "
                + "accumulator(BIGINT, BIGINT)` as `windows`, in the graph it keeps `windows of g STRING -> "
                + "accumulator(BIGINT, BIGINT)`; without its state: --drop sums",
                refusal(slow(out).replace("pmod(id * 31, 7) AS g", "CAST(pmod(id * 31, 7) AS STRING) AS g"),
                options("other").put("from", "savepoint")));
        assertEquals("/other has no complete epoch, and drop and rename are about what one has",
                refusal(slow(out), options("other").set("drop", Json.object().putArray("drop").add("sums"))));
        Path data = savepoint.resolve("data/0.base");
        byte[] whole = Files.readAllBytes(data);
        whole[whole.length / 2] ^= 1;
        Files.write(data, whole);
        String damaged = refusal(slow(out), options("other").put("from", "savepoint"));
        assertTrue(damaged.startsWith("savepoint /savepoint: data/0.base is damaged: it has "), damaged);
    }
}
