package io.despina.operator.source.file;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.protobuf.ProtoSamples;
import io.despina.operator.sink.file.FileSink;
import io.despina.operator.sink.file.FileSinkOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.orc.protobuf.DynamicMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of Protobuf's messages behind their lengths, beside Protobuf's own library. */
class DelimitedFilesTest {
    private static final Schema PAIR = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final int ROWS = 5_000;
    private static final ProtoSamples SAMPLES = ProtoSamples.of("proto3",
            ProtoSamples.message("R", ProtoSamples.field("n", 1, "int32"), ProtoSamples.field("s", 2, "string")));

    @TempDir
    Path folder;

    private final Map<String, String> options = new HashMap<>(Map.of("messageName", "t.R"));

    @BeforeEach
    void describe() throws IOException {
        options.put("descriptorFile", Files.write(folder.resolve("t.desc"), SAMPLES.descriptors()).toString());
    }

    private OperatorHarness.Setup sink(Path path, boolean single) {
        FileSinkOptions all = new FileSinkOptions(new FileSinkOptions.Place(path, single, false, "job"),
                FileSinkOptions.Roll.NEVER, new RecordFormat.Write(FileFormat.PROTOBUF, options, "UTC", true),
                Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(PAIR);
    }

    private OperatorHarness.Setup source(Path path) {
        FileSourceOptions all = new FileSourceOptions(path.toString(), new RecordFormat.Read(FileFormat.PROTOBUF,
                options, PAIR, 0, false, Set.of(), "UTC", true), new Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE, false, 1),
                null, text -> null);
        return OperatorHarness.of(() -> new FileSource(all)).outputs(PAIR).skippingBadRecords();
    }

    private static List<List<Object>> pairs(int from, int to) {
        return IntStream.range(from, to).mapToObj(k -> row(k, k % 7 == 0 ? "" : "word " + k)).toList();
    }

    /** Writes a folder, or a file, in two epochs. */
    private Path write(String name, boolean single) throws Exception {
        Path out = folder.resolve(name);
        try (OperatorHarness harness = sink(out, single).open()) {
            FileSink sink = (FileSink) harness.operator();
            for (int epoch = 1; epoch <= 2; epoch++) {
                harness.feed(0, pairs((epoch - 1) * ROWS, epoch * ROWS));
                if (epoch == 2) {
                    harness.end();
                }
                OperatorHarness.done(sink.prepare(epoch));
                OperatorHarness.done(sink.commit(epoch));
            }
            sink.succeed();
        }
        return out;
    }

    private List<List<Object>> byProtobuf(InputStream in) throws IOException {
        List<List<Object>> rows = new ArrayList<>();
        var descriptor = SAMPLES.descriptor("R");
        DynamicMessage.Builder message = DynamicMessage.newBuilder(descriptor);
        while (message.mergeDelimitedFrom(in)) {
            rows.add(row(message.getField(descriptor.findFieldByName("n")), message.getField(descriptor.findFieldByName("s"))));
            message = DynamicMessage.newBuilder(descriptor);
        }
        return rows;
    }

    @Test
    void aFileThatIsAddedToIsReadByProtobufAndByUs() throws Exception {
        Path file = write("one.bin", true);
        try (InputStream in = Files.newInputStream(file)) {
            assertEquals(pairs(0, 2 * ROWS), byProtobuf(in));
        }
        try (OperatorHarness source = source(file).open()) {
            assertEquals(pairs(0, 2 * ROWS), source.produceAll().rows(0));
        }
    }

    @Test
    void partsAreNamedAndPackedAsThoseOfText() throws Exception {
        options.put("compression", "gzip");
        Path out = write("out", false);
        Path first = out.resolve("part-00000-00001.protobuf.gz");
        try (InputStream in = FileCodec.GZIP.unpacked(Files.newInputStream(first), 1 << 12)) {
            assertEquals(pairs(0, ROWS), byProtobuf(in));
        }
        for (int calls = 0; calls < 20; calls += 3) {
            try (OperatorHarness source = source(out).room(1 << 14, 1).open()) {
                for (int k = 0; k < calls; k++) {
                    source.produce();
                }
                assertEquals(pairs(0, 2 * ROWS), source.restart().restart().produceAll().rows(0), "after " + calls);
            }
        }
    }

    @Test
    void aRecordThatTheEndCutsOffIsBadAlone() throws Exception {
        byte[] whole = Files.readAllBytes(write("one.bin", true));
        Path file = folder.resolve("cut.bin");
        for (int length = 0; length < 200; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            Files.write(file, part);
            try (OperatorHarness source = source(file).open()) {
                List<List<Object>> rows = source.produceAll().rows(0);
                ByteArrayInputStream in = new ByteArrayInputStream(part);
                List<List<Object>> wanted = new ArrayList<>();
                boolean isWhole = true;
                try {
                    for (int at = in.available(); at > 0; at = in.available()) {
                        int size = in.read();
                        assertTrue(size < 128);
                        byte[] record = in.readNBytes(size);
                        isWhole = record.length == size;
                        if (isWhole) {
                            wanted.add(pairs(wanted.size(), wanted.size() + 1).get(0));
                        }
                    }
                } finally {
                    in.close();
                }
                assertEquals(wanted, rows);
                assertEquals(isWhole ? 0 : 1, source.badRecords.size(), "of " + length);
                if (!isWhole) {
                    String bad = source.badRecords.get(0);
                    String place = file + ":" + (rows.size() + 1) + ": ";
                    assertTrue(bad.startsWith(place + "the file ends within the record, behind "), bad);
                }
            }
        }
    }

    @Test
    void aLengthThatNoneCanHaveFails() throws Exception {
        Path file = folder.resolve("strange.bin");
        Files.write(file, new byte[] {2, 8, 1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 1, 0});
        String told = assertThrows(IOException.class, () -> {
            try (OperatorHarness source = source(file).open()) {
                source.produceAll();
            }
        }).getMessage();
        assertEquals(file + ":2: a record of 536870911 bytes, and at most 16777216 are read: the file is damaged, or its records "
                + "are not behind their lengths", told);
    }
}
