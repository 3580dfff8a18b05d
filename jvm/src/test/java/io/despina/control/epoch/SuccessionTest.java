package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.snapshot.Manifest;
import io.despina.snapshot.Manifest.StateType;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What becomes of each operator's states when the graph has changed. */
class SuccessionTest {
    private static final StateType FOLDED = new StateType("folded", "BY_BUCKET", "k STRING -> count INT");
    private static final StateType WIDER = new StateType("folded", "BY_BUCKET", "k STRING -> count BIGINT");
    private static final StateType REACHED = new StateType("reached", "LEAST", "2 numbers");

    private final Map<String, Manifest.Operator> was = new TreeMap<>();
    private final Map<String, PlanFacts.OperatorFacts> now = new TreeMap<>();

    private SuccessionTest was(String id, String type, int instances, StateType... states) {
        return was(id, type, instances, Map.of(), states);
    }

    private SuccessionTest was(String id, String type, int instances, Map<String, Map<String, String>> texts,
            StateType... states) {
        Manifest.Instance each = FolderFactsOf.instance(texts);
        was.put(id, new Manifest.Operator(type, List.of(states), Collections.nCopies(instances, each)));
        return this;
    }

    private SuccessionTest now(String id, String type, int instances, StateType... states) {
        now.put(id, new PlanFacts.OperatorFacts(type, instances, List.of(states)));
        return this;
    }

    private List<String> become(RestoreWish.Changes changes, boolean committed) {
        return become(changes, committed ? Succession.Base.COMMITTED : Succession.Base.COMMITTING);
    }

    private List<String> become(RestoreWish.Changes changes, Succession.Base base) {
        Manifest manifest = new Manifest(Manifest.FORMAT, FolderFactsOf.origin(256), 1, 9, 0, List.of(), was);
        return Succession.of(manifest, base, new PlanFacts("g", 256, now), changes).stream()
                .map(each -> each.fate() + ": " + each.words()).toList();
    }

    private List<String> become() {
        return become(RestoreWish.Changes.NONE, true);
    }

    private static RestoreWish.Changes drop(String... ids) {
        return new RestoreWish.Changes(Map.of(), Set.of(ids));
    }

    private static RestoreWish.Changes rename(String from, String to) {
        return new RestoreWish.Changes(Map.of(from, to), Set.of());
    }

    @Test
    void theSameIsKept() {
        assertEquals(List.of("KEPT: operator `a` is kept"), was("a", "aggregate", 2, FOLDED, REACHED)
                .now("a", "aggregate", 2, FOLDED).become());
    }

    @Test
    void anotherParallelismIsDealtOut() {
        assertEquals(List.of("KEPT: operator `a` is kept, dealt out from 2 to 3 instances"),
                was("a", "aggregate", 2, FOLDED).now("a", "aggregate", 3, FOLDED).become());
    }

    private SuccessionTest now(String id, int instances, PlanFacts.Outside outside) {
        now.put(id, new PlanFacts.OperatorFacts("any", instances, List.of(), outside));
        return this;
    }

    private List<String> readsWhereItRead(String before, String path) {
        return was("a", "any", 1, Map.of("place", Map.of("path", before))).now("a", 1, new PlanFacts.Outside(path, null, true))
                .become();
    }

    @Test
    void aSourceOfFilesElsewhereIsRefused() {
        List<String> kept = List.of("KEPT: operator `a` is kept");
        assertEquals(kept, readsWhereItRead("/data/in.csv", "/data/in.csv"));
        assertEquals(kept, readsWhereItRead("/data/2026-01/*.csv", "/data/2026-*/*.csv"));
        assertEquals(kept, readsWhereItRead("/data/in.csv", "/data"));
        assertEquals(kept, readsWhereItRead("file:///data", "/data"));
        assertEquals(List.of("REFUSED: operator `a` had read /data/in, in the graph it reads /new/in: if these are the same "
                + "files, let /data/in be a link to them and write that path; if they are others, without its place: --drop a"),
                readsWhereItRead("/data/in", "/new/in"));
        for (String other : List.of("/data/in2", "hdfs://host/data/in", "/data/other.csv")) {
            assertTrue(readsWhereItRead("/data/in", other).get(0).startsWith("REFUSED"), other);
        }
        assertEquals(List.of("DROPPED: operator `a` is dropped"), become(drop("a"), true).subList(0, 1));
    }

    @Test
    void aPlaceThatMeansNothingAtAnotherParallelismIsRefused() {
        PlanFacts.Outside fixed = new PlanFacts.Outside(null, null, false);
        assertEquals(List.of("KEPT: operator `a` is kept"), was("a", "any", 2).now("a", 2, fixed).become());
        assertEquals(List.of("REFUSED: operator `a` cannot go on from the places of 2 instances with 3; without its place: "
                + "--drop a"), now("a", 3, fixed).become());
    }

    private List<String> waiting(String state, int instances, String columns) {
        return was("a", "any", 2, Map.of(state, Map.of("schema", "n INT")))
                .now("a", instances, new PlanFacts.Outside(null, columns, true)).become();
    }

    @Test
    void rowsThatWaitForAReaderKeepTheirNumbers() {
        assertEquals(List.of("KEPT: operator `a` is kept"), waiting("served", 2, "n INT"));
        for (int other : List.of(1, 3)) {
            assertEquals(List.of("REFUSED: operator `a` has rows that a program reads, by their numbers in 2 instances; with "
                    + other + " these mean nothing: leave its parallelism as it was"), waiting("served", other, "n INT"));
        }
        assertEquals(List.of("REFUSED: operator `a` has rows that wait, with the columns n INT, in the graph they are n BIGINT"),
                waiting("served", 2, "n BIGINT"));
    }

    @Test
    void rowsThatWaitInAnOutboxKeepIt() {
        assertEquals(List.of("KEPT: operator `a` is kept, dealt out from 2 to 3 instances"), waiting("outbox", 3, "n INT"));
        assertEquals(List.of("REFUSED: operator `a` has rows that wait in 2 outboxes, and 1 instances: leave its parallelism as "
                + "it was, or make it more"), waiting("outbox", 1, "n INT"));
        assertTrue(waiting("outbox", 2, "n BIGINT").get(0).startsWith("REFUSED: operator `a` has rows that wait"));
    }

    @Test
    void aNewOperatorStartsEmpty() {
        assertEquals(List.of("KEPT: operator `a` is kept", "NEW: operator `b` is new: it starts empty"),
                was("a", "scan", 1, FOLDED).now("a", "scan", 1).now("b", "scan", 1).become());
    }

    @Test
    void anOperatorThatIsGoneMustBeDroppedByName() {
        was("a", "scan", 1, FOLDED);
        assertEquals(List.of("REFUSED: operator `a` is not in the graph: its state is lost if you say --drop a, or say "
                + "--rename a=NEW"), become());
        assertEquals(List.of("DROPPED: operator `a` is dropped"), become(drop("a"), true));
    }

    @Test
    void whatKeepsNothingGoesByItself() {
        assertEquals(List.of("DROPPED: operator `a` is dropped: it keeps nothing"), was("a", "map", 1, REACHED).become());
    }

    @Test
    void aRenamedOperatorGoesOn() {
        assertEquals(List.of("RENAMED: operator `a` goes on as `b`"),
                was("a", "scan", 1, FOLDED).now("b", "scan", 1, FOLDED).become(rename("a", "b"), true));
    }

    @Test
    void twoMayChangeTheirNamesBehindASavepoint() {
        was("a", "scan", 1, FOLDED).was("b", "scan", 2, FOLDED).now("a", "scan", 1, FOLDED).now("b", "scan", 1, FOLDED);
        assertEquals(List.of("RENAMED: operator `a` goes on as `b`",
                "RENAMED: operator `b` goes on as `a`, dealt out from 2 to 1 instances"),
                become(new RestoreWish.Changes(Map.of("a", "b", "b", "a"), Set.of()), Succession.Base.SAVEPOINT));
        assertEquals("REFUSED: `a` and `b` cannot both be renamed here: go on from a savepoint",
                become(new RestoreWish.Changes(Map.of("a", "b", "b", "a"), Set.of()), true).get(0));
    }

    @Test
    void namesThatAreNotThereAreRefused() {
        was("a", "scan", 1, FOLDED).now("a", "scan", 1, FOLDED);
        assertEquals("REFUSED: `z` cannot be renamed: the epoch has [a]", become(rename("z", "a"), true).get(0));
        assertEquals("REFUSED: `a` cannot be renamed to `z`: the graph has no such operator",
                become(rename("a", "z"), true).get(0));
        assertEquals("REFUSED: `z` cannot be dropped: the epoch has [a]", become(drop("z"), true).get(0));
    }

    @Test
    void noOperatorInheritsTwoStates() {
        was("a", "scan", 1, FOLDED).was("b", "scan", 1, FOLDED).now("b", "scan", 1, FOLDED);
        assertEquals("REFUSED: `a` cannot be renamed to `b`: that has a state of its own", become(rename("a", "b"), true).get(0));
        assertEquals(List.of("RENAMED: operator `a` goes on as `b`", "DROPPED: operator `b` is dropped"),
                become(new RestoreWish.Changes(Map.of("a", "b"), Set.of("b")), true));
    }

    @Test
    void anotherTypeIsRefused() {
        was("a", "scan", 1, FOLDED).now("a", "join", 1);
        assertEquals(List.of("REFUSED: operator `a` was of type scan, in the graph it is of type join; without its state: "
                + "--drop a"), become());
        assertEquals(List.of("DROPPED: operator `a` is dropped", "NEW: operator `a` is new: it starts empty"),
                become(drop("a"), true));
    }

    @Test
    void otherColumnsAreRefused() {
        assertEquals(List.of("REFUSED: operator `a` kept `k STRING -> count INT` as `folded`, in the graph it keeps "
                + "`k STRING -> count BIGINT`; without its state: --drop a"),
                was("a", "scan", 1, FOLDED).now("a", "scan", 1, WIDER).become());
        assertEquals(List.of("REFUSED: operator `a`, now `b`, kept no state `folded`, in the graph it keeps "
                + "`k STRING -> count BIGINT`; without its state: --drop a"),
                new SuccessionTest().was("a", "scan", 1, REACHED).now("b", "scan", 1, WIDER).become(rename("a", "b"), true));
    }

    @Test
    void aStateThatNobodyWouldReadIsRefused() {
        assertEquals(List.of("REFUSED: operator `a` kept `k STRING -> count INT` as `folded`, in the graph it keeps no such "
                + "state; without its state: --drop a"), was("a", "scan", 1, FOLDED, REACHED).now("a", "scan", 1,
                new StateType("reached", "LEAST", "2 numbers")).become());
    }

    @Test
    void aSinkWithPreparedEpochsIsNotDropped() {
        was("out", "file_sink", 1, Map.of("sink_epochs", Map.of("current", "10", "prepared", "8 9")), FOLDED);
        assertEquals(List.of("REFUSED: sink `out` has prepared epochs that nobody would commit: 8 9; start the old graph once "
                + "more first"), become(drop("out"), false));
        assertEquals(List.of("DROPPED: operator `out` is dropped"), become(drop("out"), true));
    }

    @Test
    void aSinkWithAFileUnderWayIsChangedFromASavepointAlone() {
        was("out", "file_sink", 1, Map.of("epochs", Map.of("pending 9", "0 12 1 true 4")), FOLDED)
                .now("rows", "file_sink", 1);
        assertEquals("REFUSED: sink `out` may have a file that nobody would end: rename it where you go on from a savepoint, "
                + "which has none", become(rename("out", "rows"), true).get(0));
        assertEquals("REFUSED: sink `out` may have a file that nobody would end: drop it where you go on from a savepoint, which "
                + "has none", become(drop("out"), true).get(0));
        Manifest manifest = new Manifest(Manifest.FORMAT, FolderFactsOf.origin(256), 1, 9, 0, List.of(), was);
        assertEquals("operator `out` goes on as `rows`", Succession.of(manifest, Succession.Base.SAVEPOINT,
                new PlanFacts("g", 256, now), rename("out", "rows")).get(0).words());
    }

    @Test
    void otherBucketsAreRefused() {
        Manifest manifest = new Manifest(Manifest.FORMAT, FolderFactsOf.origin(128), 1, 9, 0, List.of(), was);
        assertEquals("buckets were 128, in the graph they are 256: keys would be elsewhere",
                Succession.of(manifest, Succession.Base.COMMITTED, new PlanFacts("g", 256, now), RestoreWish.Changes.NONE).get(0)
                        .refusal());
    }

    @Test
    void anOlderFormatSaysNothingOfTypes() {
        assertEquals(List.of("KEPT: operator `a` is kept"), was("a", "scan", 1).now("a", "scan", 1, FOLDED).become());
    }
}
