package io.despina.control.folder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Refusal;
import io.despina.json.Json;
import io.despina.operator.KeptNames;
import io.despina.snapshot.Claim;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over folders of which each has one golden snapshot as its epoch 1. */
class FolderCommandsTest {
    private static final String GRAPH = "power alarm";

    @TempDir
    Path root;
    private SnapshotStore store;
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicLong wall = new AtomicLong(System.currentTimeMillis());

    @BeforeEach
    void open() {
        store = new LocalStore(root);
    }

    private void keep(String graph, String golden) throws IOException {
        StateFolder folder = StateFolder.at(store, graph);
        folder.claim(new Claim(1, "c", "box", 12, 1000, 5, Map.of(), null));
        folder.start(1, new Claim.Start(0, null));
        Goldens.copyFiles(golden, root);
        Goldens.copyManifest(golden, root.resolve(graph.replace(" ", "%20")).resolve("epochs").resolve("1.manifest.json"));
    }

    private ObjectNode run(String command, String options) throws Refusal {
        return FolderCommands.run(command, root.toString(), options, nanos::get, wall::get);
    }

    private void assertRefused(String message, String command, String options) {
        assertEquals(message.replace("ROOT", root.toString()),
                assertThrows(Refusal.class, () -> run(command, options)).getMessage());
    }

    private List<JsonNode> exported(String options) throws Refusal, IOException {
        Path output = root.resolve("exported");
        run("export", options.replaceFirst("}$", ", \"output\": \"" + output + "\"}"));
        List<JsonNode> rows = new ArrayList<>();
        for (String line : Files.readAllLines(output)) {
            rows.add(Json.tree(line));
        }
        return rows;
    }

    @Test
    void listsGraphsWithTheirAttemptsAndEpochs() throws IOException, Refusal {
        keep(GRAPH, "scan");
        keep("another", "join_as_of");
        StateFolder.at(store, GRAPH).committed(StateFolder.at(store, GRAPH).again(1));
        JsonNode graphs = run("ls", "{}").get("graphs");
        assertEquals(List.of("another", GRAPH), graphs.findValuesAsText("graph"));
        JsonNode graph = graphs.get(1);
        assertEquals("{\"attempt\":1,\"host\":\"box\",\"pid\":12,\"claimed_at_ms\":1000,\"from_epoch\":0,"
                + "\"from_savepoint\":null}", graph.get("attempts").get(0).toString());
        JsonNode epoch = graph.get("epochs").get(0);
        assertEquals("committed", epoch.get("standing").asText());
        assertEquals(3354, epoch.get("bytes").asLong());
        assertEquals(2, epoch.get("operators").get("x").get("parallelism").asInt());
        assertEquals("committing", graphs.get(0).get("epochs").get(0).get("standing").asText());
    }

    @Test
    void namesThatServersKnowAreBesideTheLogs() throws IOException, Refusal {
        keep(GRAPH, "scan");
        assertEquals("[]", run("ls", "{}").get("graphs").get(0).get("names").toString());
        Path logs = root.resolve("power%20alarm").resolve("log");
        for (int instance : new int[] {10, 2}) {
            KeptNames.write(logs.resolve("in").resolve(Integer.toString(instance)), KeptNames.SESSION, "abc");
        }
        KeptNames.write(logs.resolve("out").resolve("0"), KeptNames.OUTBOX, "u-u");
        KeptNames.write(logs.resolve("out").resolve("0"), KeptNames.OUTBOX, "another");
        Files.createDirectories(logs.resolve("silent").resolve("0"));
        List<String> names = new ArrayList<>();
        run("ls", "{}").get("graphs").get(0).get("names").forEach(each -> names.add(each.get("operator").asText() + " "
                + each.get("instance") + " " + each.get("kind").asText() + " " + each.get("name").asText()));
        assertEquals(List.of("in 2 session abc.in.2", "in 10 session abc.in.10", "out 0 outbox u-u"), names);
    }

    @Test
    void onlyAFolderThatNoJobUsesIsGivenUp() throws IOException, Refusal {
        keep(GRAPH, "scan");
        try (FolderHold job = new FolderHold(store, StateFolder.at(store, GRAPH).paths(), new Holder("c", "box", 12, 1, -1))) {
            assertNull(job.look(1));
            assertRefused("graph `power alarm` is run by process 12 on box", "given_up", "{}");
        }
        assertEquals("{}", run("given_up", "{}").toString());
    }

    @Test
    void takesTheFolderOfOneGraphToo() throws IOException, Refusal {
        keep(GRAPH, "scan");
        keep("another", "join_as_of");
        JsonNode graphs = FolderCommands.run("ls", root.resolve("power%20alarm") + "/", "{}", nanos::get, wall::get)
                .get("graphs");
        assertEquals(1, graphs.size());
        assertEquals(GRAPH, graphs.get(0).get("graph").asText());
    }

    @Test
    void aFolderOfSomethingElseIsRefusedByName() throws IOException {
        Files.createDirectories(root.resolve("photos"));
        assertRefused("ROOT is no state folder: no folder in it has a folder.json", "ls", "{}");
        keep(GRAPH, "scan");
        assertRefused("ROOT has no state of graph `other`", "ls", "{\"graph\": \"other\"}");
    }

    @Test
    void everyByteIsVerified() throws IOException, Refusal {
        for (String golden : List.of("scan", "join_as_of", "aggregate_tumbling")) {
            keep(golden, golden);
        }
        for (JsonNode graph : run("check", "{}").get("graphs")) {
            assertEquals("[]", graph.get("problems").toString());
            assertEquals(1, graph.get("whole_epochs").asInt());
        }
        Path file = Goldens.base("scan", root);
        byte[] bytes = Files.readAllBytes(file);
        bytes[40] ^= 1;
        Files.write(file, bytes);
        Path missing = Goldens.base("join_as_of", root);
        Files.delete(missing);
        Map<String, String> problems = new HashMap<>();
        for (JsonNode graph : run("check", "{}").get("graphs")) {
            for (JsonNode each : graph.get("problems")) {
                problems.put(graph.get("graph").asText(), each.get("epoch") + " " + each.get("problem").asText());
            }
        }
        assertEquals(2, problems.size());
        assertTrue(problems.get("scan").startsWith("1 scan/" + file.getFileName() + ": state `folded` is damaged: its "
                + "CRC32C is "), problems.get("scan"));
        assertTrue(problems.get("join_as_of").contains("join_as_of/" + missing.getFileName()), problems.get("join_as_of"));
    }

    @Test
    void damagedManifestsAndClaimsAreNamed() throws IOException, Refusal {
        keep(GRAPH, "scan");
        Path folder = root.resolve("power%20alarm");
        Path manifest = folder.resolve("epochs").resolve("1.manifest.json");
        byte[] whole = Files.readAllBytes(manifest);
        Files.write(manifest, new String(whole, StandardCharsets.UTF_8).replace("\"bytes\" : ", "\"bytes\" : 1")
                .getBytes(StandardCharsets.UTF_8));
        Files.write(folder.resolve("attempts").resolve("2.json"), new byte[0]);
        JsonNode problems = run("check", "{}").get("graphs").get(0).get("problems");
        assertEquals(2, problems.size(), problems.toString());
        assertEquals("power%20alarm/attempts/2.json: damaged, or cut short", problems.get(0).get("problem").asText());
        assertTrue(problems.get(1).get("problem").asText().contains("1.manifest.json: the manifest is damaged: its CRC32C is"),
                problems.toString());
    }

    @Test
    void nothingIsRemovedUnderARunningJob() throws IOException, Refusal {
        keep(GRAPH, "scan");
        try (FolderHold job = new FolderHold(store, StateFolder.at(store, GRAPH).paths(), new Holder("c", "box", 12, 1, -1))) {
            assertNull(job.look(1));
            assertRefused("graph `power alarm` is run by process 12 on box", "gc", "{}");
            assertEquals(0, run("gc", "{\"dry_run\": true}").get("graphs").get(0).get("files").size());
        }
        assertEquals(0, run("gc", "{}").get("graphs").get(0).get("files").size());
    }

    @Test
    void whatWasWrittenAsideGoesWhenTheGivenClockSaysThatItIsOld() throws IOException, Refusal {
        keep(GRAPH, "scan");
        Path aside = root.resolve("power%20alarm").resolve("epochs").resolve(".2.manifest.json");
        Files.write(aside, new byte[1]);
        assertEquals(0, run("gc", "{}").get("graphs").get(0).get("files").size());
        wall.addAndGet(TimeUnit.HOURS.toMillis(1));
        assertEquals(1, run("gc", "{}").get("graphs").get(0).get("files").size());
        assertFalse(Files.exists(aside));
    }

    @Test
    void keyedStatesAreExportedByTheirColumns() throws IOException, Refusal {
        keep(GRAPH, "scan");
        List<JsonNode> rows = exported("{\"operator\": \"x\", \"state\": \"folded\"}");
        assertFalse(rows.isEmpty());
        for (JsonNode row : rows) {
            assertTrue(row.get("key").has("k") && row.get("value").get("count").isInt(), row.toString());
        }
        List<JsonNode> waiting = exported("{\"operator\": \"x\", \"state\": \"waiting\", \"epoch\": 1}");
        waiting.forEach(row -> assertTrue(row.get("packet").get("ts").asText().endsWith("Z"), row.toString()));
    }

    @Test
    void windowsAreExportedWithTheirStartAndSums() throws IOException, Refusal {
        keep(GRAPH, "aggregate_tumbling");
        List<JsonNode> rows = exported("{\"operator\": \"x\", \"state\": \"windows\"}");
        assertFalse(rows.isEmpty());
        for (JsonNode row : rows) {
            assertEquals(3, row.get("sums").size(), row.toString());
            assertTrue(row.get("window_start").asText().endsWith("Z"), row.toString());
        }
    }

    @Test
    void everyStateOfEveryGoldenIsExportedToItsEnd() throws IOException, Refusal {
        for (String golden : Goldens.names()) {
            keep(golden, golden);
        }
        for (JsonNode graph : run("ls", "{}").get("graphs")) {
            assertFalse(exported("{\"operator\": \"x\", \"graph\": \"" + graph.get("graph").asText() + "\"}").isEmpty());
        }
    }

    @Test
    void anExportSaysWhatThereIsInstead() throws IOException {
        keep(GRAPH, "scan");
        assertRefused("epoch 1 has no operator `y`", "export", "{\"operator\": \"y\", \"output\": \"o\"}");
        assertRefused("operator `x` keeps no state `z`", "export", "{\"operator\": \"x\", \"state\": \"z\", \"output\": \"o\"}");
        keep("another", "scan_of_texts_with_a_row_at_the_end");
        assertRefused("ROOT has the states of several graphs: `another`, `power alarm`", "export", "{\"operator\": \"x\"}");
    }
}
