package io.despina.operator.sink.file;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.expr.Expressions;
import io.despina.operator.OperatorHarness;
import io.despina.operator.disk.FileCodec;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.file.FileSource;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sink does with files that are no lines. */
class OutputFormatsTest {
    private static final Schema TEXT = Schema.of(new Column("s", Simple.STRING, true));

    @TempDir
    Path folder;

    private OperatorHarness.Setup setup(FileFormat format, Map<String, String> options) {
        FileSinkOptions all = new FileSinkOptions(new FileSinkOptions.Place(folder.resolve("out"), false, false, "job"),
                FileSinkOptions.Roll.NEVER, new RecordFormat.Write(format, options, "UTC", true), Expressions::formatter);
        return OperatorHarness.of(() -> new FileSink(all)).inputs(TEXT).skippingBadRecords();
    }

    private static FileSink sink(OperatorHarness harness) {
        return (FileSink) harness.operator();
    }

    private static void epoch(OperatorHarness harness, long epoch) throws Exception {
        OperatorHarness.done(sink(harness).prepare(epoch));
        OperatorHarness.done(sink(harness).commit(epoch));
    }

    private static void finish(OperatorHarness harness, long epoch) throws Exception {
        harness.end();
        sink(harness).finish();
        epoch(harness, epoch);
        sink(harness).succeed();
        harness.close();
    }

    private List<Path> shown() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("out"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("part-")).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void hiddenFilesOfEveryFormatAreKnown(FileFormat format) throws IOException {
        for (String ending : List.of(format.ending(), format.ending() + ".gz", "snappy." + format.ending())) {
            OutputNames part = new OutputNames(new OutputOptions(folder, false, ending, null, false, "job", 0,
                    new LocalDisk()), 0);
            OutputNames single = new OutputNames(new OutputOptions(folder.resolve("one"), true, ending, null, false, "job", 0,
                    new LocalDisk()), 0);
            assertEquals(0, single.instanceOf(".one-00002-17.job." + ending + ".prepared"), ending);
            Path left = part.leftOf(folder.resolve(".part-00000-00003.job." + ending + ".writing"));
            assertEquals(".part-00000-00003.job." + ending + ".left", left.getFileName().toString());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CSV", "AVRO", "XML", "PARQUET"})
    void rowsThatAKilledJobLeftAreNotWrittenOver(FileFormat format) throws Exception {
        String ending = format == FileFormat.PARQUET ? "snappy.parquet" : format.word();
        Path out = Files.createDirectory(folder.resolve("out"));
        Files.writeString(out.resolve(".part-00000-00001.job-tested." + ending + ".writing"), "rows");
        OperatorHarness sink = setup(format, Map.of()).open();
        Path left = out.resolve(".part-00000-00001.job-tested." + ending + ".left");
        assertEquals(List.of(left.toString()), sink.leftBehind());
        sink.feedRow(0, "a");
        finish(sink, 1);
        assertEquals("rows", Files.readString(left));
        assertEquals(1, shown().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "bzip2"})
    void anEpochOfOnlyBadRowsIsPartOfADocument(String compression) throws Exception {
        OperatorHarness sink = setup(FileFormat.XML, Map.of("compression", compression)).attempt(1).open();
        for (int epoch = 1; epoch <= 7; epoch++) {
            sink.feedRow(0, epoch % 2 == 1 ? "\u0001" : "a" + epoch);
            epoch(sink, epoch);
        }
        finish(sink, 8);
        assertEquals(4, sink.badRecords.size());
        String text = new String(unpacked(shown().get(0)), StandardCharsets.UTF_8);
        assertEquals("<ROWS>\n    <ROW>\n        <s>a2</s>\n    </ROW>\n    <ROW>\n        <s>a4</s>\n    </ROW>\n    <ROW>\n"
                + "        <s>a6</s>\n    </ROW></ROWS>", text.substring(text.indexOf("<ROWS>")));
    }

    private static byte[] unpacked(Path file) throws IOException {
        FileCodec codec = FileCodec.ofFile(file.getFileName().toString());
        try (InputStream in = Files.newInputStream(file)) {
            return codec == null ? in.readAllBytes() : codec.unpacked(in, 1 << 12).readAllBytes();
        }
    }

    private List<List<Object>> read(FileFormat format, Schema schema) throws Exception {
        FileSourceOptions all = new FileSourceOptions(folder.resolve("out").toString(), new RecordFormat.Read(format, Map.of(),
                schema, 0, false, Set.of(), "UTC", true), new FileSourceOptions.Reading(Follow.NO, Replay.AS_FAST_AS_POSSIBLE,
                false, 1), null, text -> null);
        try (OperatorHarness source = OperatorHarness.of(() -> new FileSource(all)).outputs(schema).open()) {
            return source.produceAll().rows(0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AVRO", "PARQUET"})
    void aJobThatGoesOnWithOtherColumnsEndsTheFileBefore(FileFormat format) throws Exception {
        Schema wider = Schema.of(new Column("s", Simple.STRING, true), new Column("n", Simple.INT, true));
        OperatorHarness first = setup(format, Map.of()).attempt(1).open();
        first.feedRow(0, "a");
        epoch(first, 1);
        first.feedRow(0, "b");
        epoch(first, 2);
        Map<String, byte[]> kept = first.snapshot();
        first.close();
        for (int attempt = 2; attempt <= 3; attempt++) {
            OperatorHarness next = setup(format, Map.of()).inputs(wider).attempt(attempt).restored().open();
            new Share(0, 1, 256).restore(next.operator().states(), List.of(Snapshots.sections(kept)));
            next.operator().restored();
            OperatorHarness.done(sink(next).commit(2));
            next.feedRow(0, "c", attempt);
            epoch(next, 3);
            next.feedRow(0, "d", attempt);
            if (attempt == 3) {
                finish(next, 4);
            } else {
                next.close();
            }
        }
        assertEquals(List.of("part-00000-00002", "part-00000-00004"), shown().stream()
                .map(file -> file.getFileName().toString().split("\\.")[0]).toList());
        assertEquals(List.of(row("a", null), row("b", null), row("c", 3), row("d", 3)), read(format, wider));
    }
}
