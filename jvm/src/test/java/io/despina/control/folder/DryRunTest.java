package io.despina.control.folder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.epoch.RestoreWish;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Checked;
import io.despina.descriptor.Diagnostic;
import io.despina.snapshot.Claim;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A graph goes on, or does not, from an epoch in which the operator {@code x} was a scan with two instances. */
class DryRunTest {
    private static final String SCAN = "\"x\": {\"type\": \"scan\", \"group_by\": [\"k\"], \"state\": {\"count\": "
            + "{\"initial\": \"0\", \"next\": \"count + 1\"}}, \"select\": [\"k\", \"id\", \"next.count AS c\"], "
            + "\"parallelism\": 2}";

    @TempDir
    Path root;

    @BeforeEach
    void keep() throws IOException {
        StateFolder folder = StateFolder.at(new LocalStore(root), "g");
        folder.claim(new Claim(1, "c", "box", 12, 1000, 5, Map.of(), null));
        folder.start(1, new Claim.Start(0, null));
        Goldens.copyFiles("scan", root);
        Goldens.copyManifest("scan", root.resolve("g").resolve("epochs").resolve("1.manifest.json"));
        folder.committed(folder.again(1));
    }

    private static JobPlan plan(String name, String settings, String operator) throws Refusal {
        String id = operator.substring(0, operator.indexOf(':')).replace("\"", "");
        String text = "{\"format\": 1, \"name\": \"" + name + "\", \"settings\": {" + settings + "}, \"operators\": {\"a\": "
                + "{\"type\": \"file_source\", \"path\": \"in\", \"format\": \"json\", \"schema\": \"ts TIMESTAMP, id BIGINT, "
                + "k STRING, n INT, v DOUBLE, a ARRAY<STRING>\", \"event_time\": {\"column\": \"ts\", \"order_by\": [\"id\"]}}, "
                + operator + ", \"out\": {\"type\": \"discard_sink\"}}, \"links\": [{\"from\": \"a\", \"to\": \"" + id
                + "\"}, {\"from\": \"" + id + "\", \"to\": \"out\"}]}";
        Checked<JobPlan> planned = JobPlan.of(text, "g", JobOptions.parse("{}", System::currentTimeMillis));
        assertTrue(planned.ok(), planned::render);
        return planned.value();
    }

    private DryRun run(JobPlan planned, RestoreWish.Changes changes) throws Refusal {
        return DryRun.of(planned, root.toString(), changes);
    }

    /** By operator. */
    private Map<String, String> words(JobPlan planned, RestoreWish.Changes changes) throws Refusal {
        Map<String, String> words = new TreeMap<>();
        run(planned, changes).fates().forEach(each -> words.put(each.operator(), each.words()));
        return words;
    }

    @Test
    void theSameGraphKeepsEverything() throws Refusal {
        JobPlan same = plan("g", "", SCAN);
        assertEquals(Map.of("a", "operator `a` is new: it starts empty", "out", "operator `out` is new: it starts empty",
                "x", "operator `x` is kept"), words(same, RestoreWish.Changes.NONE));
        DryRun run = run(same, RestoreWish.Changes.NONE);
        assertEquals("epoch 1", run.from());
        assertEquals(List.of(), run.refusals(same.graph()));
    }

    @Test
    void statesAreDealtOutToMoreInstances() throws Refusal {
        assertEquals("operator `x` is kept, dealt out from 2 to 3 instances", words(plan("g", "",
                SCAN.replace("\"parallelism\": 2", "\"parallelism\": 3")), RestoreWish.Changes.NONE).get("x"));
    }

    @Test
    void anotherTypeOfAStateIsRefusedAtItsOperator() throws Refusal {
        JobPlan wider = plan("g", "", SCAN.replace("\"0\"", "\"0L\""));
        List<Diagnostic> refusals = run(wider, RestoreWish.Changes.NONE).refusals(wider.graph());
        assertEquals(1, refusals.size());
        assertEquals("x", refusals.get(0).place().operatorId());
        assertEquals("operator `x` kept `k STRING -> count INT` as `folded`, in the graph it keeps `k STRING -> count BIGINT`; "
                + "without its state: --drop x", refusals.get(0).message());
    }

    @Test
    void anOperatorOfAnotherIdIsLostRenamedOrDropped() throws Refusal {
        JobPlan other = plan("g", "", SCAN.replace("\"x\"", "\"y\""));
        assertEquals("operator `x` is not in the graph: its state is lost if you say --drop x, or say --rename x=NEW",
                words(other, RestoreWish.Changes.NONE).get("x"));
        assertEquals("operator `x` goes on as `y`", words(other, new RestoreWish.Changes(Map.of("x", "y"), Set.of())).get("x"));
        assertEquals("operator `x` is dropped", words(other, new RestoreWish.Changes(Map.of(), Set.of("x"))).get("x"));
    }

    @Test
    void otherBucketsAreRefused() throws Refusal {
        assertEquals("buckets were 256, in the graph they are 128: keys would be elsewhere",
                words(plan("g", "\"buckets\": 128", SCAN), RestoreWish.Changes.NONE).get(""));
    }

    @Test
    void theStateOfAnotherGraphIsRefused() {
        assertEquals(root + " has no state of graph `h`", assertThrows(Refusal.class,
                () -> run(plan("h", "", SCAN), RestoreWish.Changes.NONE)).getMessage());
    }

    @Test
    void aFolderThatIsNeitherIsRefusedByName() throws IOException {
        Path other = Files.createDirectories(root.resolve("g").resolve("data"));
        Refusal refused = assertThrows(Refusal.class, () -> DryRun.of(plan("g", "", SCAN), other.toString(),
                RestoreWish.Changes.NONE));
        assertEquals(other + " is neither a savepoint nor a state folder: it has no manifest.json, and no folder in it has a "
                + "folder.json", refused.getMessage());
        assertEquals("name the folder that `despina savepoint` has written, or the one that a run had as its state",
                refused.hint());
        assertEquals(root.resolve("nowhere") + " is neither a savepoint nor a state folder: it has no manifest.json, and no "
                + "folder in it has a folder.json", assertThrows(Refusal.class, () -> DryRun.of(plan("g", "", SCAN),
                root.resolve("nowhere").toString(), RestoreWish.Changes.NONE)).getMessage());
    }

    /** Not even that of an epoch whose states are gone is an empty start. */
    @Test
    void aStateWithoutAWholeEpochIsRefused() throws IOException {
        Files.delete(Goldens.base("scan", root));
        assertEquals("the state of graph `g` has no whole epoch", assertThrows(Refusal.class,
                () -> run(plan("g", "", SCAN), RestoreWish.Changes.NONE)).getMessage());
    }

    @Test
    void aSavepointIsReadWhereItLies() throws Refusal, IOException {
        Goldens.copyManifest("scan", root.resolve("manifest.json"));
        assertEquals("the savepoint", run(plan("another", "", SCAN), RestoreWish.Changes.NONE).from());
        Path base = Goldens.base("scan", root);
        Files.delete(base);
        String words = assertThrows(Refusal.class, () -> run(plan("another", "", SCAN), RestoreWish.Changes.NONE)).getMessage();
        assertTrue(words.endsWith(" is a damaged savepoint: scan/" + base.getFileName() + " is not there"), words);
    }
}
