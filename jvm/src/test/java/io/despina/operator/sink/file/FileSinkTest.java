package io.despina.operator.sink.file;

import static io.despina.operator.Rows.row;
import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileSinkTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));

    private static final String LOCK = ".part-00000.job-tested.lock";
    private static final long SECOND = 1_000_000_000;
    private static final String MADE = ".part-00000.job-tested.made";

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(boolean single, boolean replace, FileFormat format, Map<String, String> options) {
        return setup("job", single ? folder.resolve("one.csv") : folder.resolve("out"), single, replace, format, options);
    }

    private static OperatorHarness.Setup setup(String job, Path path, boolean single, boolean replace, FileFormat format,
            Map<String, String> options) {
        return setup(new FileSinkOptions.Place(path, single, replace, job), FileSinkOptions.Roll.NEVER, format, options);
    }

    private static OperatorHarness.Setup setup(FileSinkOptions.Place place, FileSinkOptions.Roll roll, FileFormat format,
            Map<String, String> options) {
        FileSinkOptions all = new FileSinkOptions(place, roll, new RecordFormat.Write(format, options, "UTC", true),
                Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(PAIR);
    }

    private OperatorHarness.Setup csv(boolean replace) {
        return setup(false, replace, FileFormat.CSV, Map.of());
    }

    private OperatorHarness.Setup csv(String job, boolean replace) {
        return setup(job, folder.resolve("out"), false, replace, FileFormat.CSV, Map.of());
    }

    private static String refusal(OperatorHarness.Setup setup) {
        return assertThrows(IOException.class, setup::open).getMessage();
    }

    private static FileSink sink(OperatorHarness harness) {
        return (FileSink) harness.operator();
    }

    @Test
    void whatIsNoRegularFileIsNeitherWrittenNorReplaced() throws Exception {
        Path pipe = folder.resolve("one.csv");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        String words = pipe + " is a pipe, a device or a socket, and a file_sink writes only regular files; choose another path";
        assertEquals(words, refusal(setup(true, true, FileFormat.CSV, Map.of())));
        assertEquals(words, refusal(setup(true, false, FileFormat.CSV, Map.of())));
        assertEquals(words, refusal(setup("job", pipe, false, true, FileFormat.CSV, Map.of())));
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(pipe), left.toList());
        }
    }

    /** As the runtime ends a sink of a job that has come to a good end. */
    private static void finish(OperatorHarness harness, long epoch) throws Exception {
        harness.end();
        stop(harness, epoch);
    }

    private static void stop(OperatorHarness harness, long epoch) throws Exception {
        OperatorHarness.done(sink(harness).prepare(epoch));
        OperatorHarness.done(sink(harness).commit(epoch));
        sink(harness).succeed();
        harness.close();
    }

    private static void abort(OperatorHarness harness) throws Exception {
        sink(harness).abort();
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
        assertEquals(List.of(".part-00000-00001.job-tested.csv.writing", LOCK, MADE), names("out"));
        OperatorHarness.done(sink(sink).prepare(1));
        assertEquals(List.of(".part-00000-00001.job-tested.csv.prepared", LOCK, MADE), names("out"));
        OperatorHarness.done(sink(sink).commit(1));
        OperatorHarness.done(sink(sink).commit(1));
        sink.feedRow(0, -1, "x");
        finish(sink, 2);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv", "part-00000-00002.csv"), names("out"));
        assertEquals("-1,x\n", text("out/part-00000-00002.csv"));
        assertEquals(9000, Files.readAllLines(folder.resolve("out/part-00000-00001.csv")).size());
    }

    @Test
    void anAbortLeavesWhatIsNotCommittedHidden() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.feedRow(0, 0, "seen");
        OperatorHarness.done(sink(sink).prepare(1));
        OperatorHarness.done(sink(sink).commit(1));
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(2));
        sink.feedRow(0, 2, "b");
        abort(sink);
        assertEquals(List.of(".part-00000-00002.job-tested.csv.left", ".part-00000-00003.job-tested.csv.left",
                "part-00000-00001.csv"), names("out"));
        assertEquals("1,a\n", text("out/.part-00000-00002.job-tested.csv.left"));
        assertEquals("2,b\n", text("out/.part-00000-00003.job-tested.csv.left"));
    }

    @Test
    void anAbortWithoutRowsLeavesNothing() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.end();
        OperatorHarness.done(sink(sink).prepare(1));
        abort(sink);
        assertEquals(List.of(), names(""));
    }

    @Test
    void epochsAreCommittedInTheirOrderAndNeverTakeOneAnothersBytes() throws Exception {
        for (boolean single : new boolean[] {false, true}) {
            OperatorHarness sink = setup(single, false, FileFormat.CSV, Map.of()).open();
            sink.feedRow(0, 1, "a");
            OperatorHarness.done(sink(sink).prepare(1));
            OperatorHarness.done(sink(sink).prepare(2));
            sink.feedRow(0, 3, "c");
            OperatorHarness.done(sink(sink).prepare(3));
            assertTrue(assertThrows(IOException.class, () -> OperatorHarness.done(sink(sink).commit(3))).getMessage()
                    .contains("epoch 1 is due before it"));
            for (long epoch = 1; epoch <= 3; epoch++) {
                OperatorHarness.done(sink(sink).commit(epoch));
                OperatorHarness.done(sink(sink).commit(epoch));
            }
            sink.feedRow(0, 4, "d");
            stop(sink, 4);
            assertEquals("1,a\n3,c\n4,d\n", single ? text("one.csv") : text("out/part-00000-00001.csv")
                    + text("out/part-00000-00003.csv") + text("out/part-00000-00004.csv"));
        }
    }

    @Test
    void anEpochThatIsLostIsNotCommittedInSilence() throws Exception {
        OperatorHarness sink = csv(false).open();
        assertTrue(assertThrows(IOException.class, () -> OperatorHarness.done(sink(sink).commit(1))).getMessage()
                .contains("it is not prepared"));
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(1));
        Files.delete(folder.resolve("out/.part-00000-00001.job-tested.csv.prepared"));
        sink.restart();
        assertTrue(assertThrows(IOException.class, () -> OperatorHarness.done(sink(sink).commit(1))).getMessage()
                .contains("epoch 1 is neither prepared nor there: its 4 bytes are lost"));
        abort(sink);
    }

    @Test
    void whatIsOldEnoughOrLargeEnoughIsShown() throws Exception {
        FileSinkOptions.Place place = new FileSinkOptions.Place(folder.resolve("out"), false, false, "job");
        OperatorHarness sink = setup(place, new FileSinkOptions.Roll(5 * SECOND, 100, Runnable::run), FileFormat.CSV,
                Map.of()).open();
        FileSink files = sink(sink);
        assertEquals(NEVER, files.rollAt());
        sink.feedRow(0, 1, "a");
        long due = files.rollAt();
        assertTrue(!files.roll(1, due - 1));
        assertTrue(files.roll(1, due));
        assertEquals("1,a\n", text("out/part-00000-00001.csv"));
        assertEquals(NEVER, files.rollAt());
        assertTrue(!files.roll(2, due + 60 * SECOND));
        sink.feedRow(0, 2, "x".repeat(100));
        assertTrue(files.roll(2, due));
        sink.feedRow(0, 3, "lost?");
        abort(sink);
        assertEquals(List.of(".part-00000-00003.job-tested.csv.left", "part-00000-00001.csv", "part-00000-00002.csv"),
                names("out"));
    }

    @Test
    void aSingleFileGrowsWhenItRolls() throws Exception {
        FileSinkOptions.Place place = new FileSinkOptions.Place(folder.resolve("one.csv"), true, false, "job");
        FileSinkOptions.Roll roll = new FileSinkOptions.Roll(0, 1, Runnable::run);
        OperatorHarness sink = setup(place, roll, FileFormat.CSV, Map.of("header", "true")).open();
        sink.feedRow(0, 1, "a");
        assertTrue(sink(sink).roll(1, 0));
        assertEquals("n,s\n1,a\n", text("one.csv"));
        sink.feedRow(0, 2, "b");
        assertTrue(sink(sink).roll(2, 0));
        finish(sink, 3);
        assertEquals("n,s\n1,a\n2,b\n", text("one.csv"));
        assertEquals(List.of("one.csv"), names(""));
    }

    @Test
    void whatCannotBeShownFailsTheSinkWhenItRollsAgain() throws Exception {
        FileSinkOptions.Place place = new FileSinkOptions.Place(folder.resolve("out"), false, false, "job");
        OperatorHarness sink = setup(place, new FileSinkOptions.Roll(0, 1, Runnable::run), FileFormat.CSV, Map.of()).open();
        sink.feedRow(0, 1, "a");
        Files.writeString(folder.resolve("out/part-00000-00001.csv"), "another's\n");
        assertTrue(sink(sink).roll(1, 0));
        sink.feedRow(0, 2, "b");
        assertTrue(assertThrows(IOException.class, () -> sink(sink).roll(2, 0)).getMessage().contains("written by another job"));
        abort(sink);
        assertEquals("another's\n", text("out/part-00000-00001.csv"));
        assertEquals("1,a\n", text("out/.part-00000-00001.job-tested.csv.left"));
    }

    @Test
    void aFolderThatWasMadeForNothingIsRemoved() throws Exception {
        OperatorHarness.Setup deep = setup("job", folder.resolve("deep/er/out"), false, false, FileFormat.CSV, Map.of());
        List<OperatorHarness> sinks = List.of(deep.instance(0, 2).open(), deep.instance(1, 2).open());
        for (OperatorHarness sink : sinks) {
            abort(sink);
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
            assertTrue(refused.contains("is being written by another job or sink, which holds `.part-00001.old-tested.lock`"),
                    refused);
            assertEquals(before, names("out"));
        }
        abort(old);
        OperatorHarness next = csv("new", false).open();
        next.feedRow(0, 1, "a");
        finish(next, 1);
        assertEquals(List.of(".part-00001-00001.old-tested.csv.left", "_SUCCESS", "part-00000-00001.csv"), names("out"));
        assertEquals("1,a\n", text("out/part-00000-00001.csv"));
    }

    @Test
    void whereAnotherJobWritesOneFileItRefuses() throws Exception {
        Path one = folder.resolve("one.csv");
        try (OperatorHarness old = setup("old", one, true, false, FileFormat.CSV, Map.of()).open()) {
            String refused = refusal(setup("new", one, true, true, FileFormat.CSV, Map.of()));
            assertTrue(refused.contains("`.one.csv.old-tested.lock`"), refused);
            setup("new", folder.resolve("one"), true, true, FileFormat.CSV, Map.of()).open().close();
            assertEquals(List.of(".one.csv.old-tested.lock"), names(""));
            old.feedRow(0, 1, "a");
        }
    }

    @Test
    void rowsThatAKilledJobLeftStayAndAreTold() throws Exception {
        Files.createDirectory(folder.resolve("out"));
        for (String left : List.of("lock", "made", "done")) {
            Files.writeString(folder.resolve("out/.part-00000.dead-tested." + left), "");
        }
        Files.writeString(folder.resolve("out/.part-00000.job-tested.csv.writing"), "9,i\n");
        Files.writeString(folder.resolve("out/.part-00000-00001.job-tested.csv.prepared"), "8,h\n");
        Files.writeString(folder.resolve("out/.part-00003.dead-tested.csv.writing"), "");
        OperatorHarness sink = csv(false).open();
        List<String> left = List.of(".part-00000-00001.job-tested.csv.left", ".part-00000-90000.job-tested.csv.left");
        assertEquals(left.stream().map(name -> folder.resolve("out").resolve(name).toString()).toList(), sink.leftBehind());
        sink.feedRow(0, 1, "a");
        finish(sink, 1);
        assertEquals(List.of(left.get(0), left.get(1), "_SUCCESS", "part-00000-00001.csv"), names("out"));
        assertEquals("9,i\n", text("out/" + left.get(1)));
        OperatorHarness next = csv(true).open();
        finish(next, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names("out"));
    }

    @Test
    void rowsThatAKilledJobLeftBesideOneFileStay() throws Exception {
        Files.writeString(folder.resolve(".one.csv.job-tested.csv.writing"), "9,i\n");
        Files.writeString(folder.resolve(".one.csv-00002-17.job-tested.csv.prepared"), "8,h\n");
        OperatorHarness sink = setup(true, false, FileFormat.CSV, Map.of()).open();
        sink.feedRow(0, 1, "a");
        finish(sink, 1);
        assertEquals(List.of(".one.csv-00002-17.job-tested.csv.left", ".one.csv-90000.job-tested.csv.left", "one.csv"),
                names(""));
    }

    @Test
    void nothingIsReplacedBeforeTheFirstCommit() throws Exception {
        for (int k = 0; k < 2; k++) {
            OperatorHarness sink = csv(false).instance(k, 2).open();
            sink.feedRow(0, k, "old");
            finish(sink, 1);
        }
        List<String> old = List.of("_SUCCESS", "part-00000-00001.csv", "part-00001-00001.csv");
        OperatorHarness failing = csv(true).open();
        failing.feedRow(0, 5, "new");
        OperatorHarness.done(sink(failing).prepare(1));
        abort(failing);
        assertEquals(List.of(".part-00000-00001.job-tested.csv.left", old.get(0), old.get(1), old.get(2)), names("out"));
        assertEquals("0,old\n", text("out/part-00000-00001.csv"));

        Files.writeString(folder.resolve("out/zebra.txt"), "mine");
        assertTrue(refusal(csv(true)).contains("zebra.txt"));
        assertTrue(names("out").containsAll(old));
        Files.delete(folder.resolve("out/zebra.txt"));

        OperatorHarness killed = csv(true).open();
        killed.feedRow(0, 6, "newer");
        finish(killed, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names("out"));
        assertEquals("6,newer\n", text("out/part-00000-00001.csv"));
    }

    @Test
    void aRunKilledWhileItReplacedIsTold() throws Exception {
        Files.createDirectory(folder.resolve("out"));
        Files.writeString(folder.resolve("out/part-00000-00001.csv"), "new\n");
        Files.writeString(folder.resolve("out/part-00000-00002.csv"), "old\n");
        Files.writeString(folder.resolve("out/.part-00000.dead-tested.replaces"), "part-00000-00002.csv\n");
        assertTrue(refusal(csv(false)).contains("and older output that a killed run was about to replace"), refusal(csv(false)));
        OperatorHarness sink = csv(true).open();
        sink.feedRow(0, 1, "a");
        finish(sink, 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names("out"));
    }

    @Test
    void oneFileIsReplacedByTheFirstCommit() throws Exception {
        Files.writeString(folder.resolve("one.csv"), "old\n");
        OperatorHarness failing = setup(true, true, FileFormat.CSV, Map.of()).open();
        failing.feedRow(0, 1, "a");
        OperatorHarness.done(sink(failing).prepare(1));
        abort(failing);
        assertEquals("old\n", text("one.csv"));
        OperatorHarness sink = setup(true, true, FileFormat.CSV, Map.of()).open();
        sink.feedRow(0, 2, "b");
        finish(sink, 1);
        assertEquals("2,b\n", text("one.csv"));
        assertEquals(List.of("one.csv"), names(""));
    }

    @Test
    void whatAnotherJobWroteMeanwhileStays() throws Exception {
        OperatorHarness parts = csv(true).open();
        OperatorHarness single = setup(true, true, FileFormat.CSV, Map.of()).open();
        for (OperatorHarness sink : List.of(parts, single)) {
            sink.feedRow(0, 1, "mine");
        }
        Files.writeString(folder.resolve("out/part-00000-00001.csv"), "another's\n");
        Files.writeString(folder.resolve("one.csv"), "another's\n");
        for (OperatorHarness sink : List.of(parts, single)) {
            String refused = assertThrows(IOException.class, () -> stop(sink, 1)).getMessage();
            assertTrue(refused.contains("written by another job"), refused);
            abort(sink);
        }
        assertEquals("another's\n", text("out/part-00000-00001.csv"));
        assertEquals("another's\n", text("one.csv"));
        assertEquals(List.of(".part-00000-00001.job-tested.csv.left", "part-00000-00001.csv"), names("out"));
    }

    @Test
    void aFolderThatWasThereOrIsInUseStays() throws Exception {
        Files.createDirectory(folder.resolve("out"));
        try (OperatorHarness sink = csv(false).open()) {
            sink(sink).abort();
        }
        assertEquals(List.of("out"), names(""));
        Files.delete(folder.resolve("out"));
        OperatorHarness first = csv(false).instance(0, 2).open();
        OperatorHarness second = csv(false).instance(1, 2).open();
        second.feedRow(0, 1, "x");
        OperatorHarness.done(sink(second).prepare(1));
        abort(first);
        OperatorHarness.done(sink(second).commit(1));
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
    void successIsSaidWhenTheWholeJobHasSucceeded() throws Exception {
        OperatorHarness first = csv(false).instance(0, 2).open();
        OperatorHarness second = csv(false).instance(1, 2).open();
        second.feedRow(0, 2, "b");
        for (OperatorHarness sink : List.of(second, first)) {
            sink.end();
            OperatorHarness.done(sink(sink).prepare(1));
            OperatorHarness.done(sink(sink).commit(1));
        }
        assertEquals(List.of("part-00000-00001.csv", "part-00001-00001.csv"), names("out").stream()
                .filter(name -> !name.startsWith(".")).toList());
        for (OperatorHarness sink : List.of(second, first)) {
            sink(sink).succeed();
            sink.close();
        }
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv", "part-00001-00001.csv"), names("out"));
        assertEquals("", text("out/part-00000-00001.csv"));
    }

    @Test
    void outputOfAnEarlierRunIsAnErrorUnlessItIsReplaced() throws Exception {
        OperatorHarness old = csv(false).open();
        old.feedRow(0, 1, "old");
        finish(old, 1);
        assertTrue(refusal(csv(false)).contains("\"if_exists\": \"replace\""), refusal(csv(false)));
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv"), names("out"));
    }

    @Test
    void afterARestartPreparedEpochsCanStillBeCommitted() throws Exception {
        OperatorHarness sink = csv(false).open();
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(1));
        sink.restart();
        OperatorHarness.done(sink(sink).commit(1));
        sink.feedRow(0, 2, "b");
        sink.restart();
        sink.feedRow(0, 3, "c");
        finish(sink, 2);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.csv", "part-00000-00002.csv"), names("out"));
        assertEquals("3,c\n", text("out/part-00000-00002.csv"));
    }

    @Test
    void aPartThatWasTakenAwayAfterItsCommitIsNotMissed() throws Exception {
        OperatorHarness sink = csv(false).committed().open();
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(1));
        Map<String, byte[]> snapshot = sink.snapshot();
        OperatorHarness.done(sink(sink).commit(1));
        Files.move(folder.resolve("out/part-00000-00001.csv"), folder.resolve("taken.csv"));
        sink.restart(snapshot);
        sink.feedRow(0, 2, "b");
        finish(sink, 2);
        assertEquals(List.of("_SUCCESS", "part-00000-00002.csv"), names("out"));
        assertEquals("1,a\n", text("taken.csv"));
    }

    @Test
    void aSingleFileGrowsByEpochs() throws Exception {
        OperatorHarness sink = setup(true, false, FileFormat.CSV, Map.of("header", "true")).open();
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(1));
        assertEquals(List.of(".one.csv-00001-0.job-tested.csv.prepared", ".one.csv.job-tested.lock"), names("."));
        OperatorHarness.done(sink(sink).commit(1));
        assertEquals("n,s\n1,a\n", text("one.csv"));
        sink.feedRow(0, 2, "b");
        OperatorHarness.done(sink(sink).prepare(2));
        Files.writeString(folder.resolve("one.csv"), "n,s\n1,a\n2,", java.nio.file.StandardOpenOption.TRUNCATE_EXISTING);
        sink.restart();
        OperatorHarness.done(sink(sink).commit(2));
        sink.feedRow(0, 3, "c");
        finish(sink, 3);
        assertEquals("n,s\n1,a\n2,b\n3,c\n", text("one.csv"));
        assertEquals(List.of("one.csv"), names("."));
        assertThrows(IOException.class, () -> setup(true, false, FileFormat.CSV, Map.of()).open());
    }

    @Test
    void everyPartHasTheHeader() throws Exception {
        OperatorHarness sink = setup(false, false, FileFormat.CSV, Map.of("header", "true", "sep", ";")).open();
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(1));
        OperatorHarness.done(sink(sink).commit(1));
        sink.feedRow(0, null, "b c");
        finish(sink, 2);
        assertEquals("n;s\n1;a\n", text("out/part-00000-00001.csv"));
        assertEquals("n;s\n;b c\n", text("out/part-00000-00002.csv"));
    }

    @Test
    void anEmptyStreamGivesAnEmptyFile() throws Exception {
        finish(setup(false, false, FileFormat.JSON, Map.of()).open(), 1);
        assertEquals(List.of("_SUCCESS", "part-00000-00001.json"), names("out"));
    }

    @Test
    void jsonLeavesNullsOutUnlessTold() throws Exception {
        for (boolean ignore : new boolean[] {true, false}) {
            OperatorHarness sink = setup(false, true, FileFormat.JSON,
                    Map.of("ignoreNullFields", String.valueOf(ignore))).open();
            sink.feedRow(0, null, "a\"b").feedRow(0, 2, "c");
            finish(sink, 1);
            assertEquals((ignore ? "{" : "{\"n\":null,") + "\"s\":\"a\\\"b\"}\n{\"n\":2,\"s\":\"c\"}\n",
                    text("out/part-00000-00001.json"));
        }
    }

    @Test
    void unwritableOptionsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> setup(false, false, FileFormat.TEXT, Map.of()).open());
        assertThrows(IllegalArgumentException.class,
                () -> setup(true, false, FileFormat.CSV, Map.of()).instance(0, 2).open());
    }

    @ParameterizedTest
    @EnumSource
    void packedFilesHaveSparksNamesAndWholeEpochs(FileCodec codec) throws Exception {
        String ending = "csv." + codec.ending();
        Map<String, String> packed = Map.of("compression", codec.word());
        OperatorHarness sink = setup(false, false, FileFormat.CSV, packed).open();
        sink.feed(0, IntStream.range(0, 9000).mapToObj(k -> row(k, "words of some length")).toList());
        assertEquals(List.of(".part-00000-00001.job-tested." + ending + ".writing", LOCK, MADE), names("out"));
        OperatorHarness.done(sink(sink).prepare(1));
        OperatorHarness.done(sink(sink).commit(1));
        sink.feedRow(0, -1, "x");
        finish(sink, 2);
        assertEquals(List.of("_SUCCESS", "part-00000-00001." + ending, "part-00000-00002." + ending), names("out"));
        assertEquals(9000, unpacked(codec, "out/part-00000-00001." + ending).lines().count());
        assertEquals("-1,x\n", unpacked(codec, "out/part-00000-00002." + ending));
    }

    /** Each epoch is appended as a packed file of its own. */
    @ParameterizedTest
    @EnumSource
    void aPackedSingleFileIsReadAsOne(FileCodec codec) throws Exception {
        Map<String, String> packed = Map.of("compression", codec.word(), "header", "true");
        OperatorHarness sink = setup(true, false, FileFormat.CSV, packed).open();
        sink.feedRow(0, 1, "a");
        OperatorHarness.done(sink(sink).prepare(1));
        OperatorHarness.done(sink(sink).commit(1));
        sink.feedRow(0, 2, "b");
        finish(sink, 2);
        assertEquals("n,s\n1,a\n2,b\n", unpacked(codec, "one.csv"));
    }

    @Test
    void aPackedFileThatIsLeftCanBeUnpacked() throws Exception {
        OperatorHarness sink = setup(false, false, FileFormat.CSV, Map.of("compression", "gzip")).open();
        sink.feedRow(0, 1, "a");
        abort(sink);
        assertEquals("1,a\n", unpacked(FileCodec.GZIP, "out/" + names("out").get(0)));
        assertEquals(List.of(".part-00000-00001.job-tested.csv.gz.left", MADE), names("out"));
    }

    private String unpacked(FileCodec codec, String name) throws IOException {
        try (InputStream text = codec.unpacked(Files.newInputStream(folder.resolve(name)), 1 << 12)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
