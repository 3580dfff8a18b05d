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

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(boolean single, boolean replace, FileSink.Format format, Map<String, String> options) {
        Path path = single ? folder.resolve("one.csv") : folder.resolve("out");
        FileSink.Options all = new FileSink.Options(path, single, replace, new FileSink.Records(format, options, "UTC", true),
                Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(PAIR);
    }

    private OperatorHarness.Setup csv(boolean replace) {
        return setup(false, replace, FileSink.Format.CSV, Map.of());
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
        assertEquals(List.of(".part-00000.csv.writing"), names("out"));
        sink(sink).prepare(1);
        assertEquals(List.of(".part-00000-00001.csv.prepared"), names("out"));
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
        assertEquals(List.of(), names(""));
        sink.feedRow(0, 3, "c");
        stop(sink, 2);
        assertEquals(List.of("part-00000-00002.csv"), names("out"));
    }

    @Test
    void aFolderThatWasMadeForNothingIsRemoved() throws Exception {
        FileSink.Options deep = new FileSink.Options(folder.resolve("deep/er/out"), false, false,
                new FileSink.Records(FileSink.Format.CSV, Map.of(), "UTC", true), Expressions::formatter);
        try (OperatorHarness sink = OperatorHarness.of(() -> new FileSink(deep)).inputs(PAIR).open()) {
            assertEquals(List.of(), names("deep/er/out"));
            sink(sink).abort(1);
        }
        assertEquals(List.of(), names(""));
    }

    @Test
    void aFolderThatWasThereOrIsInUseStays() throws Exception {
        Files.createDirectory(folder.resolve("out"));
        try (OperatorHarness sink = csv(false).open()) {
            sink(sink).abort(1);
        }
        assertEquals(List.of("out"), names(""));
        Files.delete(folder.resolve("out"));
        try (OperatorHarness first = csv(false).instance(0, 2).open(); OperatorHarness second = csv(false).instance(1, 2).open()) {
            second.feedRow(0, 1, "x");
            sink(second).prepare(1);
            sink(first).abort(1);
            sink(second).commit(1);
        }
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
        assertEquals(List.of(".part-00001.done", "part-00001-00001.csv"), names("out"));
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
        assertEquals(List.of(), names("out"));
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
        assertEquals(List.of(".one.csv-00001-0.csv.prepared"), names("."));
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
