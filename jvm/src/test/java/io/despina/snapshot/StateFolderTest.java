package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.state.NamedNumbers;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a state folder keeps, who may write to it, and how what is left of a death is read. */
class StateFolderTest {
    private static final String GRAPH = "g";

    @TempDir
    Path root;
    private SnapshotStore store;
    private StateFolder folder;

    @BeforeEach
    void open() {
        store = new LocalStore(root);
        folder = StateFolder.at(store, GRAPH);
    }

    private static Claim claim(int attempt, String coordinator) {
        return new Claim(attempt, coordinator, "host", 12, 1000 + attempt, 5, Map.of(), null);
    }

    private void begin(int attempt, long from) throws IOException {
        folder.claim(claim(attempt, "c" + attempt));
        folder.start(attempt, new Claim.Start(from, null));
    }

    private Manifest manifest(int attempt, long epoch) throws IOException {
        EpochFile file = new EpochFile(store, folder.paths().data(attempt, epoch, "r"), Runnable::run);
        InstanceSnapshot snapshot = file.begin("x", 0, List.of(new NamedNumbers("n", epoch)), () -> { });
        while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
            continue;
        }
        Manifest.Origin origin = new Manifest.Origin("0.3.0", GRAPH, "d", "p", 256, 5, Map.of(), Map.of());
        ManifestDraft draft = new ManifestDraft(origin, attempt, epoch);
        draft.add(file.finish().join());
        draft.add("x", 0, new ManifestDraft.InstanceFacts(false, 1, Map.of(), List.of()));
        return draft.whole(Map.of("x", "scan"), 1);
    }

    private void assertStanding(long epoch, EpochFacts.Standing standing) throws IOException {
        assertEquals(standing, facts(epoch).standing(), () -> "of epoch " + epoch);
    }

    private EpochFacts facts(long epoch) throws IOException {
        return folder.facts().epochs().stream().filter(each -> each.epoch() == epoch).findFirst().orElseThrow();
    }

    @Test
    void isEmptyBeforeAnybodyClaimsIt() throws IOException {
        assertEquals(new FolderFacts(null, 0, 0, List.of(), List.of()), folder.facts());
        assertFalse(Files.exists(root.resolve(GRAPH)));
    }

    @Test
    void onlyWhatIsCollectedIsListed() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 1));
        Files.createDirectories(root.resolve(GRAPH + "/queries/id/out/state/0/0"));
        Files.writeString(root.resolve(GRAPH + "/queries/id/out/state/0/0/1.delta"), "of Spark");
        assertEquals(List.of("g/attempts/1.json", "g/attempts/1.start.json", "g/data/1/1.r.base", "g/epochs/1.manifest.json"),
                folder.files().stream().map(SnapshotStore.Stored::path).toList());
    }

    @Test
    void anEpochIsWrittenThenCompleteThenCommitted() throws IOException {
        begin(1, 0);
        Manifest manifest = manifest(1, 1);
        assertStanding(1, EpochFacts.Standing.WRITTEN);
        CommitPermit permit = folder.complete(manifest);
        assertStanding(1, EpochFacts.Standing.COMMITTING);
        assertEquals(manifest, folder.read(1));
        folder.committed(permit);
        folder.committed(permit);
        assertStanding(1, EpochFacts.Standing.COMMITTED);
        assertEquals(manifest, facts(1).manifest());
        assertTrue(facts(1).marked());
        assertNull(facts(1).problem());
        assertEquals(1, folder.again(1).epoch());
    }

    @Test
    void keepsItsId() throws IOException {
        begin(1, 0);
        String id = folder.id();
        assertEquals(id, folder.facts().id());
        assertEquals(id, StateFolder.at(store, GRAPH).id());
        assertNotEquals(id, StateFolder.at(store, "another").id());
    }

    @Test
    void remembersWhoClaimedIt() throws IOException {
        folder.claim(claim(1, "c"));
        assertEquals(List.of(claim(1, "c")), folder.facts().claims());
        folder.start(1, new Claim.Start(0, "hdfs:/savepoints/a"));
        assertEquals(new Claim.Start(0, "hdfs:/savepoints/a"), folder.facts().claims().get(0).start());
        assertEquals(1, folder.facts().greatestAttempt());
    }

    /** As one that was cut off for a while, and has lost its resources meanwhile. */
    @Test
    void whoHasLostTheJobClaimsNoFurtherAttempt() throws IOException {
        begin(1, 0);
        folder.refuseTaken(new Holder("c1", "host", 12, 1, 0));
        folder.takeOver(turn(1, 1, "c2"));
        assertEquals("attempt 1 of graph `g` was claimed or taken over by process 12 on host", assertThrows(FencedException.class,
                () -> folder.refuseTaken(new Holder("c1", "host", 12, 1, 0))).getMessage());
        folder.refuseTaken(new Holder("c2", "host", 12, 1, 0));
        begin(2, 0);
        assertThrows(FencedException.class, () -> folder.refuseTaken(new Holder("c1", "host", 12, 1, 0)));
    }

    private static TurnClaim turn(int attempt, int turn, String coordinator) {
        return new TurnClaim(attempt, turn, coordinator, "host", 12, 2000);
    }

    @Test
    void whoTakesAnAttemptOverFencesItsCoordinatorOffAndNobodyElse() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 1));
        folder.takeOver(turn(1, 1, "second"));
        Manifest late = manifest(1, 2);
        assertTrue(assertThrows(FencedException.class, () -> folder.complete(late)).getMessage()
                .contains("attempt 1 of graph `g` was taken over by another coordinator"));
        assertEquals(2, folder.inTurn(1).complete(late).epoch());
        folder.takeOver(turn(1, 2, "third"));
        Manifest later = manifest(1, 3);
        assertThrows(FencedException.class, () -> folder.inTurn(1).complete(later));
        begin(2, 2);
        assertThrows(FencedException.class, () -> folder.inTurn(2).complete(later));
        assertEquals(3, folder.complete(manifest(2, 3)).epoch());
    }

    @Test
    void ofTwoThatTakeAnAttemptOverOneDoes() throws IOException {
        begin(1, 0);
        folder.takeOver(turn(1, 1, "second"));
        assertThrows(FencedException.class, () -> folder.takeOver(turn(1, 1, "third")));
        begin(2, 0);
        assertThrows(FencedException.class, () -> folder.takeOver(turn(1, 2, "third")));
    }

    @Test
    void whoDirectsTheLastAttemptIsKnownAndWhetherItHasEndedByItself() throws IOException {
        assertNull(folder.last());
        begin(1, 0);
        assertEquals(new TurnClaim(1, 0, "c1", "host", 12, 1001), folder.last());
        folder.takeOver(turn(1, 1, "second"));
        assertEquals(turn(1, 1, "second"), folder.last());
        assertFalse(folder.hasEnded("second"));
        folder.ended(new Holder("second", "host", 12, 1, 0));
        assertTrue(folder.hasEnded("second"));
        folder.ended(new Holder("c1", "host", 12, 1, 0));       // it wakes up, and has lost the job
        assertFalse(folder.hasEnded("c1"));
        assertTrue(folder.hasEnded("second"));
        begin(2, 0);
        assertEquals("c2", folder.last().coordinator());
    }

    @Test
    void ofTwoStartsAtOnceTheSecondIsRefusedByName() throws IOException {
        folder.claim(claim(1, "c"));
        assertEquals("attempt 1 of graph `g` was claimed by process 12 on host: two starts at once",
                assertThrows(SnapshotException.class, () -> folder.claim(claim(1, "d"))).getMessage());
        folder.claim(claim(1, "c"));      // its first answer was lost
        // a later try of a restart that could not write where it starts, by its clock of then
        Claim again = claim(1, "c");
        folder.claim(new Claim(1, "c", again.host(), again.pid(), again.claimedAtMillis() + 1_000, again.nowMicros(), Map.of(),
                null));
    }

    @Test
    void anAttemptThatIsFencedCompletesNothing() throws IOException {
        begin(1, 0);
        Manifest manifest = manifest(1, 1);
        folder.claim(claim(2, "c2"));
        assertThrows(FencedException.class, () -> folder.complete(manifest));
        assertThrows(FencedException.class, () -> folder.start(1, new Claim.Start(0, null)));
        assertStanding(1, EpochFacts.Standing.WRITTEN);
    }

    /** It looked before the claim and wrote after it: nobody commits, whoever goes on. */
    @Test
    void aManifestThatComesAfterAClaimHasNoPermit() throws IOException {
        begin(1, 0);
        folder.committed(folder.complete(manifest(1, 1)));
        StateFolder zombie = StateFolder.at(new Failing(store) {
            private int looks;

            @Override
            public List<String> list(String path) throws IOException {
                List<String> seen = super.list(path);
                if (path.endsWith("attempts/") && looks++ == 0) {
                    begin(2, 1);
                }
                return seen;
            }
        }, GRAPH);
        Manifest late = manifest(1, 2);
        assertThrows(FencedException.class, () -> zombie.complete(late));
        assertStanding(2, EpochFacts.Standing.FENCED);
        assertEquals("attempt 1 completed it, and attempt 2 started from epoch 1", facts(2).problem());
        assertEquals(2, folder.facts().greatestEpoch());
    }

    @Test
    void aClaimThatStartedNothingFencesNoEpoch() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 1));
        folder.claim(claim(2, "c2"));
        assertStanding(1, EpochFacts.Standing.COMMITTING);
    }

    @Test
    void aGoingBackFencesWhatCameAfter() throws IOException {
        begin(1, 0);
        folder.committed(folder.complete(manifest(1, 1)));
        folder.committed(folder.complete(manifest(1, 2)));
        begin(2, 1);
        assertStanding(1, EpochFacts.Standing.COMMITTED);
        assertStanding(2, EpochFacts.Standing.FENCED);
    }

    @Test
    void aManifestIsMadeOnce() throws IOException {
        begin(1, 0);
        Manifest manifest = manifest(1, 1);
        folder.complete(manifest);
        folder.complete(manifest);        // its first answer was lost
        Manifest other = new Manifest(2, manifest.origin(), 1, 1, 77, manifest.files(), manifest.operators());
        assertEquals("g/epochs/1.manifest.json is there already, of another attempt",
                assertThrows(SnapshotException.class, () -> folder.complete(other)).getMessage());
    }

    @Test
    void anAnswerThatIsLostIsLookedUp() throws IOException {
        begin(1, 0);
        Manifest manifest = manifest(1, 1);
        StateFolder unlucky = StateFolder.at(new Failing(store) {
            @Override
            public boolean createIfAbsent(String path, byte[] content) throws IOException {
                super.createIfAbsent(path, content);
                throw new IOException("connection reset");
            }
        }, GRAPH);
        assertEquals(1, unlucky.complete(manifest).epoch());
        assertThrows(IOException.class, () -> StateFolder.at(new Failing(store) {
            @Override
            public boolean createIfAbsent(String path, byte[] content) throws IOException {
                throw new IOException("disk full");
            }
        }, GRAPH).complete(manifest(1, 2)));
        assertStanding(2, EpochFacts.Standing.WRITTEN);
    }

    @Test
    void whatIsHalfMadeIsToldFromRot() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 1));
        Path file = root.resolve("g/epochs/1.manifest.json");
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length / 2));
        assertStanding(1, EpochFacts.Standing.HALF);
        Files.write(file, new byte[0]);
        assertEquals("g/epochs/1.manifest.json: the file is empty", facts(1).problem());
        byte[] likeUtf32 = new byte[1024];
        Arrays.fill(likeUtf32, 4, 1024, (byte) 0x20);      // whose characters are none
        likeUtf32[3] = '{';
        Files.write(file, likeUtf32);
        assertTrue(facts(1).problem().startsWith("g/epochs/1.manifest.json: the file is cut short"), facts(1).problem());
        Files.writeString(file, new String(whole).replace("\"attempt\" : 1", "\"attempt\" : 7"));
        assertStanding(1, EpochFacts.Standing.ROTTEN);
        Files.writeString(file, new String(whole).replace("\"format\" : " + Manifest.FORMAT, "\"format\" : 99"));
        assertStanding(1, EpochFacts.Standing.LATER);
        assertEquals("g/epochs/1.manifest.json: format 99; this engine reads up to " + Manifest.WITH_BUCKETS, facts(1).problem());
    }

    @Test
    void whatAManifestNamesMustBeThere() throws IOException {
        begin(1, 0);
        folder.committed(folder.complete(manifest(1, 1)));
        Path data = root.resolve("g/data/1/1.r.base");
        Files.write(data, new byte[5]);
        assertStanding(1, EpochFacts.Standing.ROTTEN);
        assertTrue(facts(1).marked());
        Files.delete(data);
        assertTrue(facts(1).problem().endsWith("g/data/1/1.r.base is not there"), facts(1).problem());
        assertEquals(1, facts(1).manifest().epoch(), "what it names says what sinks had prepared");
    }

    @Test
    void rotThatIsFoundInTheStatesIsRemembered() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 1));
        folder.rotten(1, new RottenStatesException("data/1/1.r.base", "state `n` is damaged"));
        folder.rotten(1, new RottenStatesException("data/1/1.r.base", "found again"));
        assertStanding(1, EpochFacts.Standing.ROTTEN);
        assertEquals("data/1/1.r.base: state `n` is damaged", facts(1).problem());
    }

    @Test
    void numbersNeverFall() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 4));
        manifest(1, 9);
        manifest(6, 1);
        Files.write(root.resolve("g/attempts/8.json"), new byte[0]);
        FolderFacts facts = folder.facts();
        assertEquals(9, facts.greatestEpoch());
        assertEquals(8, facts.greatestAttempt());
        assertEquals(List.of(1), facts.claims().stream().map(Claim::attempt).toList());
    }

    @Test
    void strangeNamesStayInTheFolder() throws IOException {
        for (String name : List.of("../x", "a/b", ".hidden", "Ä b", "", "lock")) {
            StateFolder.at(store, "g" + name).id();
            StateFolder.at(store, name + "g").id();
        }
        assertEquals("%2E.%2Fx/data/1/2.%2E.base", new FolderPaths("../x").data(1, 2, "."));
        assertEquals(List.of("lockg"), store.list("").stream().filter(each -> each.startsWith("lock")).toList());
        for (Path each : Files.list(root).toList()) {
            assertTrue(Files.exists(each.resolve("folder.json")), each.toString());
        }
    }

    @Test
    void aFolderOfTomorrowIsRefused() throws IOException {
        folder.id();
        Path file = root.resolve("g/folder.json");
        Files.writeString(file, Files.readString(file).replace("\"format\" : 2", "\"format\" : 99"));
        assertEquals("g/folder.json: format 99; this engine reads up to " + Manifest.WITH_BUCKETS,
                assertThrows(SnapshotException.class, () -> folder.facts()).getMessage());
    }

    @Test
    void aDamagedStartLeavesTheClaim() throws IOException {
        begin(1, 0);
        folder.complete(manifest(1, 1));
        begin(2, 1);
        Path start = root.resolve("g/attempts/2.start.json");
        Files.writeString(start, Files.readString(start).replace("1", "7"));
        assertEquals(List.of(1, 2), folder.facts().claims().stream().map(Claim::attempt).toList());
        assertNull(folder.facts().claims().get(1).start());
        assertEquals(2, folder.facts().greatestAttempt());
    }

    @Test
    void whatSomebodyReadsIsPinnedForAWhile() throws IOException {
        long now = System.currentTimeMillis();
        Pin one = folder.pin(7, Pin.OF_PROCESS);
        Pin again = folder.pin(7, Pin.OF_PROCESS);
        folder.pin(12, Pin.OF_PROCESS).close();
        assertEquals(Set.of(7L), folder.pinned(now));
        again.close();
        assertEquals(Set.of(7L), folder.pinned(now));
        assertEquals(Set.of(), folder.pinned(now + Pin.MILLIS + 60_000));
        one.close();
        assertEquals(Set.of(), folder.pinned(now));
    }

    @Test
    void aJobThatBeginsAnewHasAnotherId() throws IOException {
        String before = folder.id();
        assertEquals(before, folder.id());
        folder.renewId();
        assertNotEquals(before, folder.id());
    }
}
