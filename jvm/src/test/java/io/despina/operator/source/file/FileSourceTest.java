package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.despina.expr.RecordParser;
import io.despina.operator.MissingColumnException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSourceTest {
    private static final long MS = 1_000_000;
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final Schema TIMED = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("n", Simple.INT, true));
    private static final Schema LINE = Schema.of(new Column("value", Simple.STRING, true));

    @TempDir
    Path folder;

    private Path file;
    private Reading reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1);
    private EventTime eventTime;

    @BeforeEach
    void choose() {
        file = folder.resolve("a.csv");
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private static RecordParser unasked(Object options) {
        return (line, from, to, out) -> {
            String text = new String(line, from, to - from, StandardCharsets.UTF_8);
            return new RecordParser.Refusal("asked: " + text, text, 1);
        };
    }

    /** Reads "a|b|c" as three packets of one STRING. */
    private static RecordParser several(Object options) {
        return (line, from, to, out) -> {
            for (String word : new String(line, from, to - from, StandardCharsets.UTF_8).split("\\|")) {
                byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
                out.begin().setBytes(0, bytes, 0, bytes.length);
                out.commit();
            }
            return null;
        };
    }

    private RecordFormat.Read csv(Schema schema, String... options) {
        return records(FileFormat.CSV, schema, options);
    }

    private static RecordFormat.Read records(FileFormat format, Schema schema, String... options) {
        Map<String, String> map = new java.util.HashMap<>();
        for (int k = 0; k < options.length; k += 2) {
            map.put(options[k], options[k + 1]);
        }
        return new RecordFormat.Read(format, map, schema, 0, false, Set.of(), "UTC", true);
    }

    private OperatorHarness.Setup setup(Object path, RecordFormat.Read records) {
        boolean json = records.format() == FileFormat.JSON;
        FileSourceOptions options = new FileSourceOptions(path.toString(), records, reading, eventTime,
                json ? FileSourceTest::several : FileSourceTest::unasked);
        return OperatorHarness.of(() -> new FileSource(options)).outputs(records.schema());
    }

    private List<List<Object>> read(Object path, RecordFormat.Read records) throws Exception {
        try (OperatorHarness source = setup(path, records).open()) {
            return source.produceAll().rows(0);
        }
    }

    private OperatorHarness skipping(RecordFormat.Read records) throws Exception {
        OperatorHarness source = setup(file, records).skippingBadRecords().open();
        source.produceAll().close();
        return source;
    }

    @Test
    void linesEndInThreeWaysAndTheLastNeedsNone() throws Exception {
        write("a.csv", "1,a\n2,b\r\n3,c\r4,d");
        assertEquals(List.of(row(1, "a"), row(2, "b"), row(3, "c"), row(4, "d")), read(file, csv(PAIR)));
    }

    @Test
    void aByteOrderMarkBlankLinesAndCommentsAreNoRecords() throws Exception {
        write("a.csv", "\uFEFF1,a\n\n   \n#2,b\n3,c\n");
        assertEquals(List.of(row(1, "a"), row(3, "c")), read(file, csv(PAIR, "comment", "#")));
    }

    @Test
    void aCommentBeginsItsLineAlsoBeforeTheHeader() throws Exception {
        write("a.csv", "#1\n #n,s\n1,a\n");
        assertEquals(List.of(row(1, "a")), read(file, csv(PAIR, "header", "true", "comment", "#", "enforceSchema", "true")));
        write("a.csv", "é1,a\n2,b\n");
        assertEquals(List.of(row(2, "b")), read(file, csv(PAIR, "comment", "é")));
    }

    @Test
    void everyFileHasItsHeader() throws Exception {
        write("a.csv", "\nn,s\n1,a\n");
        write("b.csv", "n,s\n2,b\n");
        assertEquals(List.of(row(1, "a"), row(2, "b")), read(folder, csv(PAIR, "header", "true")));
    }

    @Test
    void aHeaderOfTheSchemasNamesInAnyCaseIsPassedOver() throws Exception {
        write("a.csv", "N,S\n1,a\n");
        assertEquals(List.of(row(1, "a")), read(file, csv(PAIR, "header", "true", "enforceSchema", "false")));
    }

    @Test
    void aHeaderOfOtherNamesFailsTheSource() {
        assertEquals("its column 1 is `s`, the schema's is `n`", refusedHeader("\ns,n\n1,a\n", 0, false));
        assertEquals("its column 2 is ` s`, the schema's is `s`", refusedHeader("n, s\n1,a\n", 0, false));
        assertEquals("it has 1 column instead of 2", refusedHeader("n\n1,a\n", 0, false));
        assertEquals("it has 3 columns instead of 2", refusedHeader("n,s,t\n1,a\n", 0, false));
        assertEquals("it has 1 column instead of 2", refusedHeader("n\n1,a,b\n", 0, true));
        assertEquals("it has 2 columns instead of 3", refusedHeader("n,s\n1,a,b\n", 3, true));
    }

    private String refusedHeader(String text, int columns, boolean ignoreExtra) {
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.CSV, Map.of("header", "true"), PAIR, columns,
                ignoreExtra, Set.of(), "UTC", true);
        String message = assertThrows(IOException.class, () -> {
            write("a.csv", text);
            read(file, records);
        }).getMessage();
        assertTrue(message.matches("(?s).*a\\.csv:[12]: the CSV header does not fit the schema: .*"), message);
        return message.replaceAll(".*schema: |; write.*", "");
    }

    @Test
    void columnsBeyondTheSchemaMayHaveAnyNames() throws Exception {
        write("a.csv", "n,s,t\n1,a,x\n");
        for (int columns : new int[] {0, 3}) {
            assertEquals(List.of(row(1, "a")), read(file, new RecordFormat.Read(FileFormat.CSV,
                    Map.of("header", "true"), PAIR, columns, true, Set.of(), "UTC", true)));
        }
    }

    private static RecordFormat.Read byName(Schema schema) {
        return new RecordFormat.Read(FileFormat.CSV, Map.of("header", "true"), schema, RecordFormat.Read.BY_NAME, false,
                Set.of(), "UTC", true);
    }

    @Test
    void eachFilesHeaderSaysWhereTheColumnsAre() throws Exception {
        write("a.csv", "x,S,N\n?,a,1\n?,\"b,c\",2\n");
        write("b.csv", "n,s\n3,d\n");
        write("c.csv", "s,x,n,y\ne,?,4,?\n");
        write("d.csv", "");
        assertEquals(List.of(row(1, "a"), row(2, "b,c"), row(3, "d"), row(4, "e")), read(folder, byName(PAIR)));
    }

    @Test
    void byNameALineHasAsManyColumnsAsItsHeader() throws Exception {
        write("a.csv", "x,s,n\n?,a,1\nb,2\n?,c,3,?\n");
        OperatorHarness source = skipping(byName(PAIR));
        assertEquals(List.of(row(1, "a")), source.rows(0));
        assertEquals(List.of(file + ":3: 2 columns instead of 3; the line may be cut short: b,2",
                file + ":4: 4 columns instead of 3: ?,c,3,?"), source.badRecords);
    }

    @Test
    void aNameThatAHeaderLacksOrHasTwiceFailsTheSource() throws Exception {
        write("a.csv", "num,s\n1,a\n");
        MissingColumnException missing = assertThrows(MissingColumnException.class, () -> read(file, byName(PAIR)));
        assertEquals(file + ":1: the CSV header has no column `n`", missing.getMessage());
        assertEquals("n", missing.column());
        assertEquals(List.of("num", "s"), missing.names());
        write("a.csv", "n,s,N\n1,a,2\n");
        assertEquals(file + ":1: the CSV header has the column `n` twice",
                assertThrows(IOException.class, () -> read(file, byName(PAIR))).getMessage());
    }

    @Test
    void aFileThatIsOpenedAgainBehindItsHeaderIsReadByItsNames() throws Exception {
        reading = new Reading(Follow.FAIL_ON_TRUNCATE, Replay.AS_FAST_AS_POSSIBLE, false, 1);
        write("a.csv", "s,n\na,1\n");
        try (OperatorHarness source = setup(file, byName(PAIR)).open()) {
            source.produce();
            source.restart();
            Files.writeString(file, "b,2\n", StandardOpenOption.APPEND);
            source.produce();
            assertEquals(List.of(row(1, "a"), row(2, "b")), source.rows(0));
        }
    }

    @Test
    void whereSparksSchemaIsEnforcedColumnsAreTakenByTheirPlace() throws Exception {
        write("a.csv", "s,n\n1,a\n");
        assertEquals(List.of(row(1, "a")), read(file, csv(PAIR, "header", "true", "enforceSchema", "true")));
    }

    @Test
    void emptyFieldsAreNullAndSimpleQuotesGo() throws Exception {
        write("a.csv", ",\n1,\"x,y\"\nNA,ab\"c\n");
        assertEquals(List.of(row(null, null), row(1, "x,y"), row(null, "ab\"c")), read(file, csv(PAIR, "nullValue", "NA")));
    }

    @Test
    void wrongColumnsAreBadRecordsWithTheirPlace() throws Exception {
        write("a.csv", "1,a\n2\n3,c,x\n4,d5,e\n6,f");
        OperatorHarness source = skipping(csv(PAIR));
        assertEquals(List.of(row(1, "a"), row(6, "f")), source.rows(0));
        assertEquals(List.of(
                file + ":2: 1 column instead of 2; the line may be cut short: 2",
                file + ":3: 3 columns instead of 2; two records may have become one line: 3,c,x",
                file + ":4: 3 columns instead of 2; two records may have become one line: 4,d5,e"),
                source.badRecords);
    }

    @Test
    void extraColumnsAreReadOverWhereTheyMayBe() throws Exception {
        write("a.csv", "1,a,x,y\n2,b,x\n3,c\n4\n");
        RecordFormat.Read any = new RecordFormat.Read(FileFormat.CSV, Map.of(), PAIR, 0, true, Set.of(), "UTC", true);
        assertEquals(3, skipping(any).rows(0).size());
        RecordFormat.Read three = new RecordFormat.Read(FileFormat.CSV, Map.of(), PAIR, 3, true, Set.of(), "UTC", true);
        assertEquals(List.of(row(2, "b")), skipping(three).rows(0));
    }

    @Test
    void columnsThatNobodyReadsAreNullWhateverTheyHold() throws Exception {
        write("a.csv", "1,a\nx,b\n3\n\"4\",d\n");
        RecordFormat.Read names = new RecordFormat.Read(FileFormat.CSV, Map.of(), PAIR, 0, false, Set.of(0), "UTC", true);
        OperatorHarness source = skipping(names);
        assertEquals(List.of(row(null, "a"), row(null, "b"), row(null, "d")), source.rows(0));
        assertEquals(1, source.badRecords.size());
        Schema texts = Schema.of(new Column("a", Simple.STRING, true), new Column("b", Simple.STRING, true),
                new Column("n", Simple.INT, true), new Column("c", Simple.STRING, true));
        write("a.csv", "xx,?,5,yy\n,\"b\",x,z\n");
        assertEquals(List.of(row("xx", null, null, "yy"), row(null, null, null, "z")), skipping(new RecordFormat.Read(
                FileFormat.CSV, Map.of(), texts, 0, false, Set.of(1, 2), "UTC", true)).rows(0));
    }

    @Test
    void whatTheFastReaderDoesNotReadGoesToSparks() throws Exception {
        write("a.csv", "1,a\nx,b\n3,\"q\"\"\"\n4,d");
        OperatorHarness source = skipping(csv(PAIR));
        assertEquals(List.of(row(1, "a"), row(4, "d")), source.rows(0));
        assertEquals(List.of(file + ":2: asked: x,b: x,b", file + ":3: asked: 3,\"q\"\"\": 3,\"q\"\"\""), source.badRecords);
    }

    @Test
    void oneBadRecordFailsTheJobByDefault() throws Exception {
        write("a.csv", "1,a\nx,b\n");
        Exception failure = assertThrows(IllegalArgumentException.class, () -> read(file, csv(PAIR)));
        assertTrue(failure.getMessage().startsWith(file + ":2: "), failure.getMessage());
    }

    @Test
    void textIsOneColumnAndKeepsBlankLines() throws Exception {
        write("a.csv", "a\n\n ü \n");
        assertEquals(List.of(row("a"), row(""), row(" ü ")), read(file, records(FileFormat.TEXT, LINE)));
        Files.write(file, "ü;b".getBytes(StandardCharsets.ISO_8859_1));
        assertEquals(List.of(row("ü"), row("b")),
                read(file, records(FileFormat.TEXT, LINE, "encoding", "ISO-8859-1", "lineSep", ";")));
    }

    @Test
    void linesLongerThanABlockAreRead() throws Exception {
        String longLine = "x".repeat(3 * LineBlocks.BLOCK_BYTES + 5);
        write("a.csv", "1,a\n2," + longLine + "\r\n3,c\n");
        try (OperatorHarness source = setup(file, csv(PAIR)).room(1 << 21, 1).open()) {
            assertEquals(List.of(row(1, "a"), row(2, longLine), row(3, "c")), source.produceAll().rows(0));
        }
    }

    @Test
    void aReturnAtABlocksEdgeIsOneLineEnd() throws Exception {
        for (int shift = -2; shift <= 2; shift++) {
            String first = "y".repeat(LineBlocks.BLOCK_BYTES + shift);
            write("a.csv", first + "\r\nb\r\n");
            try (OperatorHarness source = setup(file, records(FileFormat.TEXT, LINE)).room(1 << 21, 1).open()) {
                assertEquals(List.of(row(first), row("b")), source.produceAll().rows(0));
            }
        }
    }

    @Test
    void pathsAreFilesFoldersAndGlobs() throws Exception {
        write("b.csv", "2,b\n");
        write("a.csv", "1,a\n");
        write("c.txt", "3,c\n");
        write("_SUCCESS", "");
        write(".hidden.csv", "4,d\n");
        assertEquals(List.of(row(1, "a"), row(2, "b"), row(3, "c")), read(folder, csv(PAIR)));
        assertEquals(List.of(row(1, "a"), row(2, "b")), read(folder + "/*.csv", csv(PAIR)));
        assertEquals(List.of(row(1, "a"), row(3, "c")), read(folder + "/{a,c}.*", csv(PAIR)));
    }

    @Test
    void whatIsNoRegularFileIsRefusedOrPassedOver() throws Exception {
        Path pipe = folder.resolve("pipe.csv");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertEquals(pipe + " is a pipe, a device or a socket, and a file_source reads only regular files;"
                + " write its output to a file and read that", refusal(pipe));
        assertTrue(refusal(Path.of("/dev/null")).startsWith("/dev/null is a pipe, a device or a socket"));
        write("b.csv", "2,b\n");
        assertEquals(List.of(row(2, "b")), read(folder, csv(PAIR)));
        assertEquals(List.of(row(2, "b")), read(folder + "/*.csv", csv(PAIR)));
        Files.delete(folder.resolve("b.csv"));
        assertTrue(refusal(folder).startsWith("no file in folder"));
    }

    @Test
    void aPipeInThePlaceOfAFileThatWasFoundIsRefused() throws Exception {
        write("a.csv", "1,a\n");
        try (OperatorHarness source = setup(file, csv(PAIR)).open()) {
            Files.delete(file);
            assertEquals(0, new ProcessBuilder("mkfifo", file.toString()).start().waitFor());
            assertTrue(assertThrows(IOException.class, source::produceAll).getMessage().startsWith(file + " is a pipe"));
        }
    }

    @Test
    void onlyFilesThatMayBeOfAnotherMachineBlock() throws Exception {
        Path notOnDisk = Path.of("/proc/version");
        assumeTrue(Files.exists(notOnDisk));
        assumeTrue(Set.of("btrfs", "ext4", "overlay", "tmpfs", "xfs").contains(Files.getFileStore(folder).type()));
        write("a.csv", "1,a\n");
        assertFalse(blocks(folder));
        Files.createSymbolicLink(folder.resolve("b.csv"), notOnDisk);
        assertTrue(blocks(folder));
        assertTrue(blocks(notOnDisk));
    }

    private boolean blocks(Path path) throws Exception {
        try (OperatorHarness source = setup(path, records(FileFormat.TEXT, LINE)).open()) {
            return source.operator().blocks();
        }
    }

    @Test
    void eachFileIsReadByOneInstanceWhateverElseComesAndGoes() throws Exception {
        List<List<Object>> rows = new ArrayList<>();
        for (int k = 0; k < 10; k++) {
            write("part-0000" + k + ".csv", k + ",old\n");
        }
        for (int instance = 0; instance < 3; instance++) {
            try (OperatorHarness source = setup(folder, csv(PAIR)).instance(instance, 3).open()) {
                List<List<Object>> mine = source.produceAll().rows(0).stream().filter(row -> row.get(1).equals("old")).toList();
                assertTrue(mine.size() >= 3, mine.toString());
                rows.addAll(mine);
            }
            write("part-0000" + instance + "a.csv", "-1,new\n");
        }
        rows.sort(Comparator.comparing(row -> (Integer) row.get(0)));
        assertEquals(IntStream.range(0, 10).mapToObj(k -> row(k, "old")).toList(), rows);
    }

    @Test
    void filesThatCountUpAreSpread() {
        for (int parallelism = 1; parallelism <= 64; parallelism++) {
            List<Path> files = IntStream.range(0, 10 * parallelism)
                    .mapToObj(k -> folder.resolve("part-%05d.csv".formatted(k))).toList();
            int all = 0;
            for (int instance = 0; instance < parallelism; instance++) {
                int of = instance;
                int by = parallelism;
                int mine = (int) files.stream().filter(one -> InputFiles.instanceOf(one.toString(), by) == of).count();
                all += mine;
                assertTrue(mine > 0 && mine <= 15, parallelism + ": " + mine);
            }
            assertEquals(files.size(), all);
        }
    }

    @Test
    void aFileThatIsReadIsForgotten() throws Exception {
        long files = Runtime.getRuntime().maxMemory() / LineBlocks.BLOCK_BYTES + 10;     // so many buffers there is no room for
        for (int k = 0; k < files; k++) {
            write(k + ".csv", "1,a\n");
        }
        try (OperatorHarness source = setup(folder, csv(PAIR)).open()) {
            assertEquals(files, source.produceAll().rows(0).size());
        }
    }

    @Test
    void filesThatSparkDoesNotUnpackAreRefused() throws Exception {
        assertTrue(refusal(write("a.csv.xz", "?")).contains(".xz files cannot be read"));
    }

    private Path packed(String name, String text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return Files.write(folder.resolve(name), packed.toByteArray());
    }

    private String refusal(Object path) {
        return assertThrows(IOException.class, () -> read(path, csv(PAIR))).getMessage();
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        assertEquals("no such file or folder: " + folder + "/nothing; check `path`", refusal(folder + "/nothing"));
        assertEquals("no file in folder " + folder + "; check `path`", refusal(folder));
        assertEquals("no file matches " + folder + "/*.csv; check `path`", refusal(folder + "/*.csv"));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("gone"));
        assertEquals("no such file or folder: " + folder + "/link: it is a link to " + folder + "/gone",
                refusal(folder + "/link"));
    }

    @Test
    void watermarksFollowTheTimesAndLatePacketsAreMarked() throws Exception {
        eventTime = new EventTime(0, List.of(), 1_000_000, NEVER);
        write("a.csv", "1970-01-01T00:00:05Z,1\n1970-01-01 00:00:10.5,2\n,3\n"
                + "1970-01-01T00:00:09Z,4\n1970-01-01T01:00:20+01:00,5\n");
        try (OperatorHarness source = setup(file, csv(TIMED)).open()) {
            source.produceAll();
            assertEquals(List.of(Event.of(5_000_000L, 1), Event.of(10_500_000L, 2), Event.of(null, 3),
                    Event.watermark(9_500_000, true), Event.of(9_000_000L, 4), Event.of(20_000_000L, 5),
                    Event.watermark(19_000_000, false)), source.events(0));
        }
    }

    @Test
    void replayKeepsTheGapsBetweenEventTimes() throws Exception {
        eventTime = new EventTime(0, List.of(), 0, NEVER);
        reading = new Reading(Follow.NO, new Replay(2), false, 1);
        write("a.csv", "1970-01-01T00:00:05Z,1\n1970-01-01T00:00:06Z,2\n,3\n1970-01-01T00:00:10Z,4\n");
        try (OperatorHarness source = setup(file, csv(TIMED)).open()) {
            source.now = 7 * MS;
            source.produceAll();
            assertEquals(List.of(7 * MS, 507 * MS, 507 * MS, 2507 * MS), source.dues(0));
        }
    }

    @Test
    void everyRoundIsReplayed() throws Exception {
        eventTime = new EventTime(0, List.of(), 0, NEVER);
        write("a.csv", "1970-01-01T00:00:05Z,1\n1970-01-01T00:00:06Z,2\n");
        for (boolean preload : new boolean[] {false, true}) {
            reading = new Reading(Follow.NO, new Replay(1), preload, 3);
            try (OperatorHarness source = setup(file, csv(TIMED)).open()) {
                source.produceAll();
                assertEquals(List.of(0L, 1000 * MS, 1000 * MS, 2000 * MS, 2000 * MS, 3000 * MS), source.dues(0));
            }
        }
    }

    @Test
    void repeatsAndPreloads() throws Exception {
        write("a.csv", "1,a\n2,b\n");
        for (boolean preload : new boolean[] {false, true}) {
            reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, preload, 3);
            List<List<Object>> twice = read(file, csv(PAIR));
            assertEquals(6, twice.size());
            assertEquals(List.of(row(1, "a"), row(2, "b"), row(1, "a")), twice.subList(0, 3));
        }
        reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, true, 0);
        write("a.csv", "");
        assertEquals(List.of(), read(file, csv(PAIR)));
    }

    @Test
    void aFollowedFileWaitsForWholeLines() throws Exception {
        reading = new Reading(Follow.FAIL_ON_TRUNCATE, Replay.AS_FAST_AS_POSSIBLE, false, 1);
        write("a.csv", "1,a\n2,");
        try (OperatorHarness source = setup(file, csv(PAIR)).open()) {
            assertEquals(FollowedFiles.POLL_NANOS, source.produce());
            assertEquals(List.of(row(1, "a")), source.rows(0));
            Files.writeString(file, "b\r\n3,c", StandardOpenOption.APPEND);
            source.produce();
            assertEquals(List.of(row(1, "a"), row(2, "b")), source.rows(0));
            source.restart();
            Files.writeString(file, "c\n", StandardOpenOption.APPEND);
            source.produce();
            assertEquals(row(3, "cc"), source.rows(0).get(2));
        }
    }

    @Test
    void aPackedFileIsFollowedToItsEnd() throws Exception {
        reading = new Reading(Follow.FAIL_ON_TRUNCATE, Replay.AS_FAST_AS_POSSIBLE, false, 1);
        Path gz = packed("a.csv.gz", "1,a\n".repeat(1000) + "2,b");
        write("b.csv", "3,c\n");
        try (OperatorHarness source = setup(folder, csv(PAIR)).open()) {
            while (source.produce() != FollowedFiles.POLL_NANOS) {
                continue;
            }
            assertEquals(FollowedFiles.POLL_NANOS, source.produce());
            assertEquals(1002, source.rows(0).size());
            assertTrue(source.rows(0).containsAll(List.of(row(2, "b"), row(3, "c"))), gz.toString());
        }
    }

    @Test
    void stoppedAnywhereItGoesOnWithTheNextRecord() throws Exception {
        write("a.csv", "n,s\n1,a\n\n2,b\n");
        write("b.csv", "n,s\n3,c\r\n4,d\n5,e");
        for (boolean preload : new boolean[] {false, true}) {
            reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, preload, 2);
            List<List<Object>> all = read(folder, csv(PAIR, "header", "true"));
            assertEquals(10, all.size());
            for (int calls = 0; calls < 30; calls++) {
                assertEquals(all, interrupted(setup(folder, csv(PAIR, "header", "true")), calls), "after " + calls);
            }
        }
    }

    @Test
    void stoppedWithinALineOfSeveralRecordsItGoesOnWithTheNext() throws Exception {
        write("a.csv", "a|b|c\n|\nd|e\n" + "f|g|h|i|j|k|l|m|n|o|p\n");
        List<List<Object>> all = read(file, records(FileFormat.JSON, LINE));
        assertEquals(16, all.size());
        for (int calls = 0; calls < 20; calls++) {
            assertEquals(all, interrupted(setup(file, records(FileFormat.JSON, LINE)), calls), "after " + calls);
        }
    }

    private static List<List<Object>> interrupted(OperatorHarness.Setup setup, int calls) throws Exception {
        try (OperatorHarness source = setup.room(8, 1).open()) {
            for (int k = 0; k < calls && source.produce() != Source.ENDED; k++) {
                continue;
            }
            return source.restart().restart().produceAll().rows(0);
        }
    }

    @Test
    void readsTheRealReadings() throws Exception {
        Path data = Path.of(System.getenv().getOrDefault("DESPINA_DATA", "../shared/data"), "debs2012/DEBS2012-small.txt");
        assumeTrue(Files.exists(data), "no real data: set DESPINA_DATA");
        List<Column> columns = new ArrayList<>(List.of(new Column("ts", Simple.TIMESTAMP, true),
                new Column("index", Simple.BIGINT, true)));
        Stream.of("mf01", "mf02", "mf03", "pc13", "pc14", "pc15", "pc25", "pc26", "pc27", "res", "bm05", "bm06", "bm07", "bm08",
                "bm09", "bm10").forEach(name -> columns.add(new Column(name, Simple.INT, true)));
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.CSV, Map.of("sep", "\\t"), new Schema(columns),
                56, true, Set.of(), "UTC", true);
        eventTime = new EventTime(0, List.of(), 0, NEVER);
        try (OperatorHarness source = setup(data, records).room(1 << 16, 1).open()) {
            source.produceAll();
            List<List<Object>> rows = source.rows(0);
            assertEquals(17_000, rows.size());
            assertEquals(micros("2012-02-22T16:46:28.967032Z"), rows.get(0).get(0));
            assertTrue(source.events(0).stream().noneMatch(Event::exact), "times strictly increase");
            for (int k = 1; k < rows.size(); k++) {
                assertEquals((long) rows.get(k - 1).get(1) + 1, rows.get(k).get(1));
            }
            int[] mf01 = rows.stream().mapToInt(row -> (int) row.get(2)).toArray();
            assertEquals(12466, Arrays.stream(mf01).min().getAsInt());
            assertEquals(18224, Arrays.stream(mf01).max().getAsInt());
            assertEquals(13053.381588, Arrays.stream(mf01).average().getAsDouble(), 1e-6);
            assertEquals(118, Arrays.stream(mf01).filter(v -> v > 14963).count());
            assertEquals(11_029, rows.stream().filter(row -> (int) row.get(4) < 8105).count());
            long second = micros("2012-02-22T16:46:29Z");
            assertEquals(100, rows.stream().mapToLong(r -> (long) r.get(0))
                    .filter(ts -> ts >= second && ts < second + 1_000_000).count());
        }
    }

    private static long micros(String instant) {
        return Instant.parse(instant).getEpochSecond() * 1_000_000 + Instant.parse(instant).getNano() / 1000;
    }
}
