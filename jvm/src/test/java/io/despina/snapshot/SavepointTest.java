package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.state.NamedNumbers;
import io.despina.state.Share;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A savepoint has all that it needs, and what is none is refused in words. */
class SavepointTest {
    @TempDir
    Path root;
    private SnapshotStore state;
    private Manifest manifest;
    private Path savepoint;

    @BeforeEach
    void anEpochOfTwoResources() throws IOException {
        state = new LocalStore(root.resolve("state"));
        savepoint = root.resolve("savepoint");
        Manifest.Origin origin = new Manifest.Origin("0.3.0", "g", "d", "p", 256, 5, Map.of(), Map.of());
        ManifestDraft draft = new ManifestDraft(origin, 1, 7);
        for (int k = 0; k < 2; k++) {
            EpochFile file = new EpochFile(state, new FolderPaths("g").data(1, 7, "r" + k), Runnable::run);
            InstanceSnapshot snapshot = file.begin("x", k, List.of(new NamedNumbers("n", 10 + k)), () -> { });
            while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
                continue;
            }
            draft.add(file.finish().join());
            draft.add("x", k, new ManifestDraft.InstanceFacts(false, 1, Map.of(), List.of()));
        }
        manifest = draft.whole(Map.of("x", "scan"), 1);
    }

    private SnapshotStore at(Path path) {
        return new LocalStore(path);
    }

    private static Manifest write(SnapshotStore from, Manifest epoch, SnapshotStore to) throws IOException {
        return Savepoint.begin(to).write(from, epoch);
    }

    private static long restored(SnapshotStore store, int instance) throws IOException {
        NamedNumbers number = new NamedNumbers("n", 0);
        new Share(instance, 2, 256).restore(List.of(number), new RestoredStates(store, Savepoint.read(store)).of("x"));
        return number.get(0);
    }

    private String refusal(Path path) {
        return assertThrows(SnapshotException.class, () -> Savepoint.read(at(path))).getMessage().replace(root.toString(), "");
    }

    @Test
    void mayBeMoved() throws IOException {
        Manifest kept = write(state, manifest, at(savepoint));
        assertEquals(kept, Savepoint.read(at(savepoint)));
        assertEquals(List.of("data/0.base"), kept.files().stream().map(Manifest.DataFile::path).toList());
        state.delete("");
        Path elsewhere = root.resolve("elsewhere");
        Files.move(savepoint, elsewhere);
        assertEquals(10, restored(at(elsewhere), 0));
        assertEquals(11, restored(at(elsewhere), 1));
        assertEquals(facts(manifest), facts(Savepoint.read(at(elsewhere))));
    }

    /** What a manifest says of the first operator's instances, beside where their states are. */
    private static List<String> facts(Manifest of) {
        return of.operators().get("x").instances().stream().map(each -> each.ended() + " " + each.watermark() + " "
                + each.counters() + each.texts() + each.log()).toList();
    }

    @Test
    void mayBeASavepointOfASavepoint() throws IOException {
        write(state, manifest, at(savepoint));
        Manifest again = write(at(savepoint), Savepoint.read(at(savepoint)), at(root.resolve("again")));
        assertEquals(Savepoint.read(at(savepoint)), again);
    }

    @Test
    void isNotWrittenOverAnything() throws IOException {
        write(state, manifest, at(savepoint));
        assertEquals("it has a savepoint already",
                assertThrows(SnapshotException.class, () -> write(state, manifest, at(savepoint))).getMessage());
        Files.createDirectories(root.resolve("full/of/things"));
        assertEquals("it is not empty: a savepoint gets a folder of its own",
                assertThrows(SnapshotException.class, () -> write(state, manifest, at(root.resolve("full")))).getMessage());
    }

    @Test
    void aDamagedEpochMakesNone() throws IOException {
        Path data = root.resolve("state/g/data/1/7.r1.base");
        byte[] bytes = Files.readAllBytes(data);
        bytes[20] ^= 1;
        Files.write(data, bytes);
        assertTrue(assertThrows(SnapshotException.class, () -> write(state, manifest, at(savepoint))).getMessage()
                .startsWith("g/data/1/7.r1.base: "));
        assertFalse(Files.exists(savepoint.resolve("manifest.json")));
        assertEquals("/savepoint is no savepoint: it was not finished", refusal(savepoint));
    }

    @Test
    void whatIsNoneIsSaidToBeNone() throws IOException {
        assertEquals("/nowhere is no savepoint: it is empty or not there", refusal(root.resolve("nowhere")));
        StateFolder.at(state, "g").id();
        assertEquals("/state is no savepoint: it is a state folder, and `g` is a graph in it; name a folder in g/savepoints, or "
                + "an epoch by its number", refusal(root.resolve("state")));
        assertEquals("/state/g is no savepoint: it is what a state folder keeps of one graph; name a folder in its savepoints, "
                + "or an epoch by its number", refusal(root.resolve("state/g")));
        Files.createDirectories(root.resolve("pictures/2026"));
        assertEquals("/pictures is no savepoint: it has no manifest.json", refusal(root.resolve("pictures")));
    }

    @Test
    void aDamagedOneIsSaidToBeSo() throws IOException {
        write(state, manifest, at(savepoint));
        Path data = savepoint.resolve("data/0.base");
        byte[] whole = Files.readAllBytes(data);
        Files.write(data, new byte[9]);
        assertEquals("/savepoint is a damaged savepoint: data/0.base has 9 bytes, where the manifest has " + whole.length,
                refusal(savepoint));
        Files.delete(data);
        assertEquals("/savepoint is a damaged savepoint: data/0.base is not there", refusal(savepoint));
        whole[20] ^= 1;
        Files.write(data, whole);
        assertThrows(SnapshotException.class, () -> restored(at(savepoint), 1));
        Path text = savepoint.resolve("manifest.json");
        Files.writeString(text, Files.readString(text).replace("\"epoch\" : 7", "\"epoch\" : 8"));
        assertTrue(refusal(savepoint).startsWith("/savepoint is a damaged savepoint: manifest.json: the manifest is damaged"));
        Files.writeString(text, Files.readString(text).replace("\"format\" : " + Manifest.FORMAT, "\"format\" : 99"));
        assertEquals("manifest.json: format 99; this engine reads up to " + Manifest.WITH_BUCKETS, refusal(savepoint));
    }

    @Test
    void anIdThatIsDroppedMayBeAnothersNewOne() throws IOException {
        EpochFile file = new EpochFile(state, new FolderPaths("g").data(1, 8, "r"), Runnable::run);
        ManifestDraft draft = new ManifestDraft(manifest.origin(), 1, 8);
        for (String operator : List.of("x", "y")) {
            InstanceSnapshot snapshot = file.begin(operator, 0, List.of(new NamedNumbers("n", operator.charAt(0))), () -> { });
            while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
                continue;
            }
        }
        draft.add(file.finish().join());
        for (String operator : List.of("x", "y")) {
            draft.add(operator, 0, new ManifestDraft.InstanceFacts(false, 1, Map.of(), List.of()));
        }
        Adoption.As as = new Adoption.As(2, 9, Map.of("x", "y"), Set.of("y"));
        Manifest adopted = Adoption.ofEpoch(draft.whole(Map.of("x", "scan", "y", "scan"), 1), true, StateFolder.at(state, "g"),
                as);
        NamedNumbers number = new NamedNumbers("n", 0);
        new Share(0, 1, 256).restore(List.of(number), new RestoredStates(state, adopted).of("y"));
        assertEquals('x', number.get(0));
    }

    @Test
    void aDamagedOneLeavesTheLogsOfTheFolder() throws IOException {
        write(state, manifest, at(savepoint));
        Path data = savepoint.resolve("data/0.base");
        byte[] bytes = Files.readAllBytes(data);
        bytes[20] ^= 1;
        Files.write(data, bytes);
        Path log = Files.createDirectories(root.resolve("state").resolve(new FolderPaths("g").log("x"))).resolve("1-0.seg");
        Files.write(log, new byte[] {1});
        Manifest damaged = Savepoint.read(at(savepoint));
        Adoption.As as = new Adoption.As(2, 9, Map.of(), Set.of());
        assertThrows(SnapshotException.class,
                () -> Adoption.ofSavepoint(at(savepoint), damaged, StateFolder.at(state, "g"), as));
        assertTrue(Files.exists(log));
    }

    @Test
    void logsAreInItAndGoOnUnderTheIdsOfNow() throws IOException {
        FolderPaths paths = new FolderPaths("g");
        for (String operator : List.of("x", "gone")) {
            Path instance = Files.createDirectories(root.resolve("state").resolve(paths.log(operator)).resolve("0"));
            Files.write(instance.resolve("1-0.seg"), new byte[] {1, 2});
            Files.write(instance.resolve("2-1200.seg"), new byte[] {3});
            Files.write(instance.resolve("2.open"), new byte[0]);
        }
        Savepoint begun = Savepoint.begin(at(savepoint));
        begun.logs(state, paths);
        Files.delete(root.resolve("state").resolve(paths.log("x")).resolve("0/1-0.seg"));      // cut, before it is written
        Manifest kept = begun.write(state, manifest);
        assertEquals(Set.of("log/x/0/1-0.seg", "log/x/0/2-1200.seg", "log/gone/0/1-0.seg", "log/gone/0/2-1200.seg"),
                kept.files().stream().map(Manifest.DataFile::path).filter(each -> each.startsWith("log/"))
                        .collect(Collectors.toSet()));
        Path other = root.resolve("other");
        Path before = Files.createDirectories(other.resolve(paths.log("y")).resolve("0")).resolve("9-7.seg");
        Files.write(before, new byte[] {9});
        Adoption.ofSavepoint(at(savepoint), Savepoint.read(at(savepoint)), StateFolder.at(at(other), "g"),
                new Adoption.As(3, 9, Map.of("x", "y"), Set.of()));
        assertEquals(List.of(paths.log("y") + "/0/1-0.seg", paths.log("y") + "/0/2-1200.seg"),
                at(other).files(paths.logs()).stream().map(SnapshotStore.Stored::path).toList());
        assertArrayEquals(new byte[] {1, 2}, Files.readAllBytes(other.resolve(paths.log("y")).resolve("0/1-0.seg")));
    }
}
