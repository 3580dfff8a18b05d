package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.snapshot.InstanceSnapshot.SliceResult;
import io.despina.state.NamedEntries;
import io.despina.state.NamedNumbers;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.SnapshotException;
import io.despina.state.State;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files and manifests that are damaged or cut short, anywhere, are refused by name. */
class EpochFileTest {
    private static final String FILE = "g/data/1/7.r.base";
    private static final String MANIFEST = "g/epochs/7.manifest.json";
    private static final Manifest.Origin ORIGIN = new Manifest.Origin("0.3.0", "g", "abc", "def", 256, 5,
            Map.of("x", "daily"), Map.of());

    @TempDir
    Path folder;
    private SnapshotStore store;
    private Manifest manifest;

    private static List<State> states(int number) {
        return List.of(new NamedNumbers("progress", 5, number), new NamedEntries("place", () -> Map.of("file", "" + number)));
    }

    private static void writeAll(InstanceSnapshot snapshot) throws IOException {
        while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
            continue;
        }
    }

    /** Three instances of two operators, in one file, slice by slice in turn. */
    @BeforeEach
    void write() throws Exception {
        store = new LocalStore(folder);
        EpochFile file = new EpochFile(store, FILE, Runnable::run);
        List<InstanceSnapshot> all = List.of(file.begin("x", 0, states(70), () -> { }), file.begin("y", 0, states(80), () -> { }),
                file.begin("x", 1, states(71), () -> { }));
        for (int slice = 0; slice < 3; slice++) {
            for (InstanceSnapshot each : all) {
                each.write();
            }
        }
        all.forEach(InstanceSnapshot::close);
        ManifestDraft draft = new ManifestDraft(ORIGIN, 3, 7);
        draft.add(file.finish().join());
        Map<String, Long> counters = Map.of("packets_in", 12L);
        draft.add("x", 1, new ManifestDraft.InstanceFacts(false, 41, counters, List.of(new Manifest.Segment("log/1", 3, 30))));
        draft.add("x", 0, new ManifestDraft.InstanceFacts(true, 40, counters, List.of()));
        draft.add("y", 0, new ManifestDraft.InstanceFacts(false, Long.MIN_VALUE, Map.of(), List.of()));
        draft.add("stateless", 0, new ManifestDraft.InstanceFacts(false, Long.MIN_VALUE, Map.of(), List.of()));
        manifest = draft.whole(Map.of("x", "scan", "y", "join", "stateless", "map"), 99);
        assertTrue(manifest.create(store, MANIFEST));
        assertFalse(manifest.create(store, MANIFEST));
    }

    @Test
    void anEpochFailsWhenItsWriterRunsOutOfMemory() {
        EpochFile file = new EpochFile(new FakeStore() {
            @Override
            protected void change(String path) {
                throw new OutOfMemoryError("of a test");
            }
        }, FILE, Runnable::run);
        try (InstanceSnapshot only = file.begin("x", 0, states(1), () -> { })) {
            assertDoesNotThrow(() -> writeAll(only));
        }
        CompletionException failed = assertThrows(CompletionException.class, file.finish()::join);
        assertTrue(failed.getMessage().contains("OutOfMemoryError: of a test"), failed.getMessage());
    }

    private List<Sections> open(String operator) throws IOException {
        return new RestoredStates(store, Manifest.read(store, MANIFEST)).of(operator);
    }

    private List<State> restored(String operator, int instance, int parallelism) throws IOException {
        List<State> fresh = List.of(new NamedNumbers("progress", 0, 0), new NamedEntries("place", Map::of));
        new Share(instance, parallelism, 256).restore(fresh, open(operator));
        return fresh;
    }

    /** An engine that does not know of it would look for keys where they are not. */
    @Test
    void bucketsThatHaveMovedNeedALaterFormat() throws IOException {
        assertEquals(Manifest.FORMAT, Manifest.read(store, MANIFEST).format());
        ManifestDraft draft = new ManifestDraft(ORIGIN, 3, 8, Map.of("x", "moved"));
        draft.add("x", 0, new ManifestDraft.InstanceFacts(true, 40, Map.of(), List.of()));
        draft.add("y", 0, new ManifestDraft.InstanceFacts(true, 40, Map.of(), List.of()));
        assertTrue(draft.whole(Map.of("x", "scan", "y", "scan"), 99).create(store, "moved"));
        Manifest read = Manifest.read(store, "moved");
        assertEquals(Manifest.WITH_BUCKETS, read.format());
        assertEquals("moved", read.operators().get("x").buckets());
        assertNull(read.operators().get("y").buckets());
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        assertEquals(manifest, Manifest.read(store, MANIFEST));
        assertEquals(71, ((NamedNumbers) restored("x", 1, 2).get(0)).get(1));
        assertEquals(80, ((NamedNumbers) restored("y", 0, 1).get(0)).get(1));
        assertEquals(List.of(Map.of("file", "70"), Map.of("file", "71")), ((NamedEntries) restored("x", 0, 3).get(1)).restored());
        assertNull(open("z"));
    }

    @Test
    void theManifestIsCompleteByItself() throws IOException {
        Manifest.Operator x = Manifest.read(store, MANIFEST).operators().get("x");
        assertEquals(List.of(new Manifest.StateType("progress", "LEAST", "2 numbers"),
                new Manifest.StateType("place", "UNION", "named texts")), x.states());
        Manifest.Instance second = x.instances().get(1);
        assertEquals(Map.of("place", Map.of("file", "71")), second.texts());
        assertEquals(41, second.watermark());
        assertEquals(Map.of("packets_in", 12L), second.counters());
        assertEquals(List.of(new Manifest.Segment("log/1", 3, 30)), second.log());
        assertTrue(x.instances().get(0).ended());
        assertEquals(0, second.chain().get(0).file());
        assertEquals(Files.size(folder.resolve(FILE)), manifest.files().get(0).length());
        assertEquals(List.of(), manifest.operators().get("stateless").instances().get(0).chain());
    }

    @Test
    void anInstanceTooLittleIsFound() {
        ManifestDraft draft = new ManifestDraft(ORIGIN, 3, 8);
        draft.add("x", 1, new ManifestDraft.InstanceFacts(false, 0, Map.of(), List.of()));
        assertEquals("epoch 8: operator `x` has the instances [1]",
                assertThrows(SnapshotException.class, () -> draft.whole(Map.of("x", "scan"), 0)).getMessage());
    }

    @Test
    void aFileIsVerifiedOnceForAllInstances() throws IOException {
        List<String> opened = new ArrayList<>();
        SnapshotStore counting = new Failing(store) {
            @Override
            public InputStream open(String path, long offset) throws IOException {
                opened.add(path + "@" + offset);
                return super.open(path, offset);
            }
        };
        RestoredStates from = new RestoredStates(counting, manifest);
        for (Sections each : from.of("x")) {
            each.section("progress", 0).close();
        }
        from.of("y").get(0).section("place", 0).close();
        assertEquals(1, opened.stream().filter((FILE + "@0")::equals).count());
    }

    @Test
    void theThreadOfTheTaskNeverWaitsForTheDisk() throws Exception {
        Deque<Runnable> disk = new ArrayDeque<>();
        List<String> calls = new ArrayList<>();
        EpochFile file = new EpochFile(new Failing(store) {
            @Override
            public NewFile create(String path) throws IOException {
                calls.add("created");
                throw new IOException("no room");
            }
        }, "f", disk::add);
        InstanceSnapshot snapshot = file.begin("x", 0, states(1), () -> calls.add("freed"));
        writeAll(snapshot);
        CompletableFuture<EpochFile.Written> whole = file.finish();
        snapshot.close();
        assertEquals(List.of(), calls);
        while (!disk.isEmpty()) {
            disk.poll().run();
        }
        assertEquals(List.of("created", "freed", "freed"), calls);
        assertEquals("no room", assertThrows(CompletionException.class, whole::join).getCause().getMessage());
        assertEquals("no room", assertThrows(CompletionException.class, snapshot.written()::join).getCause().getMessage());
    }

    /** A stage of many small states has more of them than buffers. */
    @Test
    void aTaskThatWaitsForABufferIsWokenUntilAllIsWritten() throws Exception {
        Deque<Runnable> disk = new ArrayDeque<>();
        AtomicInteger wakes = new AtomicInteger();
        EpochFile file = new EpochFile(store, FILE + "2", disk::add);
        List<NamedNumbers> states = IntStream.range(0, 9).mapToObj(k -> new NamedNumbers("n" + k, k)).toList();
        InstanceSnapshot snapshot = file.begin("x", 0, states, wakes::incrementAndGet);
        CompletableFuture<EpochFile.Written> whole = file.finish();
        int waits = 0;
        for (SliceResult last = snapshot.write(); last != SliceResult.DONE; last = snapshot.write()) {
            if (last == SliceResult.WAITS) {
                assertEquals(SliceResult.WAITS, snapshot.write());
                int before = wakes.get();
                disk.remove().run();
                assertTrue(wakes.get() > before, "it waits, and nobody wakes it");
                waits++;
            }
        }
        assertEquals(2, waits, "three of four buffers are with the disk");
        disk.forEach(Runnable::run);
        assertTrue(whole.isDone());
        ManifestDraft draft = new ManifestDraft(ORIGIN, 3, 8);
        draft.add(whole.join());
        draft.add("x", 0, new ManifestDraft.InstanceFacts(false, 0, Map.of(), List.of()));
        List<NamedNumbers> read = IntStream.range(0, 9).mapToObj(k -> new NamedNumbers("n" + k, -1)).toList();
        new Share(0, 1, 256).restore(read, new RestoredStates(store, draft.whole(Map.of("x", "scan"), 0)).of("x"));
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L), read.stream().map(each -> each.get(0)).toList());
    }

    @Test
    void aFileThatCannotBeFinishedIsRemoved() throws Exception {
        EpochFile file = new EpochFile(new Failing(store) {
            @Override
            public NewFile create(String path) throws IOException {
                NewFile real = super.create(path);
                return new NewFile(real) {
                    @Override
                    void keep() throws IOException {
                        throw new IOException("no room");
                    }

                    @Override
                    void drop() throws IOException {
                        real.abort();
                    }
                };
            }
        }, "g/data/1/8.r.base", Runnable::run);
        writeAll(file.begin("x", 0, states(1), () -> { }));
        assertEquals("no room", assertThrows(CompletionException.class, file.finish()::join).getCause().getMessage());
        assertFalse(store.exists("g/data/1/8.r.base"));
    }

    @Test
    void oneThatGivesUpGivesAllUp() throws Exception {
        EpochFile file = new EpochFile(store, "g/data/1/8.r.base", Runnable::run);
        InstanceSnapshot whole = file.begin("x", 0, states(1), () -> { });
        InstanceSnapshot dropped = file.begin("x", 1, states(1), () -> { });
        writeAll(whole);
        dropped.write();
        dropped.close();
        assertEquals("g/data/1/8.r.base: operator `x`, instance 1, gave its snapshot up",
                assertThrows(CompletionException.class, file.finish()::join).getCause().getMessage());
        assertFalse(store.exists("g/data/1/8.r.base"));
        assertTrue(whole.written().isDone());
    }

    @Test
    void nothingIsDurableBeforeAllHaveWritten() throws Exception {
        EpochFile file = new EpochFile(store, "g/data/1/8.r.base", Runnable::run);
        InstanceSnapshot first = file.begin("x", 0, states(1), () -> { });
        InstanceSnapshot second = file.begin("x", 1, states(2), () -> { });
        writeAll(first);
        CompletableFuture<EpochFile.Written> whole = file.finish();
        assertFalse(whole.isDone());
        file.close();
        writeAll(second);
        assertTrue(whole.isCompletedExceptionally());
        assertFalse(store.exists("g/data/1/8.r.base"));
    }

    @Test
    void aResourceWithoutStatesWritesNoFile() throws IOException {
        EpochFile file = new EpochFile(store, "g/data/1/8.r.base", Runnable::run);
        assertEquals(EpochFile.Written.NOTHING, file.finish().join());
        assertFalse(store.exists("g/data/1/8.r.base"));
    }

    @Test
    void aStateThatIsMissingLeavesAllEmpty() throws IOException {
        NamedNumbers progress = new NamedNumbers("progress", 0, 0);
        SnapshotException refused = assertThrows(SnapshotException.class,
                () -> new Share(0, 2, 256).restore(List.of(progress, new NamedNumbers("other", 1)), open("x")));
        assertEquals(FILE + ": state `other` of operator `x`, instance 0, is not in the file; there are [progress, place]",
                refused.getMessage());
        assertEquals(0, progress.get(1));
    }

    private void readAll() throws IOException {
        for (Sections each : open("x")) {
            each.section("progress", 0).close();
        }
    }

    @Test
    void everyDamagedByteOfAFileIsFound() throws IOException {
        Path file = folder.resolve(FILE);
        byte[] whole = Files.readAllBytes(file);
        for (int k = 0; k < whole.length; k++) {
            byte[] damaged = whole.clone();
            damaged[k] ^= 0x10;
            Files.write(file, damaged);
            assertTrue(assertThrows(SnapshotException.class, this::readAll, "byte " + k).getMessage().startsWith(FILE),
                    "byte " + k);
            Files.write(file, Arrays.copyOf(whole, k));
            assertEquals(FILE + ": " + k + " bytes, where the manifest has " + whole.length,
                    assertThrows(SnapshotException.class, this::readAll).getMessage());
        }
        byte[] damaged = whole.clone();
        damaged[20] ^= 1;
        Files.write(file, damaged);
        assertTrue(assertThrows(SnapshotException.class, this::readAll).getMessage().contains("state `progress` is damaged"));
        Files.delete(file);
        assertThrows(RottenStatesException.class, this::readAll);
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
                assertTrue(assertThrows(SnapshotException.class, () -> Manifest.read(store, MANIFEST), "byte " + k).getMessage()
                        .startsWith(MANIFEST), "byte " + k);
            }
            Files.write(file, Arrays.copyOf(whole, k));
            assertThrows(CutShortException.class, () -> Manifest.read(store, MANIFEST), "cut at " + k);
        }
        Files.write(file, new String(whole).replace("\"format\" : " + Manifest.FORMAT, "\"format\" : 99").getBytes());
        assertEquals(MANIFEST + ": format 99; this engine reads up to " + Manifest.WITH_BUCKETS,
                assertThrows(SnapshotException.class, () -> Manifest.read(store, MANIFEST)).getMessage());
    }

    /** A damaged quotation mark makes a text to the end of the file, as if the rest were missing. */
    @Test
    void noDamagedBitIsTakenForAnEndThatIsMissing() throws IOException {
        byte[] text = Files.readAllBytes(folder.resolve(MANIFEST));
        for (int k = 0; k < 8 * text.length; k++) {
            text[k / 8] ^= 1 << k % 8;
            try {
                ManifestText.content(MANIFEST, text);
            } catch (SnapshotException damaged) {
                assertFalse(damaged instanceof CutShortException, "bit " + k + " of " + new String(text, StandardCharsets.UTF_8));
            }
            text[k / 8] ^= 1 << k % 8;
        }
    }
}
