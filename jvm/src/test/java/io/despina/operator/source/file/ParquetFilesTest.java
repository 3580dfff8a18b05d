package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.DamagedFileException;
import io.despina.expr.Expressions;
import io.despina.expr.FileRows;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.file.FileSink;
import io.despina.operator.sink.file.FileSinkOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Interval.Unit;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetFilesTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final Reading ONCE = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1);
    private static final int ROWS = 20_000;

    @TempDir
    Path folder;

    private Reading reading = ONCE;
    private EventTime eventTime;
    private Set<Integer> unread = Set.of();

    /** Writes a folder of one file. */
    private Path write(String name, Schema schema, List<? extends List<?>> rows, Map<String, String> options) throws Exception {
        Path out = folder.resolve(name);
        try (OperatorHarness harness = sink(out, schema, options, FileSinkOptions.Roll.NEVER).open()) {
            FileSink sink = (FileSink) harness.operator();
            harness.feed(0, rows);
            harness.end();
            OperatorHarness.done(sink.prepare(1));
            OperatorHarness.done(sink.commit(1));
            sink.succeed();
        }
        return out;
    }

    private static OperatorHarness.Setup sink(Path out, Schema schema, Map<String, String> options, FileSinkOptions.Roll roll) {
        FileSinkOptions all = new FileSinkOptions(new FileSinkOptions.Place(out, false, false, "job"), roll,
                new RecordFormat.Write(FileFormat.PARQUET, options, "UTC", true), Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(schema);
    }

    private OperatorHarness.Setup setup(Path path, Schema schema) {
        FileSourceOptions options = new FileSourceOptions(path.toString(), new RecordFormat.Read(FileFormat.PARQUET,
                Map.of(), schema, 0, false, unread, "UTC", true), reading, eventTime, text -> null);
        return OperatorHarness.of(() -> new FileSource(options)).outputs(schema);
    }

    private List<List<Object>> read(Path path, Schema schema) throws Exception {
        try (OperatorHarness source = setup(path, schema).open()) {
            return source.produceAll().rows(0);
        }
    }

    private static List<List<Object>> pairs(int from, int to) {
        return IntStream.range(from, to).mapToObj(k -> row(k, k % 7 == 0 ? null : "word " + k)).toList();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void everyTypeComesBackAsItWent() throws Exception {
        List<Column> columns = new ArrayList<>();
        List<Object> values = new ArrayList<>(List.of(true, (byte) -3, (short) -300, 70_000, 1L << 40, 1.5f, -2.25, -400_000,
                -62_000_000_000_000_000L, 1_700_000_000_000_001L, "ü €", ByteBuffer.wrap(new byte[] {0, -1})));
        for (Simple simple : Simple.values()) {
            columns.add(new Column(simple.name(), simple, true));
        }
        add(columns, values, new Type.Decimal(9, 2), new BigDecimal("-1.50"));
        add(columns, values, new Type.Decimal(18, 6), new BigDecimal("123456789012.345678"));
        add(columns, values, new Type.Decimal(38, 10), new BigDecimal("-1234567890123456789012345678.0123456789"));
        add(columns, values, new Type.Interval(Unit.YEAR, Unit.MONTH), -13);
        add(columns, values, new Type.Interval(Unit.MONTH, Unit.MONTH), 5);
        add(columns, values, new Type.Interval(Unit.DAY, Unit.SECOND), -86_400_000_001L);
        add(columns, values, new Type.Array(Simple.STRING, true), row("a", null, ""));
        add(columns, values, new Type.MapOf(Simple.STRING, new Type.Array(Simple.INT, true), true),
                Collections.singletonMap("k", row(1, null)));
        add(columns, values, new Type.Struct(List.of(new Column("x", Simple.DATE, true),
                new Column("y", new Type.Struct(List.of(new Column("z", new Type.Decimal(30, 1), true))), true))),
                row(19_000, row(new BigDecimal("12345678901234567890.5"))));
        Schema schema = new Schema(columns);
        List<List<Object>> rows = List.of(values, Collections.nCopies(values.size(), null), values);
        for (String codec : List.of("none", "snappy", "gzip", "zstd", "lz4_raw")) {
            assertEquals(rows, read(write(codec, schema, rows, Map.of("compression", codec)), schema), codec);
        }
        assertEquals(List.of("_SUCCESS", "part-00000-00001.lz4raw.parquet"), names(folder.resolve("lz4_raw")));
        assertEquals(List.of("_SUCCESS", "part-00000-00001.parquet"), names(folder.resolve("none")));
    }

    private static void add(List<Column> columns, List<Object> values, Type type, Object value) {
        columns.add(new Column("c" + columns.size(), type, true));
        values.add(value);
    }

    @Test
    void columnsAreFoundByNameAndMissingOnesAreNull() throws Exception {
        Path out = write("out", PAIR, pairs(0, 3), Map.of());
        Schema other = Schema.of(new Column("S", Simple.STRING, true), new Column("more", Simple.DOUBLE, true),
                new Column("N", Simple.BIGINT, true));
        assertEquals(List.of(row(null, null, 0L), row("word 1", null, 1L), row("word 2", null, 2L)), read(out, other));
        unread = Set.of(0);
        assertEquals(List.of(row(null, null, 0L), row(null, null, 1L), row(null, null, 2L)), read(out, other));
        unread = Set.of(0, 1, 2);
        assertEquals(Collections.nCopies(3, row(null, null, null)), read(out, other));
    }

    @Test
    void whatCannotBeReadIsNamed() throws Exception {
        Path out = write("out", PAIR, pairs(0, 1000), Map.of("compression", "gzip"));
        Path file = out.resolve("part-00000-00001.gz.parquet");
        assertEquals(file + ": column `s` is BINARY in the file, which is no bigint",
                failure(out, Schema.of(new Column("s", Simple.BIGINT, true))));
        byte[] whole = Files.readAllBytes(file);
        Path damaged = folder.resolve("damaged.parquet");
        Files.write(damaged, Arrays.copyOf(whole, whole.length / 2));
        assertTrue(failure(damaged, PAIR).startsWith(damaged + " cannot be read as parquet: "));
        Files.write(damaged, new byte[] {1});
        assertTrue(failure(damaged, PAIR).startsWith(damaged + " cannot be read as parquet: "));
        Arrays.fill(whole, 40, whole.length / 2, (byte) 7);
        Files.write(damaged, whole);
        assertTrue(failure(damaged, PAIR).startsWith(damaged + " cannot be read as parquet: "));
    }

    /** Whoever tries a disk again must know it from a file that is the same each time. */
    @Test
    void bytesThatAreNoRowsAreToldFromADiskThatFails() throws Exception {
        for (String codec : List.of("snappy", "gzip", "zstd", "lz4_raw")) {
            Path out = write(codec, PAIR, pairs(0, 1000), Map.of("compression", codec));
            Path file = out.resolve(names(out).get(1));
            FileRows.Options options = new FileRows.Options(PAIR, Map.of(), Set.of(), "UTC", true);
            byte[] whole = Files.readAllBytes(file);
            Arrays.fill(whole, 40, whole.length / 2, (byte) 7);
            Files.write(file, whole);
            assertThrows(DamagedFileException.class, () -> drain(file, options), codec);
            IOException disk = assertThrows(IOException.class, () -> drain(file, new FileRows.Options(PAIR,
                    Map.of("fs.file.impl", FailingDisk.class.getName(), "fs.file.impl.disable.cache", "true"), Set.of(), "UTC",
                    true)));
            assertEquals(IOException.class, disk.getClass(), disk.getMessage());
            assertTrue(disk.getMessage().endsWith("Input/output error"), disk.getMessage());
        }
    }

    private static void drain(Path file, FileRows.Options options) throws IOException {
        try (FileRows rows = Expressions.parquet(file.toUri().toString(), options, 0)) {
            while (rows.next()) {
                continue;
            }
        }
    }

    public static final class FailingDisk extends RawLocalFileSystem {
        @Override
        public FSDataInputStream open(org.apache.hadoop.fs.Path file, int bufferBytes) throws IOException {
            throw new IOException("Input/output error", new IllegalStateException("what a client of an object store throws"));
        }
    }

    private String failure(Path path, Schema schema) {
        return assertThrows(IOException.class, () -> read(path, schema)).getMessage();
    }

    @Test
    void stoppedAnywhereItGoesOnWithTheNextRow() throws Exception {
        Path out = write("out", PAIR, pairs(0, ROWS), Map.of("parquet.block.size", "40000", "parquet.page.size", "4000"));
        write("out2", PAIR, pairs(ROWS, ROWS + 10), Map.of());
        Files.move(folder.resolve("out2/part-00000-00001.snappy.parquet"), out.resolve("part-00001-00001.snappy.parquet"));
        for (int calls = 0; calls < 40; calls += 3) {
            try (OperatorHarness source = setup(out, PAIR).room(1 << 14, 1).open()) {
                for (int k = 0; k < calls; k++) {
                    source.produce();
                }
                assertEquals(pairs(0, ROWS + 10), source.restart().restart().produceAll().rows(0), "after " + calls);
            }
        }
    }

    @Test
    void filesAreMergedByTheirTimes() throws Exception {
        Schema timed = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("n", Simple.INT, true));
        Path out = write("out", timed, IntStream.range(0, 3000).mapToObj(k -> row(2L * k, k)).toList(), Map.of());
        write("out2", timed, IntStream.range(0, 3000).mapToObj(k -> row(2L * k + 1, -k)).toList(), Map.of());
        Files.move(folder.resolve("out2/part-00000-00001.snappy.parquet"), out.resolve("part-00001-00001.snappy.parquet"));
        eventTime = new EventTime(0, List.of(), 0, NEVER);
        List<Object> times = read(out, timed).stream().map(each -> each.get(0)).toList();
        assertEquals(IntStream.range(0, 6000).mapToObj(k -> (Object) (long) k).toList(), times);
    }

    @Test
    void eachEpochIsAFileThatIsWholeBeforeItIsSeen() throws Exception {
        Path out = folder.resolve("out");
        try (OperatorHarness harness = sink(out, PAIR, Map.of(), FileSinkOptions.Roll.NEVER).open()) {
            FileSink sink = (FileSink) harness.operator();
            harness.feed(0, pairs(0, 5));
            OperatorHarness.done(sink.prepare(1));
            assertTrue(names(out).stream().allMatch(name -> name.startsWith(".")), names(out).toString());
            OperatorHarness.done(sink.commit(1));
            assertEquals(pairs(0, 5), read(out, PAIR));
            OperatorHarness.done(sink.prepare(2));
            OperatorHarness.done(sink.commit(2));
            harness.feed(0, pairs(5, 9));
            OperatorHarness.done(sink.prepare(3));
            OperatorHarness.done(sink.commit(3));
            assertEquals(pairs(0, 9), read(out, PAIR));
            harness.feed(0, pairs(9, 10));
            sink.abort();
        }
        assertEquals(List.of("part-00000-00001.snappy.parquet", "part-00000-00003.snappy.parquet"),
                names(out).stream().filter(name -> !name.startsWith(".")).toList());
        Path left = out.resolve(".part-00000-00004.job-tested.snappy.parquet.left");
        assertEquals(pairs(9, 10), read(Files.copy(left, folder.resolve("left")), PAIR));
    }

    @Test
    void withoutRowsThereIsAFileOfColumns() throws Exception {
        assertEquals(List.of(), read(write("out", PAIR, List.of(), Map.of()), PAIR));
        assertEquals(List.of("_SUCCESS", "part-00000-00001.snappy.parquet"), names(folder.resolve("out")));
    }

    @Test
    void itRollsByTheBytesThatItHolds() throws Exception {
        FileSinkOptions.Roll roll = new FileSinkOptions.Roll(0, 1 << 16, Runnable::run);
        try (OperatorHarness harness = sink(folder.resolve("out"), PAIR, Map.of(), roll).open()) {
            FileSink sink = (FileSink) harness.operator();
            harness.feed(0, pairs(0, 100));
            assertEquals(false, sink.roll(1, 0));
            harness.feed(0, pairs(100, ROWS));
            assertEquals(true, sink.roll(1, 0));
            assertEquals(pairs(0, ROWS), read(folder.resolve("out"), PAIR));
            sink.abort();
        }
    }

    @Test
    void isLoadedAndRepeatedAndPaced() throws Exception {
        Schema timed = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("n", Simple.INT, true));
        List<List<Object>> rows = List.of(row(0L, 0), row(1000L, 1), row(3000L, 2));
        Path out = write("out", timed, rows, Map.of());
        eventTime = new EventTime(0, List.of(), 0, NEVER);
        for (boolean preload : new boolean[] {false, true}) {
            reading = new Reading(Follow.NO, new Replay(2), preload, 1);
            try (OperatorHarness source = setup(out, timed).open()) {
                long begun = source.now;
                List<Long> waits = new ArrayList<>();
                for (long next = source.produce(); next != Source.ENDED; next = source.produce()) {
                    waits.add(next - begun);
                    source.now = Math.max(source.now, next);
                }
                assertEquals(rows, source.rows(0));
                assertTrue(waits.containsAll(List.of(500_000L, 1_500_000L)), waits.toString());
            }
        }
        eventTime = null;
        reading = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, true, 3);
        List<List<Object>> thrice = new ArrayList<>();
        Collections.nCopies(3, rows).forEach(thrice::addAll);
        assertEquals(thrice, read(out, timed));
    }

    @Test
    void aFollowedFolderGetsWholeFiles() throws Exception {
        Path first = write("out", PAIR, pairs(0, 4), Map.of());
        write("out2", PAIR, pairs(4, 6), Map.of());
        reading = new Reading(Follow.FAIL_ON_TRUNCATE, Replay.AS_FAST_AS_POSSIBLE, false, 1);
        try (OperatorHarness source = setup(first, PAIR).open()) {
            settle(source);
            assertEquals(pairs(0, 4), source.rows(0));
            Files.move(folder.resolve("out2/part-00000-00001.snappy.parquet"), first.resolve("more.parquet"));
            settle(source);
            settle(source);
            assertEquals(pairs(0, 6), source.rows(0));
            settle(source.restart());
            assertEquals(pairs(0, 6), source.rows(0));
        }
    }

    private static void settle(OperatorHarness source) throws Exception {
        source.now += FollowedFiles.LOOK_NANOS;
        for (long next = source.produce(); next <= source.now;) {
            next = source.produce();
        }
    }
}
