package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.avro.AvroContainer;
import io.despina.operator.sink.file.FileSink;
import io.despina.operator.sink.file.FileSinkOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
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
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Container files of Avro, beside Avro's own library. Those of other programs are in tests/e2e/test_file_formats.py. */
class ContainerFilesTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final Reading ONCE = new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1);
    private static final int ROWS = 20_000;
    private static final String READING = "{\"type\": \"record\", \"name\": \"r\", \"fields\": ["
            + "{\"name\": \"s\", \"type\": [\"string\", \"boolean\"]}, {\"name\": \"n\", \"type\": \"int\"}]}";

    @TempDir
    Path folder;

    private EventTime eventTime;

    /** Writes a folder of one file. */
    private Path write(String name, Schema schema, List<? extends List<?>> rows, Map<String, String> options) throws Exception {
        Path out = folder.resolve(name);
        FileSinkOptions all = new FileSinkOptions(new FileSinkOptions.Place(out, false, false, "job"),
                FileSinkOptions.Roll.NEVER, new RecordFormat.Write(FileFormat.AVRO, options, "UTC", true),
                Expressions::formatter);
        try (OperatorHarness harness = OperatorHarness.of(() -> new FileSink(all)).inputs(schema).open()) {
            FileSink sink = (FileSink) harness.operator();
            harness.feed(0, rows);
            harness.end();
            OperatorHarness.done(sink.prepare(1));
            OperatorHarness.done(sink.commit(1));
            sink.succeed();
        }
        return out;
    }

    private OperatorHarness.Setup setup(Path path, Schema schema) {
        FileSourceOptions options = new FileSourceOptions(path.toString(), new RecordFormat.Read(FileFormat.AVRO,
                Map.of(), schema, 0, false, Set.of(), "UTC", true), ONCE, eventTime, text -> null);
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

    private static Path only(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("part-")).findFirst().orElseThrow();
        }
    }

    /** A file of Avro's library; every tenth record has a flag where the others have a text. */
    private Path byAvro(CodecFactory codec, int rows, int blockBytes) throws IOException {
        org.apache.avro.Schema schema = new org.apache.avro.Schema.Parser().parse(READING);
        Path file = folder.resolve("avros.avro");
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(codec).setSyncInterval(blockBytes).setMeta("made.by", "a test").create(schema, file.toFile());
            for (int k = 0; k < rows; k++) {
                GenericRecord record = new GenericData.Record(schema);
                record.put("n", k);
                record.put("s", k % 10 == 9 ? (Object) true : "word " + k);
                writer.append(record);
            }
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = {"uncompressed", "snappy", "deflate", "bzip2", "xz", "zstandard"})
    void everyTypeComesBackAsItWent(String codec) throws Exception {
        List<Column> columns = new ArrayList<>();
        List<Object> values = new ArrayList<>(List.of(true, (byte) -3, (short) -300, 70_000, 1L << 40, 1.5f, -2.25, -400_000,
                -62_000_000_000_000_000L, 1_700_000_000_000_001L, "ü €", ByteBuffer.wrap(new byte[] {0, -1})));
        for (Simple simple : Simple.values()) {
            columns.add(new Column(simple.name(), simple, true));
        }
        columns.add(new Column("d", new Type.Decimal(38, 10), true));
        values.add(new BigDecimal("-1234567890123456789012345678.0123456789"));
        columns.add(new Column("m", new Type.MapOf(Simple.STRING, new Type.Array(Simple.INT, true), true), true));
        values.add(Collections.singletonMap("k", row(1, null)));
        columns.add(new Column("t", new Type.Struct(List.of(new Column("x", Simple.DATE, true))), true));
        values.add(row(19_000));
        Schema schema = new Schema(columns);
        List<List<Object>> rows = List.of(values, Collections.nCopies(values.size(), null), values);
        Path out = write("out", schema, rows, Map.of("compression", codec));
        assertEquals(rows, read(out, schema));
        assertEquals("part-00000-00001.avro", only(out).getFileName().toString());
        try (DataFileReader<GenericRecord> reader = new DataFileReader<>(only(out).toFile(), new GenericDatumReader<>())) {
            assertEquals(codec.equals("uncompressed") ? "null" : codec, reader.getMetaString("avro.codec"));
            assertEquals("ü €", reader.next().get("STRING").toString());
            reader.next();
            assertEquals("ü €", reader.next().get("STRING").toString());
            assertEquals(false, reader.hasNext());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "snappy", "deflate", "bzip2", "xz", "zstandard"})
    void filesOfAvroAreReadAndARecordThatDoesNotFitIsBadAlone(String codec) throws Exception {
        Path file = byAvro(CodecFactory.fromString(codec), 1000, 300);
        try (OperatorHarness source = setup(file, PAIR).skippingBadRecords().open()) {
            source.produceAll();
            assertEquals(IntStream.range(0, 1000).filter(k -> k % 10 != 9).mapToObj(k -> row(k, "word " + k)).toList(),
                    source.rows(0));
            assertEquals(100, source.badRecords.size());
            String first = source.badRecords.get(0);
            assertTrue(first.startsWith(file + "@") && first.contains(":10: `s`: ") && first.endsWith(": 020112"), first);
        }
        Schema otherwise = Schema.of(new Column("N", Simple.DOUBLE, true), new Column("more", Simple.DATE, true));
        assertEquals(List.of(row(0.0, null), row(1.0, null)), read(file, otherwise).subList(0, 2));
    }

    @Test
    void stoppedAnywhereItGoesOnWithTheNextRow() throws Exception {
        Path out = write("out", PAIR, pairs(0, ROWS), Map.of());
        Files.move(only(write("out2", PAIR, pairs(ROWS, ROWS + 10), Map.of("compression", "deflate"))),
                out.resolve("part-00001-00001.avro"));
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
        Files.move(only(write("out2", timed, IntStream.range(0, 3000).mapToObj(k -> row(2L * k + 1, -k)).toList(), Map.of())),
                out.resolve("part-00001-00001.avro"));
        eventTime = new EventTime(0, List.of(), 0, NEVER);
        List<Object> times = read(out, timed).stream().map(each -> each.get(0)).toList();
        assertEquals(IntStream.range(0, 6000).mapToObj(k -> (Object) (long) k).toList(), times);
    }

    @Test
    void theHighestLevelOfXzIsRead() throws Exception {
        byte[] all = Files.readAllBytes(byAvro(CodecFactory.xzCodec(0), 50, 1 << 20));
        int header = HexFormat.of().formatHex(all).indexOf("fd377a585a00") / 2 + 12;        // behind that of the stream
        all[header + 4] = 28;       // the size of the dictionary: 64 MB
        CRC32 sum = new CRC32();
        int length = 4 * all[header];
        sum.update(all, header, length);
        for (int k = 0; k < 4; k++) {
            all[header + length + k] = (byte) (sum.getValue() >>> 8 * k);
        }
        Path file = folder.resolve("highest.avro");
        Files.write(file, all);
        try (OperatorHarness source = setup(file, PAIR).skippingBadRecords().open()) {
            assertEquals(45, source.produceAll().rows(0).size());
        }
    }

    @Test
    void aFileThatIsFollowedHoldsNothingBehindItsEnd() throws Exception {
        write("out", PAIR, pairs(0, ROWS), Map.of());
        FileSourceOptions options = new FileSourceOptions(folder.resolve("out").toString(), new RecordFormat.Read(
                FileFormat.AVRO, Map.of(), PAIR, 0, false, Set.of(), "UTC", true), new Reading(Follow.FAIL_ON_TRUNCATE,
                Replay.AS_FAST_AS_POSSIBLE, false, 1), null, text -> null);
        try (OperatorHarness source = OperatorHarness.of(() -> new FileSource(options)).outputs(PAIR).open()) {
            for (int k = 0; k < 3; k++) {
                while (source.produce() <= source.now) {
                    assertTrue(source.rows(0).size() <= ROWS);
                }
                source.now += FollowedFiles.LOOK_NANOS;
            }
            assertEquals(ROWS, source.rows(0).size());
            source.produce();
            assertTrue(source.stateBytes < 10_000, source.stateBytes + " bytes");
        }
    }

    private String failure(Path path, Schema schema) {
        return assertThrows(IOException.class, () -> read(path, schema)).getMessage();
    }

    @Test
    void whatCannotBeReadIsNamed() throws Exception {
        Path file = folder.resolve("some.avro");
        Files.write(file, new byte[0]);
        assertEquals(file + ": it is no container file of Avro: it does not begin with Obj and 1", failure(file, PAIR));
        byte[] whole = Files.readAllBytes(byAvro(CodecFactory.nullCodec(), 5, 300));
        Files.write(file, whole);
        assertEquals(file + ": none of the columns is in the writer's schema, which has s, n",
                failure(file, Schema.of(new Column("x", Simple.INT, true))));
        assertEquals(file + ": `n` is int in the writer's schema, which cannot be read as DATE",
                failure(file, Schema.of(new Column("n", Simple.DATE, true))).split(";")[0]);
        Files.write(file, Arrays.copyOf(whole, 30));
        assertTrue(failure(file, PAIR).startsWith(file + ": the header of the file is damaged or cut short: "));
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertTrue(failure(file, PAIR).matches(file + " is damaged in the block at byte \\d+: it ends within a block"));
        whole[whole.length - 1]++;
        Files.write(file, whole);
        assertTrue(failure(file, PAIR).endsWith("is not the mark of the file"), failure(file, PAIR));
    }

    @Test
    void recordsWithoutBytesAreBounded() throws Exception {
        org.apache.avro.Schema empty = new org.apache.avro.Schema.Parser().parse("{\"type\": \"record\", \"name\": \"r\", "
                + "\"fields\": [{\"name\": \"n\", \"type\": \"null\"}]}");
        Path file = folder.resolve("empty.avro");
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(empty))) {
            writer.create(empty, file.toFile());
            writer.append(new GenericData.Record(empty));
        }
        Schema none = Schema.of(new Column("n", Simple.INT, true));
        assertEquals(1, read(file, none).size());
        byte[] whole = Files.readAllBytes(file);
        int block = whole.length - 2 - AvroContainer.MARK_BYTES;
        byte[] many = {(byte) 0xFE, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 0x7F};
        Files.write(file, Arrays.copyOf(whole, block));
        Files.write(file, many, StandardOpenOption.APPEND);
        Files.write(file, Arrays.copyOfRange(whole, block + 1, whole.length), StandardOpenOption.APPEND);
        assertTrue(failure(file, none).endsWith("records in 0 bytes; of records without bytes at most 65536 are read"),
                failure(file, none));
    }

    /** What is cut or overwritten fails with the file's name, or gives rows: nothing else, and never for ever. */
    @ParameterizedTest
    @ValueSource(strings = {"null", "snappy", "deflate", "zstandard", "xz", "bzip2"})
    void damageAnywhereIsToldOrPassesForData(String codec) throws Exception {
        byte[] whole = Files.readAllBytes(byAvro(CodecFactory.fromString(codec), 60, 300));
        Path file = folder.resolve("damaged.avro");
        Random random = new Random(7);
        for (int k = 0; k < 150; k++) {
            byte[] damaged = k % 3 == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int n = 0; k % 3 > 0 && n < k % 3; n++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            Files.write(file, damaged);
            try (OperatorHarness source = setup(file, PAIR).skippingBadRecords().open()) {
                int seen = source.produceAll().rows(0).size() + source.badRecords.size();
                assertTrue(seen <= 60 || damaged.length == whole.length, seen + " of a part");
            } catch (IOException told) {
                assertTrue(told.getMessage().startsWith(file.toString()), told.getMessage());
            }
        }
    }
}
