package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.log.KeptPlaces;
import io.despina.snapshot.EpochFacts.Standing;
import io.despina.snapshot.FolderPaths;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.SnapshotStore.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What may be deleted, by what lies in the folder. */
class RetentionTest {
    private static final long NOW = 10_000_000;
    private static final FolderPaths PATHS = new FolderPaths("g");

    private final FolderFactsOf folder = new FolderFactsOf();
    private final List<Stored> files = new ArrayList<>();
    private int attempt = 1;

    private RetentionTest whole(long... epochs) {
        for (long each : epochs) {
            folder.with(each, Standing.COMMITTED);
            file("g/epochs/" + each + ".manifest.json", 0).file("g/epochs/" + each + ".committed.json", 0)
                    .file("g/data/" + attempt + "/" + each + ".r.base", 0);
        }
        return this;
    }

    private RetentionTest started(int ofAttempt, long from) {
        attempt = ofAttempt;
        folder.started(attempt, from);
        return file("g/attempts/" + attempt + ".json", 0).file("g/attempts/" + attempt + ".start.json", 0);
    }

    private RetentionTest file(String path, long agoMillis) {
        files.add(new Stored(path, NOW - agoMillis));
        return this;
    }

    private List<String> deletable(int by, Long... pinned) {
        return Retention.deletable(folder.facts(), PATHS, files, new Retention.Who(by, Set.of(pinned), NOW));
    }

    @Test
    void threeEpochsAreKept() {
        assertEquals(List.of(), started(1, 0).whole(1, 2, 3).deletable(1));
    }

    @Test
    void logsAreCutWhereTheOldestOfThemEnds() {
        assertEquals(Retention.KEPT, KeptPlaces.KEPT);
    }

    @Test
    void anEpochGoesWithItsFilesTheManifestFirst() {
        assertEquals(List.of("g/epochs/1.manifest.json", "g/epochs/1.committed.json", "g/data/1/1.r.base"),
                started(1, 0).whole(1, 2, 3, 4).deletable(1));
    }

    @Test
    void theLastCommittedOneIsKept() {
        started(1, 0).whole(1, 2);
        for (long epoch = 3; epoch <= 6; epoch++) {
            folder.with(epoch, Standing.COMMITTING);
            file("g/epochs/" + epoch + ".manifest.json", 0);
        }
        assertEquals(List.of("g/epochs/1.manifest.json", "g/epochs/3.manifest.json", "g/epochs/1.committed.json",
                "g/data/1/1.r.base"), deletable(1));
    }

    @Test
    void whatSomeoneReadsIsKept() {
        assertEquals(List.of("g/epochs/2.manifest.json", "g/epochs/2.committed.json", "g/data/1/2.r.base"),
                started(1, 0).whole(1, 2, 3, 4, 5).deletable(1, 1L));
    }

    @Test
    void aFileThatLaterEpochsNameIsKept() {
        started(1, 0).whole(1, 2, 3);
        Manifest delta = new Manifest(Manifest.FORMAT, FolderFactsOf.origin(256), 1, 4, 0,
                List.of(new Manifest.DataFile("g/data/1/1.r.base", 1, "0"), new Manifest.DataFile("g/data/1/4.r.delta", 1, "0")),
                Map.of());
        folder.with(delta, Standing.COMMITTED);
        file("g/data/1/4.r.delta", 0);
        assertEquals(List.of("g/epochs/1.manifest.json", "g/epochs/1.committed.json"), deletable(1));
    }

    @Test
    void whatNobodyNamesStaysForAWhile() {
        started(1, 0).whole(5).file("g/data/1/2.r.base", 600_000).file("g/data/1/3.r.base", 600_001);
        assertEquals(List.of("g/data/1/3.r.base"), deletable(1));
    }

    @Test
    void theGreatestNumberIsNotForgotten() {
        started(1, 0).whole(5).file("g/data/1/6.r.base", 9_000_000);
        assertEquals(List.of(), deletable(1));
    }

    @Test
    void whatALaterAttemptWroteStays() {
        started(1, 0).whole(5).file("g/data/3/2.r.base", 9_000_000);
        assertEquals(List.of(), deletable(2));
        assertEquals(List.of("g/data/3/2.r.base"), deletable(3));
    }

    @Test
    void epochsOfALaterAttemptStay() {
        started(2, 0).whole(1, 2, 3, 4, 5);
        assertEquals(List.of(), deletable(1));
    }

    @Test
    void rotIsLookedAtUntilThereAreNewerEpochs() {
        started(1, 0).whole(1);
        folder.with(2, Standing.ROTTEN);
        file("g/epochs/2.manifest.json", 9_000_000).file("g/epochs/2.rotten.json", 0);
        assertEquals(List.of(), deletable(1));
        whole(3, 4, 5);
        assertEquals(List.of("g/epochs/1.manifest.json", "g/epochs/2.manifest.json", "g/epochs/1.committed.json",
                "g/epochs/2.rotten.json", "g/data/1/1.r.base"), deletable(1));
    }

    @Test
    void aMarkWithoutManifestGoes() {
        started(1, 0);
        folder.marked(1, Standing.ROTTEN);
        file("g/epochs/1.committed.json", 0);
        whole(5, 6, 7);
        assertEquals(List.of("g/epochs/1.committed.json"), deletable(1));
    }

    @Test
    void whereNoEpochCanBeReadNothingGoes() {
        started(1, 0).file("g/data/1/1.r.base", 9_000_000);
        folder.with(1, Standing.ROTTEN);
        file("g/epochs/1.manifest.json", 9_000_000);
        assertEquals(List.of(), deletable(1));
    }

    @Test
    void whatALaterEngineKeepsStays() {
        started(1, 0);
        folder.with(1, Standing.LATER);
        file("g/epochs/1.manifest.json", 9_000_000);
        assertEquals(List.of(), whole(2, 3, 4, 5).deletable(1).stream().filter(each -> each.contains("/1.")).toList());
    }

    @Test
    void oldClaimsGoWhenNoEpochOfTheirsIsKept() {
        file("g/attempts/1.json", 9_000_000).file("g/attempts/1.start.json", 9_000_000).file("g/attempts/2.json", 9_000_000);
        started(3, 0).whole(1);
        assertEquals(List.of("g/attempts/1.json", "g/attempts/1.start.json", "g/attempts/2.json"), deletable(4));
    }

    @Test
    void whatWasWrittenAsideAndLeftGoes() {
        started(1, 0).whole(1).file("g/epochs/.2.manifest.json.abc", 600_001).file("g/attempts/.2.json.abc", 0);
        assertEquals(List.of("g/epochs/.2.manifest.json.abc"), deletable(1));
    }

    @Test
    void nothingElseIsTouched() {
        started(1, 0).whole(1);
        for (String name : List.of("lock", "lease.json", "folder.json", "savepoints/a/data/1/1.r.base", "log/x/0/1-0.seg",
                "epochs/notes.txt", "data/readme", "data/1/readme", "attempts/notes", "x/data/1/1.r.base")) {
            file("g/" + name, 9_000_000);
        }
        assertEquals(List.of(), deletable(1));
    }
}
