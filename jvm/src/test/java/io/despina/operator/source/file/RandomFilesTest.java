package io.despina.operator.source.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.expr.Expressions;
import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.text.SparkFiles;
import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random files under random options, read by the engine and by Spark's own file sources: the same rows and the same bad
 * records, or both fail. Half of the files are always the same, the other half are new each time. A failure names its seed;
 * {@code tools/gradle.sh unitTest -Ponly='.*RandomFilesTest' -Pseed=N} begins there again, and {@code -Pfiles=10000} reads more.
 */
class RandomFilesTest {
    private static final int FILES = Integer.getInteger("despina.files", 500);
    private static final Long REPLAY = Long.getLong("despina.seed");
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    @TempDir
    Path folder;

    @Test
    void csvIsReadAsSparkReadsIt() throws Exception {
        compareFiles(FileFormat.CSV);
    }

    @Test
    void jsonIsReadAsSparkReadsIt() throws Exception {
        compareFiles(FileFormat.JSON);
    }

    /** A byte order mark behind a header that {@code enforceSchema} leaves unread. */
    @Test
    void aFileThatWasOnceReadOtherwiseIsReadAsSparkReadsIt() throws Exception {
        compare(new RandomFile(3173314802805806671L, FileFormat.CSV), "seed 3173314802805806671");
    }

    /** A byte order mark behind lines that are comments: the parser begins with it. */
    @Test
    void aMarkBehindCommentsIsTakenOff() throws Exception {
        compare(new RandomFile(6568, FileFormat.CSV), "seed 6568");
    }

    /** Spark has a parser for each file. In these, marks stand behind comments and behind a header. */
    @Test
    void aFileBesideAnotherIsReadAsIfItWereAlone() throws Exception {
        Path both = Files.createDirectory(folder.resolve("both"));
        for (long seed : new long[] {6568, 3173314802805806671L}) {
            RandomFile made = new RandomFile(seed, FileFormat.CSV);
            SparkFiles.Read alone = read(Files.write(both.resolve("one"), made.bytes()), made.records());
            Files.write(both.resolve("other"), made.bytes());
            SparkFiles.Read read = read(both, made.records());
            assertEquals(text(twice(alone.rows())), text(read.rows()), "seed " + seed);
            assertEquals(twice(alone.bad()), read.bad(), "seed " + seed);
        }
    }

    private static <T> List<T> twice(List<T> list) {
        return Stream.concat(list.stream(), list.stream()).toList();
    }

    private void compareFiles(FileFormat format) throws Exception {
        long random = new Random().nextLong();
        for (int k = 0; k < FILES; k++) {
            long seed = REPLAY != null ? REPLAY + k : k < FILES / 2 ? k : random + k;
            compare(new RandomFile(seed, format), "seed " + seed);
        }
    }

    private void compare(RandomFile made, String name) throws Exception {
        RecordFormat.Read records = made.records();
        Path file = Files.write(folder.resolve("in"), made.bytes());
        SparkFiles.Read spark = SparkFiles.read(file, new TextOptions(records.format().name().toLowerCase(Locale.ROOT),
                records.schema(), Math.max(records.columns(), 0), records.options(), records.timeZone(), records.ansi()),
                records.ignoreExtra() && records.columns() == 0);
        SparkFiles.Read engine = read(file, records);
        String shown = name + ": " + records + "\n" + printable(new String(made.bytes(), StandardCharsets.ISO_8859_1));
        if (spark.failure() != null) {
            assertNotNull(engine.failure(), () -> shown + "\nSpark fails: " + spark.failure());
            return;
        }
        assertNull(engine.failure(), shown);
        assertEquals(text(spark.rows()), text(engine.rows()), shown);
        assertEquals(bare(spark.bad()), bare(engine.bad()), shown);
    }

    private static SparkFiles.Read read(Path file, RecordFormat.Read records) {
        FileSourceOptions options = new FileSourceOptions(file.toString(), records,
                new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1), null, Expressions::parser);
        OperatorHarness.Setup setup = OperatorHarness.of(() -> new FileSource(options)).outputs(records.schema())
                .room(1 << 16, 8).skippingBadRecords();
        try (OperatorHarness source = setup.open()) {
            source.produceAll();
            return new SparkFiles.Read(source.rows(0), source.badTexts, null);
        } catch (Exception e) {
            return new SparkFiles.Read(List.of(), List.of(), e.toString());
        }
    }

    private static String text(List<List<Object>> rows) {
        return rows.stream().map(String::valueOf).collect(Collectors.joining("\n"));
    }

    /**
     * Spark keeps a byte order mark before a bad record but in the first line that it parses, which may be the header. Where
     * {@code lineSep} is a line feed, the lines before decide whether it keeps a carriage return at the end (seed
     * -4672811716715857814).
     */
    private static List<String> bare(List<String> bad) {
        List<String> texts = new ArrayList<>();
        for (String text : bad) {
            String marked = text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
            texts.add(marked.endsWith("\r") ? marked.substring(0, marked.length() - 1) : marked);
        }
        return texts;
    }

    private static String printable(String text) {
        return text.chars().mapToObj(c -> c >= ' ' && c < 0x7F ? String.valueOf((char) c) : String.format("<%02x>", c))
                .collect(Collectors.joining());
    }
}
