package io.despina.operator.sink;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSinkTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));

    private static final String LOCK = ".part-00000.job-tested.lock";
    private static final String MADE = ".part-00000.job-tested.made";

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(boolean single, boolean replace, FileSink.Format format, Map<String, String> options) {
        return setup("job", single ? folder.resolve("one.csv") : folder.resolve("out"), single, replace, format, options);
    }

    private static OperatorHarness.Setup setup(String job, Path path, boolean single, boolean replace, FileSink.Format format,
            Map<String, String> options) {
        FileSink.Options all = new FileSink.Options(path, single, replace, job, new FileSink.Records(format, options, "UTC", true),
                Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(PAIR);
    }

    private OperatorHarness.Setup csv(boolean replace) {
        return setup(false, replace, FileSink.Format.CSV, Map.of());
    }

    private OperatorHarness.Setup csv(String job, boolean replace) {
        return setup(job, folder.resolve("out"), false, replace, FileSink.Format.CSV, Map.of());
    }

    private static String refusal(OperatorHarness.Setup setup) {
        return assertThrows(IOException.class, setup::open).getMessage();
    }

    private static FileSink sink(OperatorHarness harness) {
        return (FileSink) harness.operator();
    }

    /** As the runtime ends a sink. */
    private static void finish(OperatorHarness harness, long epoch) throws Exception {
        harness.end();
        stop(harness, epoch);
    }

    private static void stop(OperatorHarness harness, long epoch) throws Exception {
        sink(harness).prepare(epoch);
        sink(harness).commit(epoch);
        harness.close();
    }

    private List<String> names(String where) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(where))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    @Test
    void nothingIsSeenBeforeItIsCommitted() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.feed(0, IntStream.range(0, 9000).mapToObj(k -> row(k, "words of some length")).toList());
        assertEquals(List.of(".part-00000.job-tested.csv.writing", LOCK, MADE), names("out"));
        sink(sink).prepare(1);
        assertEquals(List.of(".part-00000-00001.job-tested.csv.prepared", LOCK, MADE), names("out"));
        sink(sink).commit(1);
        sink(sink).commit(1);
        sink.feedRow(0, -1, "x");
        finish(sink, 2);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv", "part-00000-00002.csv"), names("out"));
        assertEquals("-1,x\n", text("out/part-00000-00002.csv"));
        assertEquals(9000, Files.readAllLines(folder.resolve("out/part-00000-00001.csv")).size());
    }

    @Test
    void anAbortLeavesNothing() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.feedRow(0, 1, "a");
        sink(sink).prepare(1);
        sink.feedRow(0, 2, "b");
        sink(sink).abort(1);
        assertEquals(List.of(LOCK, MADE), names("out"));
        sink.feedRow(0, 3, "c");
        stop(sink, 2);
        assertEquals(List.of("part-00000-00002.csv"), names("out"));
    }

    @Test
    void aFolderThatWasMadeForNothingIsRemoved() throws Exception {
        OperatorHarness.Setup deep = setup("job", folder.resolve("deep/er/out"), false, false, FileSink.Format.CSV, Map.of());
        List<OperatorHarness> sinks = List.of(deep.instance(0, 2).open(), deep.instance(1, 2).open());
        for (OperatorHarness sink : sinks) {
            sink(sink).abort(1);
            sink.close();
            assertEquals(sink == sinks.get(0), Files.exists(folder.resolve("deep/er/out")));
        }
        assertEquals(List.of(), names(""));
    }

    @Test
    void whereAnotherJobWritesItRefuses() throws Exception {
        OperatorHarness old = csv("old", false).instance(1, 2).open();
        old.feed(0, IntStream.range(0, 9000).mapToObj(k -> row(k, "words of some length")).toList());
        List<String> before = names("out");
        for (boolean replace : new boolean[] {false, true}) {
            String refused = refusal(csv("new", replace));
            assertTrue(refused.contains("is being written by another job or sink, which holds `.part-00001.old-tested.lock`"), refused);
            assertEquals(before, names("out"));
        }
        sink(old).abort(1);
        old.close();
        OperatorHarness next = csv("new", false).open();
        next.feedRow(0, 1, "a");
        sink(old).abort(1);
        finish(next, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names("out"));
        assertEquals("1,a\n", text("out/part-00000-00001.csv"));
    }

    @Test
    void whereAnotherJobWritesOneFileItRefuses() throws Exception {
        Path one = folder.resolve("one.csv");
        try (OperatorHarness old = setup("old", one, true, false, FileSink.Format.CSV, Map.of()).open()) {
            String refused = refusal(setup("new", one, true, true, FileSink.Format.CSV, Map.of()));
            assertTrue(refused.contains("`.one.csv.old-tested.lock`"), refused);
            setup("new", folder.resolve("one"), true, true, FileSink.Format.CSV, Map.of()).open().close();
            assertEquals(List.of(".one.csv.old-tested.lock"), names(""));
            old.feedRow(0, 1, "a");
        }
    }

    @Test
    void whatDeadJobsLeftHiddenIsRemoved() throws Exception {
        Files.createDirectory(folder.resolve("out"));
        for (String left : List.of("lock", "made", "done", "csv.writing")) {
            Files.writeString(folder.resolve("out/.part-00000.dead-tested." + left), "");
            Files.writeString(folder.resolve("out/.part-00003.dead-tested." + left), "");
            Files.writeString(folder.resolve(".one.csv.dead-tested." + left), "");
        }
        Files.writeString(folder.resolve("out/.part-00001-00001.dead-tested.csv.prepared"), "");
        Files.writeString(folder.resolve(".one.csv-00001-0.dead-tested.csv.prepared"), "");
        csv(false).open().close();
        assertEquals(List.of(), names("out"));
        setup(true, false, FileSink.Format.CSV, Map.of()).open().close();
        assertEquals(List.of(".one.csv.dead-tested.done", "out"), names(""));     // a single file has no such
    }

    @Test
    void whatAnotherJobWroteMeanwhileStays() throws Exception {
        OperatorHarness parts = csv(true).open();
        OperatorHarness single = setup(true, true, FileSink.Format.CSV, Map.of()).open();
        for (OperatorHarness sink : List.of(parts, single)) {
            sink.feedRow(0, 1, "mine");
        }
        Files.writeString(folder.resolve("out/part-00000-00001.csv"), "another's\n");
        Files.writeString(folder.resolve("one.csv"), "another's\n");
        for (OperatorHarness sink : List.of(parts, single)) {
            String refused = assertThrows(IOException.class, () -> stop(sink, 1)).getMessage();
            assertTrue(refused.contains("written by another job"), refused);
            sink(sink).abort(1);
            sink.close();
        }
        assertEquals("another's\n", text("out/part-00000-00001.csv"));
        assertEquals("another's\n", text("one.csv"));
        assertEquals(List.of("part-00000-00001.csv"), names("out"));
    }

    @Test
    void aFolderThatWasThereOrIsInUseStays() throws Exception {
        Files.createDirectory(folder.resolve("out"));
        try (OperatorHarness sink = csv(false).open()) {
            sink(sink).abort(1);
        }
        assertEquals(List.of("out"), names(""));
        Files.delete(folder.resolve("out"));
        OperatorHarness first = csv(false).instance(0, 2).open();
        OperatorHarness second = csv(false).instance(1, 2).open();
        second.feedRow(0, 1, "x");
        sink(second).prepare(1);
        sink(first).abort(1);
        first.close();
        sink(second).commit(1);
        second.close();
        assertEquals(List.of("part-00001-00001.csv"), names("out"));
    }

    @Test
    void aStopWritesNoSuccess() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.feedRow(0, 1, "a");
        stop(sink, 1);
        assertEquals(List.of("part-00000-00001.csv"), names("out"));
    }

    @Test
    void theLastInstanceToEndWritesSuccess() throws Exception {
        OperatorHarness first = csv(false).instance(0, 2).open();
        OperatorHarness second = csv(false).instance(1, 2).open();
        second.feedRow(0, 2, "b");
        finish(second, 1);
        assertEquals(List.of(LOCK, ".part-00001.job-tested.done", "part-00001-00001.csv"), names("out"));
        finish(first, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv", "part-00001-00001.csv"), names("out"));
        assertEquals("", text("out/part-00000-00001.csv"));
    }

    @Test
    void outputOfAnEarlierRunIsAnErrorOrReplaced() throws Exception {
        for (int k = 0; k < 2; k++) {
            OperatorHarness sink = csv(false).instance(k, 2).open();
            sink.feedRow(0, k, "old");
            finish(sink, 1);
        }
        Files.writeString(folder.resolve("out/.part-00001.csv.writing"), "half a li");
        String refused = assertThrows(IOException.class, () -> csv(false).open()).getMessage();
        assertTrue(refused.contains("\"if_exists\": \"replace\""), refused);
        OperatorHarness sink = csv(true).open();
        assertEquals(List.of(LOCK), names("out"));
        sink.feedRow(0, 5, "new");
        finish(sink, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names("out"));
        Files.writeString(folder.resolve("out/notes.md"), "mine");
        String foreign = assertThrows(IOException.class, () -> csv(true).open()).getMessage();
        assertTrue(foreign.contains("notes.md"), foreign);
    }

    @Test
    void afterARestartPreparedEpochsCanStillBeCommitted() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.feedRow(0, 1, "a");
        sink(sink).prepare(1);
        sink.restart();
        sink(sink).commit(1);
        sink.feedRow(0, 2, "b");
        sink.restart();
        sink.feedRow(0, 3, "c");
        finish(sink, 2);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv", "part-00000-00002.csv"), names("out"));
        assertEquals("3,c\n", text("out/part-00000-00002.csv"));
    }

    @Test
    void aSingleFileGrowsByEpochs() throws Exception {
        OperatorHarness sink = setup(true, false, FileSink.Format.CSV, Map.of("header", "true")).open();
        sink.feedRow(0, 1, "a");
        sink(sink).prepare(1);
        assertEquals(List.of(".one.csv-00001-0.job-tested.csv.prepared", ".one.csv.job-tested.lock"), names("."));
        sink(sink).commit(1);
        assertEquals("n,s\n1,a\n", text("one.csv"));
        sink.feedRow(0, 2, "b");
        sink(sink).prepare(2);
        Files.writeString(folder.resolve("one.csv"), "n,s\n1,a\n2,", java.nio.file.StandardOpenOption.TRUNCATE_EXISTING);
        sink.restart();
        sink(sink).commit(2);
        sink.feedRow(0, 3, "c");
        finish(sink, 3);
        assertEquals("n,s\n1,a\n2,b\n3,c\n", text("one.csv"));
        assertEquals(List.of("one.csv"), names("."));
        assertThrows(IOException.class, () -> setup(true, false, FileSink.Format.CSV, Map.of()).open());
    }

    @Test
    void everyPartHasTheHeader() throws Exception {
        OperatorHarness sink = setup(false, false, FileSink.Format.CSV, Map.of("header", "true", "sep", ";")).open();
        sink.feedRow(0, 1, "a");
        sink(sink).prepare(1);
        sink(sink).commit(1);
        sink.feedRow(0, null, "b c");
        finish(sink, 2);
        assertEquals("n;s\n1;a\n", text("out/part-00000-00001.csv"));
        assertEquals("n;s\n;b c\n", text("out/part-00000-00002.csv"));
    }

    @Test
    void anEmptyStreamGivesAnEmptyFile() throws Exception {
        finish(setup(false, false, FileSink.Format.JSON, Map.of()).open(), 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.json"), names("out"));
    }

    @Test
    void jsonLeavesNullsOutUnlessTold() throws Exception {
        for (boolean ignore : new boolean[] {true, false}) {
            OperatorHarness sink = setup(false, true, FileSink.Format.JSON,
                    Map.of("ignoreNullFields", String.valueOf(ignore))).open();
            sink.feedRow(0, null, "a\"b").feedRow(0, 2, "c");
            finish(sink, 1);
            assertEquals((ignore ? "{" : "{\"n\":null,") + "\"s\":\"a\\\"b\"}\n{\"n\":2,\"s\":\"c\"}\n",
                    text("out/part-00000-00001.json"));
        }
    }

    @Test
    void unwritableOptionsAreRefused() {
        assertThrows(IllegalArgumentException.class,
                () -> setup(false, false, FileSink.Format.CSV, Map.of("compression", "gzip")).open());
        assertThrows(IllegalArgumentException.class, () -> setup(false, false, FileSink.Format.TEXT, Map.of()).open());
        assertThrows(IllegalArgumentException.class,
                () -> setup(true, false, FileSink.Format.CSV, Map.of()).instance(0, 2).open());
    }
}
