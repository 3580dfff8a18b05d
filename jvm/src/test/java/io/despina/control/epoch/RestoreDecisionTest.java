package io.despina.control.epoch;

import static io.despina.control.epoch.FolderFactsOf.PLAN;
import static io.despina.control.epoch.FolderFactsOf.manifest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.snapshot.EpochFacts.Standing;
import io.despina.snapshot.Holder;
import io.despina.snapshot.Manifest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** From where an attempt starts, by what lies in its folder. */
class RestoreDecisionTest {
    private static final long NOW = 1_000_000;
    private static final RestoreWish NEWEST = RestoreWish.newest(false);
    private static final RestoreWish NEW = new RestoreWish(false, 0, null, null, RestoreWish.Changes.NONE, false);

    private static FolderFactsOf folder() {
        return new FolderFactsOf();
    }

    private static RestoreWish from(long epoch) {
        return new RestoreWish(true, epoch, null, null, RestoreWish.Changes.NONE, false);
    }

    private static RestoreWish savepoint(Manifest kept) {
        return new RestoreWish(true, 0, "/s", kept, RestoreWish.Changes.NONE, false);
    }

    private static Restore decide(FolderFactsOf folder, RestoreWish wish) {
        return decide(folder, wish, null);
    }

    private static Restore decide(FolderFactsOf folder, RestoreWish wish, Holder holder) {
        return RestoreDecision.of(folder.facts(), wish, PLAN, new RestoreDecision.Asking("me", NOW, holder));
    }

    /** The answer in short: where it starts, what is replayed, how much is told. */
    private static String brief(Restore restore) {
        if (restore instanceof Restore.GoOn on) {
            return "from " + on.manifest().epoch() + (on.replay() ? ", commits first" : "") + told(on.told());
        } else if (restore instanceof Restore.Fresh fresh) {
            return "fresh" + told(fresh.told());
        } else if (restore instanceof Restore.FromSavepoint from) {
            return "savepoint " + from.address() + told(from.told());
        } else if (restore instanceof Restore.InUse used) {
            return "in use" + (used.againMillis() == 0 ? "" : ", again in " + used.againMillis());
        }
        return "refused: " + ((Restore.Refused) restore).words();
    }

    private static String told(List<String> told) {
        return told.isEmpty() ? "" : "; " + String.join("; ", told);
    }

    private static Stream<Arguments> sound() {
        return Stream.of(
                // no epoch yet
                Arguments.of(folder(), NEWEST, "fresh"),
                Arguments.of(folder(), NEW, "fresh"),
                Arguments.of(folder().claimed(1), NEWEST, "fresh"),
                Arguments.of(folder().started(1, 0), NEWEST, "fresh"),
                Arguments.of(folder().started(1, 0), NEW, "fresh"),
                Arguments.of(folder().started(1, 0).with(1, Standing.WRITTEN), NEWEST, "fresh"),
                Arguments.of(folder().started(1, 0).with(1, Standing.WRITTEN), NEW, "fresh"),
                // the newest
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTING), NEWEST, "from 1, commits first"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED), NEWEST, "from 1"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.COMMITTING), NEWEST,
                        "from 2, commits first"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTING).with(2, Standing.COMMITTING), NEWEST,
                        "from 2, commits first"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.WRITTEN), NEWEST, "from 1"),
                Arguments.of(folder().started(1, 0).with(7, Standing.COMMITTED).with(9, Standing.COMMITTED), NEWEST, "from 9"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED), NEW,
                        "refused: the state folder has epochs of graph `g`, the last one is 1"),
                Arguments.of(folder().started(1, 0, "/s").with(1, Standing.COMMITTED), NEWEST, "from 1"),
                // of attempts that were fenced off
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.FENCED), NEWEST, "from 1"),
                Arguments.of(folder().started(1, 0).with(1, Standing.FENCED).started(2, 0), NEWEST, "fresh"));
    }

    private static Stream<Arguments> damaged() {
        String none = "refused: no epoch in the state folder of graph `g` can be read: ";
        return Stream.of(
                // what died while a manifest was made
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.HALF), NEWEST,
                        "from 1; epoch 2 is lost: epochs/2.manifest.json: HALF"),
                Arguments.of(folder().started(1, 0).with(1, Standing.HALF), NEWEST,
                        "fresh; epoch 1 is lost: epochs/1.manifest.json: HALF"),
                Arguments.of(folder().started(1, 5, "/s"), NEWEST, none + "attempt 1 started from epoch 5, which is not there"),
                // rot
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.ROTTEN), NEWEST,
                        "refused: epoch 2 cannot be read, and sinks may have committed it: epochs/2.manifest.json: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTING).with(2, Standing.ROTTEN)
                        .with(3, Standing.HALF), NEWEST,
                        "refused: epoch 2 cannot be read, and sinks may have committed it: epochs/2.manifest.json: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).marked(2, Standing.ROTTEN), NEWEST,
                        "refused: epoch 2 cannot be read, and sinks have committed it: epochs/2.manifest.json: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).marked(2, Standing.HALF), NEWEST,
                        "refused: epoch 2 cannot be read, and sinks have committed it: epochs/2.manifest.json: HALF"),
                Arguments.of(folder().started(1, 0).marked(1, Standing.ROTTEN).with(2, Standing.COMMITTED), NEWEST, "from 2"),
                Arguments.of(folder().started(1, 0).with(1, Standing.ROTTEN).with(2, Standing.ROTTEN).with(3, Standing.ROTTEN),
                        NEWEST, none + "epoch 3: epochs/3.manifest.json: ROTTEN; epoch 2: epochs/2.manifest.json: ROTTEN; "
                        + "epoch 1: epochs/1.manifest.json: ROTTEN"),
                Arguments.of(folder().started(2, 5), NEWEST, none + "attempt 2 started from epoch 5, which is not there"),
                Arguments.of(folder().started(2, 5).with(6, Standing.HALF), NEWEST,
                        none + "epoch 6: epochs/6.manifest.json: HALF"),
                // rot in the files of an epoch: it was complete, so what was prepared may be out
                Arguments.of(folder().started(1, 0).with(5, Standing.COMMITTED).rotten(6, true, Map.of("shows", "")), NEWEST,
                        "from 5; epoch 6 is lost, of which no sink had shown a row: data/6: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(5, Standing.COMMITTING).rotten(6, false, Map.of("shows", "5")), NEWEST,
                        "from 5, commits first; epoch 6 is lost, of which no sink had shown a row: data/6: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(5, Standing.COMMITTED).rotten(6, false, Map.of("shows", "6")), NEWEST,
                        "refused: epoch 6 cannot be read, and sink `x` may have committed it: data/6: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(5, Standing.COMMITTED).rotten(6, true, Map.of("shows", "6")), NEWEST,
                        "refused: epoch 6 cannot be read, and sink `x` has committed it: data/6: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(5, Standing.COMMITTED).rotten(6, true, Map.of("prepared", "6")), NEWEST,
                        "refused: epoch 6 cannot be read, and sink `x` has committed it: data/6: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(4, Standing.COMMITTED).rotten(5, true, Map.of("shows", "5"))
                        .rotten(6, true, Map.of("shows", "")), NEWEST,
                        "refused: epoch 5 cannot be read, and sink `x` has committed it: data/5: ROTTEN"),
                Arguments.of(folder().started(1, 0).rotten(1, false, Map.of()).rotten(2, false, Map.of()).rotten(3, false,
                        Map.of()), NEWEST, none + "epoch 3: data/3: ROTTEN; epoch 2: data/2: ROTTEN; epoch 1: data/1: ROTTEN"),
                // a later engine's
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.LATER), NEWEST,
                        "refused: epochs/2.manifest.json: LATER"));
    }

    /** The last ones shared a file, and one is left from before it. What was between them is deleted. */
    private static Stream<Arguments> longAgo() {
        return Stream.of(
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).rotten(8, true, Map.of("shown", "1"))
                        .rotten(9, true, Map.of("shown", "1", "shows", "")), NEWEST, "from 1; epoch 9 is lost, of which no "
                        + "sink had shown a row: data/9: ROTTEN; epoch 8 is lost, of which no sink had shown a row: "
                        + "data/8: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).rotten(8, true, Map.of("shown", "4", "shows",
                        "")), NEWEST, "refused: epoch 8 cannot be read, and sink `x` has committed it: data/8: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(7, Standing.ROTTEN)
                        .with(8, Standing.ROTTEN).with(9, Standing.ROTTEN), NEWEST,
                        "refused: epoch 9 cannot be read, and sinks may have committed it: epochs/9.manifest.json: ROTTEN"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.HALF).with(3, Standing.HALF)
                        .with(4, Standing.HALF), NEWEST, "from 1; epoch 4 is lost: epochs/4.manifest.json: HALF; epoch 3 is "
                        + "lost: epochs/3.manifest.json: HALF; epoch 2 is lost: epochs/2.manifest.json: HALF"));
    }

    private static Stream<Arguments> named() {
        return Stream.of(
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.COMMITTED), from(1),
                        "from 1; epochs 2 to 2 are given up: rows that sinks have shown since may come again"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).marked(2, Standing.ROTTEN), from(1), "from 1"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED).with(2, Standing.COMMITTING), from(2),
                        "from 2, commits first"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED), from(4),
                        "refused: epoch 4 is not in the state folder"),
                Arguments.of(folder().started(1, 0).with(1, Standing.HALF), from(1),
                        "refused: epoch 1 is not in the state folder: epochs/1.manifest.json: HALF"),
                Arguments.of(folder(), savepoint(manifest(1, 4)), "savepoint /s"),
                Arguments.of(folder().started(1, 0).with(1, Standing.COMMITTED), savepoint(manifest(1, 4)),
                        "savepoint /s; epochs up to 1 of the state folder are given up for savepoint /s"));
    }

    static Stream<Arguments> folders() {
        return Stream.of(sound(), damaged(), longAgo(), named()).flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("folders")
    void startsFrom(FolderFactsOf folder, RestoreWish wish, String expected) {
        assertEquals(expected, brief(decide(folder, wish)));
    }

    @Test
    void whoMustDecideIsToldWhereToGoOn() {
        Restore.Refused refused = (Restore.Refused) decide(folder().started(1, 0).with(5, Standing.COMMITTED)
                .rotten(6, true, Map.of("shows", "6")), NEWEST);
        assertEquals("restore the file from a copy, or go on from epoch 5 with --from 5, or a savepoint, and rows that sinks "
                + "have shown since come again", refused.hint());
    }

    @Test
    void aPartOfAGraphGoesBackToNoEarlierEpoch() {
        FolderFactsOf lost = folder().started(1, 0).with(5, Standing.COMMITTED).rotten(6, true, Map.of("shows", "6"));
        Restore.Refused refused = (Restore.Refused) decide(lost, RestoreWish.newest(true));
        assertEquals("restore the file from a copy, or begin anew, with --from-start: Spark runs a part of the graph, and its "
                + "queries do not go back to an earlier epoch", refused.hint());
        Restore.Refused all = (Restore.Refused) decide(folder().started(1, 0).with(1, Standing.ROTTEN), RestoreWish.newest(true));
        assertEquals("restore the files from a copy, or begin anew, with --from-start", all.hint());
    }

    @Test
    void anEpochWhoseRowsAProgramDoesNotGiveAgainIsNotLost() {
        FolderFactsOf lost = folder().started(1, 0).given(5, Standing.COMMITTED, 3).given(6, Standing.ROTTEN, 4);
        assertEquals("refused: epoch 6 cannot be read, and it has rows that a program gave to source `in` and does not give "
                + "again: data/6: ROTTEN", brief(decide(lost, NEWEST)));
        FolderFactsOf none = folder().started(1, 0).given(5, Standing.COMMITTED, 3).given(6, Standing.ROTTEN, 3);
        assertEquals("from 5; epoch 6 is lost, of which no sink had shown a row: data/6: ROTTEN", brief(decide(none, NEWEST)));
    }

    @Test
    void aFolderWhoseLockIsHeldIsInUse() {
        Holder locked = new Holder("other", "host", 12, 0, -1);
        Restore.InUse used = (Restore.InUse) decide(folder().started(1, 0).with(1, Standing.COMMITTED), NEWEST, locked);
        assertEquals("graph `g` is run by process 12 on host, which uses the same state folder", used.words());
        assertEquals(0, used.againMillis());
    }

    @Test
    void aYoungLeaseIsAskedForAgain() {
        assertEquals("in use, again in 1000", brief(decide(folder(), NEWEST, new Holder("other", "host", 12, 0, 1_000))));
    }

    @Test
    void anOldLeaseIsFenced() {
        Holder gone = new Holder("other", "host", 12, 0, 0);
        assertEquals("from 1; process 12 on host has not renewed its lease: it is fenced off",
                brief(decide(folder().started(1, 0).with(1, Standing.COMMITTED), NEWEST, gone)));
    }

    @Test
    void itsOwnHoldIsNoHindrance() {
        assertEquals("fresh", brief(decide(folder(), NEWEST, new Holder("me", "host", 12, 0, -1))));
    }

    @Test
    void aClockThatWasSetBackIsTold() {
        Manifest late = new Manifest(Manifest.FORMAT, FolderFactsOf.origin(256), 1, 3, NOW + 3_600_000, List.of(), Map.of("x",
                new Manifest.Operator("scan", List.of(), List.of(FolderFactsOf.instance(Map.of())))));
        assertEquals("from 3; epoch 3 was completed 3600 s in the future by this machine's clock: one of the clocks was set",
                brief(decide(folder().started(1, 0).with(late, Standing.COMMITTED), NEWEST)));
    }

    @Test
    void aGraphThatDoesNotFitIsRefusedWithAllReasons() {
        Restore.Refused refused = (Restore.Refused) RestoreDecision.of(folder().started(1, 0).with(1, Standing.COMMITTED).facts(),
                NEWEST, new PlanFacts("g", 128, Map.of("y", new PlanFacts.OperatorFacts("scan", 1, List.of()))),
                new RestoreDecision.Asking("me", NOW, null));
        assertEquals("the graph does not fit epoch 1: buckets were 256, in the graph they are 128: keys would be elsewhere; "
                + "operator `x` is not in the graph: its state is lost if you say --drop x, or say --rename x=NEW",
                refused.words());
        assertTrue(refused.hint().contains("check"));
    }

    @Test
    void changesThatTheUserNamedAreTold() {
        RestoreWish wish = new RestoreWish(true, 0, null, null,
                new RestoreWish.Changes(Map.of("x", "y"), Set.of()), false);
        assertEquals("from 1; operator `x` goes on as `y`, dealt out from 1 to 3 instances",
                brief(RestoreDecision.of(folder().started(1, 0).with(1, Standing.COMMITTED).facts(), wish,
                        new PlanFacts("g", 256, Map.of("y", new PlanFacts.OperatorFacts("scan", 3, List.of()))),
                        new RestoreDecision.Asking("me", NOW, null))));
    }

    @Test
    void aSavepointOfAnotherGraphIsRefused() {
        Manifest.Origin other = new Manifest.Origin("0", "h", "", "", 256, 0, Map.of(), Map.of());
        assertEquals("refused: the graph does not fit savepoint /s: it is of graph `h`, and this one is `g`",
                brief(decide(folder(), savepoint(new Manifest(Manifest.FORMAT, other, 1, 3, 0, List.of(), Map.of())))));
    }

    @Test
    void aSavepointThatDoesNotFitIsRefused() {
        Manifest other = new Manifest(Manifest.FORMAT, FolderFactsOf.origin(64), 1, 3, 0, List.of(), Map.of());
        assertEquals("refused: the graph does not fit savepoint /s: buckets were 64, in the graph they are 256: keys would be "
                + "elsewhere", brief(decide(folder(), savepoint(other))));
    }
}
