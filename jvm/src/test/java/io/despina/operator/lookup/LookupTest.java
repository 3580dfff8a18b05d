package io.despina.operator.lookup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Expressions;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.file.FileSink;
import io.despina.operator.sink.file.FileSinkOptions;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Replay;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LookupTest {
    private static final Schema TABLE = Schema.of(new Column("k", Simple.STRING, true), new Column("n", Simple.INT, true));
    private static final Schema OUT = Schema.of(new Column("v", Simple.BIGINT, false), new Column("n", Simple.INT, true));
    private static final Compiled<Projection> ROW = partition -> (inputs, out) -> {
        if (inputs[0].getLong(3) == 13) {
            throw new IllegalArgumentException("not this one");
        }
        out.setColumn(0, inputs[0], 3);
        out.setColumn(1, inputs[1], 1);
    };
    private static final long RELOAD = 1_000;

    @TempDir
    Path folder;

    private OperatorHarness.Setup harness(boolean left) {
        return harness(left, FileFormat.CSV);
    }

    private OperatorHarness.Setup harness(boolean left, FileFormat format) {
        return harness(left, format, folder + "/*." + format.word(), Map.of());
    }

    private static OperatorHarness.Setup harness(boolean left, FileFormat format, String path, Map<String, String> file) {
        FileSourceOptions files = new FileSourceOptions(path, new RecordFormat.Read(format,
                file, TABLE, 2, false, Set.of(), "UTC", true), new FileSourceOptions.Reading(Follow.NO,
                Replay.AS_FAST_AS_POSSIBLE, false, 1), null, Expressions::parser);
        FileTable.Options table = new FileTable.Options(files, new Keys(Timed.KEY, Timed.columns(0), 256), RELOAD);
        return OperatorHarness.of(() -> new Lookup(new Lookup.Options(Timed.BY_K, TABLE, ROW, left), () -> new FileTable(table)))
                .inputs(Timed.SCHEMA).outputs(OUT);
    }

    /** Through Hadoop's viewfs, which is a file system of its own and mounts a folder of this machine. */
    private static OperatorHarness.Setup mounted(FileFormat format, String name, Path folder) {
        return harness(true, format, "viewfs://tables/data/" + name, Map.of("fs.viewfs.mounttable.tables.link./data",
                folder.toUri().toString()));
    }

    private void table(String... lines) throws IOException {
        Path beside = folder.resolve("beside");
        Files.writeString(beside, String.join("\n", lines) + "\n");
        Files.move(beside, folder.resolve("table.csv"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aHeaderThatDoesNotFitIsToldWithoutFieldsThatALookupLacks() throws Exception {
        table("key,n", "a,1");
        OperatorHarness.Setup setup = harness(true, FileFormat.CSV, folder + "/*.csv", Map.of("header", "true"));
        String said = assertThrows(IOException.class, setup::open).getMessage();
        assertTrue(said.contains("its column 1 is `key`, the schema's is `k`; write the schema with"), said);
        assertTrue(said.contains("enforceSchema") && !said.contains("columns_by"), said);
    }

    private static OperatorHarness feed(OperatorHarness harness, String k, long v) throws Exception {
        return harness.feedRow(0, 0L, 1, k, v);
    }

    @Test
    void allRowsOfAKeyLeaveWhateverRoomThereIs() throws Exception {
        table("a,1", "b,2", "a,3", "a,4", ",5");
        try (OperatorHarness harness = harness(true).room(1, 1).open()) {
            harness.feed(0, List.of(Rows.row(0L, 1, "a", 1L), Rows.row(0L, 1, null, 2L), Rows.row(0L, 1, "c", 3L),
                    Rows.row(0L, 1, "b", 4L)));
            assertEquals(List.of(Rows.row(1L, 1), Rows.row(1L, 3), Rows.row(1L, 4), Rows.row(2L, null), Rows.row(3L, null),
                    Rows.row(4L, 2)), harness.rows(0));
        }
    }

    @Test
    void innerLeavesOutThoseWithoutARow() throws Exception {
        table("a,1");
        try (OperatorHarness harness = harness(false).skippingBadRecords().open()) {
            feed(feed(feed(feed(harness, null, 1), "b", 2), "a", 3), "a", 13).end();
            assertEquals(List.of(Rows.row(3L, 1)), harness.rows(0));
            assertEquals(List.of("not this one"), harness.badRecords);
        }
    }

    @Test
    void aTableThatChangesIsReadAgainAtItsInterval() throws Exception {
        table("a,1");
        try (OperatorHarness harness = harness(true).open()) {
            feed(harness, "a", 1);
            table("a,20");
            feed(harness, "a", 2);
            harness.now += RELOAD;
            feed(harness, "a", 3);
            Files.writeString(folder.resolve("more.csv"), "a,300\n");
            harness.now += RELOAD;
            feed(harness, "a", 4);
            assertEquals(List.of(Rows.row(1L, 1), Rows.row(2L, 1), Rows.row(3L, 20), Rows.row(4L, 300), Rows.row(4L, 20)),
                    harness.rows(0));
        }
    }

    /** Writes a parquet file beside the table's, and renames it. */
    private void parquetTable(Schema schema, List<List<Object>> rows) throws Exception {
        Path beside = folder.resolve("beside");
        FileSinkOptions options = new FileSinkOptions(new FileSinkOptions.Place(beside, true, true, "graph"),
                FileSinkOptions.Roll.NEVER, new RecordFormat.Write(FileFormat.PARQUET, Map.of(), "UTC", true),
                Expressions::formatter);
        try (OperatorHarness harness = OperatorHarness.of(() -> new FileSink(options)).inputs(schema).open()) {
            FileSink sink = (FileSink) harness.operator();
            harness.feed(0, rows);
            harness.end();
            sink.prepare(1);
            sink.commit(1);
        }
        Files.move(beside, folder.resolve("table.parquet"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void aParquetTableIsReadByNamesAndReadAgain() throws Exception {
        Schema stored = Schema.of(new Column("more", Simple.BINARY, true), new Column("n", Simple.INT, true),
                new Column("K", Simple.STRING, true));
        parquetTable(stored, List.of(Rows.row(null, 1, "a"), Rows.row(null, null, "b"), Rows.row(null, 3, null)));
        try (OperatorHarness harness = harness(true, FileFormat.PARQUET).skippingBadRecords().open()) {
            feed(feed(feed(harness, "a", 1), "b", 2), null, 3);
            parquetTable(Schema.of(TABLE.column(0)), List.of(Rows.row("a"), Rows.row("a")));
            harness.now += RELOAD;
            feed(harness, "a", 4);
            Files.writeString(folder.resolve("table.parquet"), "no parquet");
            harness.now += RELOAD;
            feed(harness, "a", 5);
            assertTrue(harness.warnings.get(0).contains("table.parquet"));
            assertEquals(List.of(Rows.row(1L, 1), Rows.row(2L, null), Rows.row(3L, null), Rows.row(4L, null), Rows.row(4L, null),
                    Rows.row(5L, null), Rows.row(5L, null)), harness.rows(0));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CSV", "JSON"})
    void aTableOfHadoopsFileSystemIsReadAgain(FileFormat format) throws Exception {
        String row = format == FileFormat.CSV ? "a,%d\n" : "{\"k\": \"a\", \"n\": %d}\n";
        String ending = "." + format.word();
        Files.writeString(folder.resolve("one" + ending), row.formatted(1));
        try (OperatorHarness harness = mounted(format, "*" + ending, folder).skippingBadRecords().open()) {
            feed(harness, "a", 1);
            Files.writeString(folder.resolve("two" + ending), row.formatted(20));
            feed(harness, "a", 2);
            harness.now += RELOAD;
            feed(harness, "a", 3);
            Files.writeString(folder.resolve("two" + ending), "a,b,c\n");
            harness.now += RELOAD;
            feed(harness, "a", 4);
            Files.delete(folder.resolve("two" + ending));
            harness.now += RELOAD;
            feed(harness, "a", 5);
            assertEquals(List.of(Rows.row(1L, 1), Rows.row(2L, 1), Rows.row(3L, 1), Rows.row(3L, 20), Rows.row(4L, 1),
                    Rows.row(4L, 20), Rows.row(5L, 1)), harness.rows(0));
            assertEquals(1, harness.warnings.size(), harness.warnings::toString);
            assertTrue(harness.warnings.get(0).contains("viewfs://tables/data/two" + ending + ":1: "), harness.warnings.get(0));
        }
    }

    @Test
    void eachJobHasTheFileSystemThatItsOptionsSay() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        parquetTable(TABLE, List.of(Rows.row("a", 1)));
        Files.move(folder.resolve("table.parquet"), other.resolve("table.parquet"));
        parquetTable(TABLE, List.of(Rows.row("a", 20)));
        try (OperatorHarness one = mounted(FileFormat.PARQUET, "table.parquet", other).open();
                OperatorHarness another = mounted(FileFormat.PARQUET, "table.parquet", folder).open();
                OperatorHarness again = mounted(FileFormat.PARQUET, "other/*.parquet", folder).open()) {
            assertEquals(List.of(Rows.row(1L, 1)), feed(one, "a", 1).rows(0));
            assertEquals(List.of(Rows.row(1L, 20)), feed(another, "a", 1).rows(0));
            assertEquals(List.of(Rows.row(1L, 1)), feed(again, "a", 1).rows(0));
        }
    }

    @Test
    void aTableThatIsNotOnHadoopsFileSystemIsNamed() throws Exception {
        Files.writeString(folder.resolve("table.parquet"), "no parquet");
        assertTrue(refusal("none.csv", FileFormat.CSV).startsWith("no file at viewfs://tables/data/none.csv; check "));
        String damaged = refusal("table.parquet", FileFormat.PARQUET);
        assertTrue(damaged.startsWith("viewfs://tables/data/table.parquet cannot be read as parquet: "), damaged);
        String nowhere = assertThrows(IOException.class, () -> harness(true, FileFormat.CSV, "nosuch://here/a", Map.of()).open())
                .getMessage();
        assertTrue(nowhere.startsWith("nosuch://here/a: there is no file system for it: "), nowhere);
    }

    private String refusal(String name, FileFormat format) {
        return assertThrows(IOException.class, () -> mounted(format, name, folder).open()).getMessage();
    }

    @Test
    void aTableThatCannotBeReadAgainFailsOrStays() throws Exception {
        table("a,1");
        try (OperatorHarness failing = harness(true).open();
                OperatorHarness staying = harness(true).skippingBadRecords().open()) {
            table("a,20", "b,many");
            failing.now += RELOAD;
            assertTrue(assertThrows(IOException.class, () -> feed(failing, "a", 1)).getMessage().contains("table.csv:2"));
            staying.now += RELOAD;
            feed(staying, "a", 2);
            assertTrue(staying.warnings.get(0).contains("table.csv:2"));
            table("a,30");
            staying.now += RELOAD;
            feed(staying, "a", 3);
            assertEquals(List.of(Rows.row(2L, 1), Rows.row(3L, 30)), staying.rows(0));
        }
    }

    @Test
    void aTableThatIsMissingOrBadIsAnErrorAtOnce() throws Exception {
        assertThrows(IOException.class, () -> harness(true).open());
        table("a,1", "a,1,1");
        assertTrue(assertThrows(IOException.class, () -> harness(true).skippingBadRecords().open()).getMessage()
                .contains("table.csv:2"));
    }

    @Test
    void aTableThatIsTooLargeFails() throws Exception {
        String[] lines = new String[20_000];
        for (int k = 0; k < lines.length; k++) {
            lines[k] = "key" + k + "," + k;
        }
        table(lines);
        assertThrows(IllegalStateException.class, () -> harness(true).memory(500_000).open());
        try (OperatorHarness harness = harness(true).open()) {
            assertTrue(harness.stateBytes > 500_000);
            assertEquals(List.of(Rows.row(1L, 777)), feed(harness, "key777", 1).rows(0));
        }
    }
}
