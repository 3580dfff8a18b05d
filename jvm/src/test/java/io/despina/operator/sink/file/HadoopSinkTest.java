package io.despina.operator.sink.file;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.state.ScratchPacket;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Through Hadoop's viewfs, which is a file system of its own and mounts a folder of this machine. */
class HadoopSinkTest {
    private static final Schema ONE = Schema.of(new Column("s", Simple.STRING, true));
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(FileFormat format, boolean replace, Map<String, String> more) {
        Map<String, String> options = new HashMap<>(more);
        options.put("fs.viewfs.mounttable.here.link./data", folder.toUri().toString());
        FileSinkOptions.Place place = new FileSinkOptions.Place(Path.of("viewfs://here/data/a/out"), false, replace, "job");
        FileSinkOptions all = new FileSinkOptions(place, new FileSinkOptions.Roll(SECOND, 0, Runnable::run),
                new RecordFormat.Write(format, options, "UTC", true), Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(ONE);
    }

    private OperatorHarness.Setup json(boolean replace) {
        return setup(FileFormat.JSON, replace, Map.of());
    }

    private static FileSink sink(OperatorHarness harness) {
        return (FileSink) harness.operator();
    }

    private static void finish(OperatorHarness harness, long epoch) throws Exception {
        harness.end();
        OperatorHarness.done(sink(harness).prepare(epoch));
        OperatorHarness.done(sink(harness).commit(epoch));
        sink(harness).succeed();
        harness.close();
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("a/out"))) {
            // beside each file is one of its checksums, which Hadoop's file system of this machine writes
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.endsWith(".crc")).sorted().toList();
        }
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve("a/out").resolve(name));
    }

    @Test
    void partsAreHiddenUntilTheyAreCommitted() throws Exception {
        OperatorHarness harness = json(false).open();
        assertTrue(sink(harness).blocks());
        harness.feedRow(0, "a");
        OperatorHarness.done(sink(harness).prepare(1));
        assertEquals(List.of(".part-00000-00001.job-tested.json.prepared", ".part-00000.job-tested.made"), names());
        OperatorHarness.done(sink(harness).commit(1));
        OperatorHarness.done(sink(harness).commit(1));
        harness.feedRow(0, "b").feedRow(0, "c");
        harness.now += 2 * SECOND;
        assertTrue(sink(harness).roll(2, harness.now));
        assertEquals("{\"s\":\"b\"}\n{\"s\":\"c\"}\n", text("part-00000-00002.json"));
        harness.feedRow(0, "d");
        finish(harness, 3);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.json", "part-00000-00002.json", "part-00000-00003.json"), names());
        assertEquals("{\"s\":\"a\"}\n", text("part-00000-00001.json"));
        assertEquals("{\"s\":\"d\"}\n", text("part-00000-00003.json"));
    }

    @Test
    void earlierOutputIsAnErrorOrReplacedByTheFirstCommit() throws Exception {
        OperatorHarness first = json(false).open();
        finish(first.feedRow(0, "old"), 1);
        String refused = assertThrows(IOException.class, () -> json(false).open()).getMessage();
        assertTrue(refused.startsWith("viewfs://here/data/a/out holds output of an earlier run (`_SUCCESS`)"), refused);
        OperatorHarness failing = json(true).open();
        failing.feedRow(0, "never");
        sink(failing).abort();
        failing.close();
        assertEquals("{\"s\":\"old\"}\n", text("part-00000-00001.json"));
        OperatorHarness second = setup(FileFormat.CSV, true, Map.of()).open();
        second.feedRow(0, "new");
        assertEquals("{\"s\":\"old\"}\n", text("part-00000-00001.json"));
        finish(second, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names());
        assertEquals("new\n", text("part-00000-00001.csv"));
        finish(setup(FileFormat.CSV, true, Map.of()).open().feedRow(0, "newer"), 1);
        assertEquals("newer\n", text("part-00000-00001.csv"));
        Files.writeString(folder.resolve("a/out/notes"), "mine");
        String foreign = assertThrows(IOException.class, () -> json(true).open()).getMessage();
        assertEquals("viewfs://here/data/a/out holds `notes`, which is not an output file; choose another folder", foreign);
    }

    @Test
    void anAbortedSinkLeavesItsRowsHiddenAndNoEmptyFolder() throws Exception {
        OperatorHarness harness = json(false).open();
        sink(harness).abort();
        harness.close();
        assertFalse(Files.exists(folder.resolve("a")));
        OperatorHarness another = json(false).open();
        another.feedRow(0, "a");
        OperatorHarness.done(sink(another).prepare(1));
        another.feedRow(0, "b");
        sink(another).abort();
        another.close();
        assertEquals(List.of(".part-00000-00001.job-tested.json.left", ".part-00000-00002.job-tested.json.left",
                ".part-00000.job-tested.made"), names());
        assertEquals("{\"s\":\"b\"}\n", text(".part-00000-00002.job-tested.json.left"));
    }

    @Test
    void aResumedSinkCommitsWhatTheSnapshotHadPrepared() throws Exception {
        OperatorHarness harness = json(false).open();
        harness.feedRow(0, "a");
        OperatorHarness.done(sink(harness).prepare(1));
        try (Snapshots snapshot = harness.beginSnapshot(false)) {
            Map<String, byte[]> written = snapshot.all();
            harness.feedRow(0, "b");
            OperatorHarness.done(sink(harness).prepare(2));
            harness.feedRow(0, "c");
            harness.close();        // as after a kill: nothing is committed
            OperatorHarness resumed = json(false).restored().open();
            new Share(0, 1, 256).restore(resumed.operator().states(), List.of(Snapshots.sections(written)));
            resumed.operator().restored();
            OperatorHarness.done(sink(resumed).commit(1));
            resumed.feedRow(0, "d");
            finish(resumed, 2);
        }
        assertEquals(List.of("_SUCCESS", "part-00000-00001.json", "part-00000-00002.json"), names());
        assertEquals("{\"s\":\"a\"}\n", text("part-00000-00001.json"));
        assertEquals("{\"s\":\"d\"}\n", text("part-00000-00002.json"));
    }

    @Test
    void packedAndParquetFilesAreWhole() throws Exception {
        finish(setup(FileFormat.TEXT, false, Map.of("compression", "gzip")).open().feedRow(0, "line"), 1);
        try (InputStream in = new java.util.zip.GZIPInputStream(Files.newInputStream(
                folder.resolve("a/out/part-00000-00001.txt.gz")))) {
            assertEquals("line\n", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
        finish(setup(FileFormat.PARQUET, true, Map.of()).open().feed(0, List.of(row("x"), row("y"))), 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.snappy.parquet"), names());
        byte[] whole = Files.readAllBytes(folder.resolve("a/out/part-00000-00001.snappy.parquet"));
        assertEquals("PAR1", new String(whole, whole.length - 4, 4, StandardCharsets.US_ASCII));
    }

    @Test
    void aParquetFileHasTheRowsOfSeveralEpochs() throws Exception {
        OperatorHarness harness = setup(FileFormat.PARQUET, false, Map.of()).attempt(1).open();
        for (int epoch = 1; epoch <= 3; epoch++) {
            harness.feed(0, List.of(row("a" + epoch), row("b" + epoch)));
            OperatorHarness.done(sink(harness).prepare(epoch));
            OperatorHarness.done(sink(harness).commit(epoch));
            assertEquals(List.of(), names().stream().filter(name -> name.startsWith("part")).toList());
        }
        sink(harness).finish();
        finish(harness, 4);
        assertEquals(List.of("_SUCCESS", "part-00000-00004.snappy.parquet"), names());
        List<String> found = new ArrayList<>();
        ScratchPacket scratch = new ScratchPacket(ONE.layout(), 1 << 10);
        try (FileRows rows = Expressions.parquet("file:" + folder.resolve("a/out/part-00000-00004.snappy.parquet"),
                new FileRows.Options(ONE, Map.of(), Set.of(), "UTC", true), 0)) {
            while (rows.next()) {
                rows.write(scratch.begin());
                found.add(new String(scratch.commit().copyOfValue(0), StandardCharsets.UTF_8));
            }
        }
        assertEquals(List.of("a1", "b1", "a2", "b2", "a3", "b3"), found);
    }

    @Test
    void aFileSystemThatIsNotThereIsNamed() {
        FileSinkOptions all = new FileSinkOptions(new FileSinkOptions.Place(Path.of("nofs://host/out"), false, false, "job"),
                FileSinkOptions.Roll.NEVER, new RecordFormat.Write(FileFormat.JSON, Map.of(), "UTC", true),
                Expressions::formatter);
        String words = assertThrows(IOException.class, () -> OperatorHarness.of(() -> new FileSink(all)).inputs(ONE).open())
                .getMessage();
        assertTrue(words.startsWith("nofs://host/out: there is no file system for it: "), words);
    }
}
