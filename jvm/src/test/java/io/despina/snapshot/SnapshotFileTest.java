package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.state.NamedEntries;
import io.despina.state.NamedNumbers;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and manifests that are damaged or cut short, anywhere, are refused by name. */
class SnapshotFileTest {
    private static final String FILE = "epochs/7/x/0.base";
    private static final String MANIFEST = "epochs/7/manifest.json";

    @TempDir
    Path folder;
    private SnapshotStore store;
    private Manifest manifest;

    private static List<State> states() {
        return List.of(new NamedNumbers("progress", 5, 7), new NamedEntries("place", () -> Map.of("file", "12")));
    }

    @BeforeEach
    void write() throws Exception {
        store = new LocalStore(folder);
        try (InstanceSnapshot snapshot = new InstanceSnapshot(states(),
                () -> new SnapshotFile.Writer(store.create(FILE)), Runnable::run, () -> { })) {
            while (snapshot.write() != InstanceSnapshot.SliceResult.DONE) {
                continue;
            }
            manifest = new Manifest(Manifest.FORMAT, "0.1.0", "graph", "abc", 7, 256, Map.of("x",
                    new Manifest.Operator("scan", List.of(Manifest.Instance.of(FILE, snapshot.written().get(), false)))));
        }
        assertTrue(manifest.create(store, MANIFEST));
        assertTrue(!manifest.create(store, MANIFEST));
    }

    private List<Sections> open() throws IOException {
        return Manifest.read(store, MANIFEST).sections(store, "x");
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        assertEquals(manifest, Manifest.read(store, MANIFEST));
        List<State> fresh = List.of(new NamedNumbers("progress", 0, 0), new NamedEntries("place", Map::of));
        new Share(0, 1, 256).restore(fresh, open());
        assertEquals(7, ((NamedNumbers) fresh.get(0)).get(1));
        assertEquals(List.of(Map.of("file", "12")), ((NamedEntries) fresh.get(1)).restored());
        assertEquals("operator `y` is not in the snapshot; there are [x]",
                assertThrows(SnapshotException.class, () -> manifest.sections(store, "y")).getMessage());
    }

    @Test
    void theThreadOfTheTaskNeverWaitsForTheDisk() throws Exception {
        Deque<Runnable> disk = new ArrayDeque<>();
        List<String> calls = new ArrayList<>();
        InstanceSnapshot snapshot = new InstanceSnapshot(states(), () -> {
            calls.add("created");
            throw new IOException("no room");
        }, disk::add, () -> calls.add("freed"));
        while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
            continue;
        }
        snapshot.close();
        assertEquals(List.of(), calls);
        while (!disk.isEmpty()) {
            disk.poll().run();
        }
        assertEquals(List.of("created", "freed", "freed"), calls);
        assertEquals("no room", assertThrows(ExecutionException.class, () -> snapshot.written().get()).getCause().getMessage());
    }

    @Test
    void aFileThatCannotBeFinishedIsDropped() throws Exception {
        List<String> calls = new ArrayList<>();
        InstanceSnapshot snapshot = new InstanceSnapshot(states(),
                () -> new SnapshotFile.Writer(new SnapshotStore.NewFile(OutputStream.nullOutputStream()) {
                    @Override
                    void show() throws IOException {
                        throw new IOException("no room");
                    }

                    @Override
                    void drop() {
                        calls.add("dropped");
                    }
                }), Runnable::run, () -> { });
        while (snapshot.write() != InstanceSnapshot.SliceResult.DONE) {
            continue;
        }
        snapshot.close();
        assertTrue(snapshot.written().isCompletedExceptionally());
        assertEquals(List.of("dropped"), calls);
    }

    @Test
    void aStateThatIsMissingLeavesAllEmpty() throws IOException {
        NamedNumbers progress = new NamedNumbers("progress", 0, 0);
        SnapshotException refused = assertThrows(SnapshotException.class,
                () -> new Share(0, 1, 256).restore(List.of(progress, new NamedNumbers("other", 1)), open()));
        assertEquals(FILE + ": state `other` is not in the snapshot; there are [progress, place]", refused.getMessage());
        assertEquals(0, progress.get(1));
    }

    @Test
    void everyDamagedByteOfAFileIsFound() throws IOException {
        Path file = folder.resolve(FILE);
        byte[] whole = Files.readAllBytes(file);
        for (int k = 0; k < whole.length; k++) {
            byte[] damaged = whole.clone();
            damaged[k] ^= 0x10;
            Files.write(file, damaged);
            assertTrue(assertThrows(SnapshotException.class, this::open, "byte " + k).getMessage().startsWith(FILE), "byte " + k);
            Files.write(file, Arrays.copyOf(whole, k));
            assertEquals(FILE + ": " + k + " bytes, where the manifest has " + whole.length,
                    assertThrows(SnapshotException.class, this::open).getMessage());
        }
        byte[] damaged = whole.clone();
        damaged[20] ^= 1;
        Files.write(file, damaged);
        assertTrue(assertThrows(SnapshotException.class, this::open).getMessage().contains("state `progress` is damaged"));
        Files.delete(file);
        assertThrows(FileNotFoundException.class, this::open);
    }

    @Test
    void everyDamagedByteOfAManifestIsFound() throws IOException {
        Path file = folder.resolve(MANIFEST);
        byte[] whole = Files.readAllBytes(file);
        for (int k = 0; k < whole.length; k++) {
            byte[] damaged = whole.clone();
            damaged[k] ^= 0x04;
            Files.write(file, damaged);
            if (!Character.isWhitespace(whole[k])) {
                assertTrue(assertThrows(SnapshotException.class, this::open, "byte " + k).getMessage().startsWith(MANIFEST),
                        "byte " + k);
            }
            Files.write(file, Arrays.copyOf(whole, k));
            assertThrows(SnapshotException.class, this::open, "cut at " + k);
        }
        Files.write(file, new String(whole).replace("\"format\" : 1", "\"format\" : 2").getBytes());
        assertEquals(MANIFEST + ": format 2; this engine reads 1",
                assertThrows(SnapshotException.class, this::open).getMessage());
    }
}
