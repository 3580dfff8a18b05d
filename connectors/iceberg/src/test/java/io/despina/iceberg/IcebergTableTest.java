package io.despina.iceberg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeReader.VersionFiles;
import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.Leftovers;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.expr.Expressions;
import io.despina.expr.FileRowsWriter;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables, and what others do to them. What another code base reads and writes is in tests/e2e/test_iceberg.py. */
class IcebergTableTest {
    private static final String BOX = "box";
    private static final int EPOCHS = 6;
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.BIGINT, true));
    private static final Schema NESTED = Schema.of(new Column("n", Simple.BIGINT, true),
            new Column("list", new Type.Array(Simple.INT, true), true));

    @TempDir
    private Path folder;
    private int names;

    /** What others do at the same moment. */
    private interface Others {
        void act() throws IOException;
    }

    /** Lets others do something before a version is made. */
    private final class Meanwhile extends TableFolder {
        private Others beforeCommit = () -> { };

        Meanwhile() {
            super(folder.toString());
        }

        @Override
        public void commit(TableMetadata base, TableMetadata made) {
            Others what = beforeCommit;
            beforeCommit = () -> { };
            try {
                what.act();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            super.commit(base, made);
        }
    }

    private ConnectorSettings settings(Schema schema) {
        return new ConnectorSettings(Map.of("path", folder.toString(), "schema", Expressions.parquetSchema(schema)));
    }

    private IcebergTable table(TableFolder of) throws IOException {
        IcebergTable table = new IcebergTable(settings(NUMBER), of);
        table.open();
        return table;
    }

    private IcebergTable table() throws IOException {
        return table(new TableFolder(folder.toString()));
    }

    private IcebergReader reader(Schema schema) {
        return new IcebergReader(settings(schema));
    }

    private List<DataFile> file(IcebergTable table, Schema schema) throws IOException {
        try (TableFile made = table.create("part-" + names++ + ".parquet")) {
            FileRowsWriter rows = Expressions.parquetWriter(made.out(), new FileRowsWriter.Options(schema, Map.of(), "UTC",
                    true));
            rows.finish();
            return List.of(made.end(1, List.of()));
        }
    }

    private List<DataFile> file(IcebergTable table) throws IOException {
        return file(table, NUMBER);
    }

    private void append() throws IOException {
        IcebergTable table = table();
        table.append(null, 0, file(table));
    }

    private UpdateSchema columns() throws IOException {
        TableFolder found = new TableFolder(folder.toString());
        found.look();
        return new BaseTable(found, "table").updateSchema();
    }

    private BaseTable known() throws IOException {
        TableFolder found = new TableFolder(folder.toString());
        found.look();
        return new BaseTable(found, "table");
    }

    private static List<String> names(VersionFiles of) {
        return of.files().stream().map(each -> Path.of(each.path()).getFileName().toString()).toList();
    }

    @Test
    @ConnectorCase("iceberg: others")
    void anotherWriterThatComesBetweenInEachEpochCostsNoFile() throws IOException {
        Meanwhile meanwhile = new Meanwhile();
        IcebergTable table = table(meanwhile);
        for (long epoch = 1; epoch <= EPOCHS; epoch++) {
            meanwhile.beforeCommit = this::append;
            table.append(BOX, epoch, file(table));
            assertEquals(OptionalLong.of(epoch), table.epoch(BOX));
        }
        IcebergReader reader = reader(NUMBER);
        assertEquals(2 * EPOCHS, reader.first());
        assertEquals(2 * EPOCHS, reader.all(2 * EPOCHS).files().size());
        assertEquals(Long.toString(2 * EPOCHS), Files.readString(folder.resolve("metadata/version-hint.text")));
        try (var left = Files.list(folder.resolve("metadata"))) {
            List<String> own = left.map(each -> each.getFileName().toString()).filter(each -> !each.startsWith("v")).toList();
            assertEquals(2 * EPOCHS * 2, own.size(), "a manifest and a list for each snapshot, and nothing else: " + own);
        }
    }

    @Test
    @ConnectorCase("iceberg: changed")
    void columnsThatOthersChangeMeanwhileAreLookedAt() throws IOException {
        Meanwhile meanwhile = new Meanwhile();
        IcebergTable table = table(meanwhile);
        table.append(BOX, 1, file(table));
        meanwhile.beforeCommit = () -> columns().renameColumn("n", "m").commit();
        List<DataFile> files = file(table);
        assertTrue(assertThrows(RefusedException.class, () -> table.append(BOX, 2, files)).getMessage()
                .contains("has no column `n`"));
    }

    @Test
    @ConnectorCase("iceberg: copies")
    void anEpochIsTakenInOnceAndAnOlderCopyOfAStateIsRefused() throws IOException {
        IcebergTable table = table();
        assertEquals(Marker.ABSENT, table.marker(BOX, 5));
        table.append(BOX, 5, file(table));
        assertEquals(Marker.THERE, table.marker(BOX, 5));
        assertEquals(Marker.ABSENT, table.marker(BOX, 6));
        List<DataFile> again = file(table);
        assertThrows(LostException.class, () -> table.append(BOX, 5, again));
        assertTrue(assertThrows(RefusedException.class, () -> table.marker(BOX, 4)).getMessage()
                .contains("has its epoch 5: the state folder is an older copy"));
    }

    @Test
    @ConnectorCase("iceberg: gone")
    void aMarkOutlivesItsSnapshotAndGoesWhenItIsForgotten() throws Exception {
        IcebergTable table = table();
        table.append(BOX, 1, file(table));
        append();
        known().expireSnapshots().expireOlderThan(System.currentTimeMillis() + 1).retainLast(1).commit();
        assertEquals(Marker.THERE, table.marker(BOX, 1));
        String there = new IcebergConnector().leftovers(settings(NUMBER), new Leftovers(List.of(BOX, "other"), false, 1));
        assertEquals("among the properties of " + folder + ": the marker of box", there);
        new IcebergConnector().leftovers(settings(NUMBER), new Leftovers(List.of(BOX), true, 1));
        assertEquals("no marker in " + folder,
                new IcebergConnector().leftovers(settings(NUMBER), new Leftovers(List.of(BOX), false, 1)));
        assertTrue(assertThrows(RefusedException.class, () -> reader(NUMBER).added(1)).getMessage()
                .contains("has no longer the snapshot with number 1"));
    }

    @Test
    void whatLaterSnapshotsAddIsFollowedAndOtherFilesOfTheSameRowsAreNot() throws IOException {
        append();
        IcebergReader reader = reader(NUMBER);
        assertEquals(List.of("part-0.parquet"), names(reader.all(1)));
        assertNull(reader.added(2));
        append();
        assertEquals(List.of("part-1.parquet"), names(reader.added(2)));
        assertEquals(List.of("part-0.parquet", "part-1.parquet"), names(reader.all(2)));
        BaseTable table = known();
        var file = table.newScan().planFiles().iterator().next().file();
        table.newRewrite().deleteFile(file).addFile(org.apache.iceberg.DataFiles.builder(table.spec()).copy(file)
                .withPath(file.location() + "x").build()).commit();
        assertEquals(new VersionFiles(List.of(), false), reader.added(3));
        table.newDelete().deleteFile(file.location() + "x").commit();
        assertTrue(reader.added(4).changes());
    }

    @Test
    void columnsAreFoundByTheirIdsInListsToo() throws IOException {
        IcebergTable table = new IcebergTable(settings(NESTED), new TableFolder(folder.toString()));
        table.open();
        table.append(null, 0, file(table, NESTED));
        columns().renameColumn("n", "number").commit();
        columns().addColumn("n", Types.LongType.get()).commit();
        Schema later = Schema.of(new Column("NUMBER", Simple.BIGINT, true), new Column("n", Simple.BIGINT, true),
                new Column("list", new Type.Array(Simple.INT, true), true));
        append();
        var files = reader(later).all(2).files();
        assertEquals(Arrays.asList("n", null, "list"), files.get(0).names().load());
        assertEquals(Arrays.asList(null, "n", null), files.get(1).names().load());
        Footer.Node list = Footer.read(known().io().newInputFile(files.get(0).path())).child("list");
        var type = known().schema().findField("list");
        assertEquals(type.fieldId(), list.id());
        assertEquals(type.type().asListType().elementId(), list.children().get(0).children().get(0).id());
    }

    @Test
    void aTableThatWasMadeAgainIsAnother() throws IOException {
        TableFolder found = new TableFolder(folder.toString());
        IcebergTable table = table(found);
        table.append(BOX, 1, file(table));
        List<Path> all = new ArrayList<>();
        try (var files = Files.list(folder.resolve("metadata"))) {
            files.forEach(all::add);
        }
        for (Path each : all) {
            Files.delete(each);
        }
        assertNull(found.look());
        assertFalse(table.epoch(BOX).isPresent());
        table.append(BOX, 1, file(table));
        assertEquals(1, reader(NUMBER).first());
    }

    /** A file as add_files takes it in: without ids, by the names that the table says. */
    private void withoutIds(Schema schema, String mapping) throws IOException {
        append();
        Path file = folder.resolve("data/plain.parquet");
        try (var out = Files.newOutputStream(file)) {
            Expressions.parquetWriter(out, new FileRowsWriter.Options(schema, Map.of(), "UTC", true)).finish();
        }
        BaseTable table = known();
        table.updateProperties().set("schema.name-mapping.default", mapping).commit();
        known().newAppend().appendFile(org.apache.iceberg.DataFiles.builder(table.spec()).withPath("file://" + file)
                .withFileSizeInBytes(Files.size(file)).withRecordCount(1).build()).commit();
    }

    private List<String> names(Schema of) throws IOException {
        return reader(of).all(2).files().stream().filter(each -> each.path().endsWith("plain.parquet")).findFirst().orElseThrow()
                .names().load();
    }

    @Test
    void filesWithoutIdsAreReadByTheNamesThatTheTableHasForThem() throws IOException {
        Schema plain = Schema.of(new Column("old", Simple.BIGINT, true));
        withoutIds(plain, "[{\"field-id\": 1, \"names\": [\"n\", \"old\"]}]");
        assertEquals(List.of("old"), names(NUMBER));
    }

    @Test
    void aFieldWithinAStructThatHasAnotherNameInAFileWithoutIdsIsTold() throws IOException {
        Type.Struct before = new Type.Struct(List.of(new Column("x", Simple.BIGINT, true),
                new Column("old", Simple.BIGINT, true)));
        append();
        columns().addColumn("s", Types.StructType.of(Types.NestedField.optional(10, "x", Types.LongType.get()),
                Types.NestedField.optional(11, "y", Types.LongType.get()))).commit();
        int s = known().schema().findField("s").fieldId();
        int x = known().schema().findField("s.x").fieldId();
        int y = known().schema().findField("s.y").fieldId();
        String mapping = "[{\"field-id\": %d, \"names\": [\"s\"], \"fields\": [{\"field-id\": %d, \"names\": [\"x\"]}, "
                + "{\"field-id\": %d, \"names\": [\"y\"%s]}]}]";
        Path file = folder.resolve("data/plain.parquet");
        try (var out = Files.newOutputStream(file)) {
            Expressions.parquetWriter(out, new FileRowsWriter.Options(Schema.of(new Column("s", before, true)), Map.of(), "UTC",
                    true)).finish();
        }
        known().newAppend().appendFile(org.apache.iceberg.DataFiles.builder(known().spec()).withPath("file://" + file)
                .withFileSizeInBytes(Files.size(file)).withRecordCount(1).build()).commit();
        Schema now = Schema.of(new Column("s", new Type.Struct(List.of(new Column("x", Simple.BIGINT, true),
                new Column("y", Simple.BIGINT, true))), true));
        known().updateProperties().set("schema.name-mapping.default", mapping.formatted(s, x, y, "")).commit();
        assertEquals(List.of("s"), names(now), "it has no y, which is NULL");
        known().updateProperties().set("schema.name-mapping.default", mapping.formatted(s, x, y, ", \"old\"")).commit();
        assertTrue(assertThrows(RefusedException.class, () -> names(now)).getMessage()
                .endsWith("has other names for what is within `s`, which is not read yet"));
    }

    @Test
    void aFileWithADamagedFooterIsNamed() throws IOException {
        append();
        var file = reader(NUMBER).all(1).files().get(0);
        byte[] whole = Files.readAllBytes(Path.of(file.path()));
        int footer = whole.length - 8 - java.nio.ByteBuffer.wrap(whole, whole.length - 8, 4)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt();
        for (int cut : new int[] {0, 5, whole.length - 1, footer}) {
            byte[] damaged = Arrays.copyOf(whole, cut == footer ? whole.length : cut);
            if (cut == footer) {
                Arrays.fill(damaged, footer, whole.length - 8, (byte) -1);
            }
            Files.write(Path.of(file.path()), damaged);
            assertTrue(assertThrows(RefusedException.class, file.names()::load).getMessage()
                    .contains(file.path() + " is no parquet file, or is damaged"), "cut to " + cut);
        }
        Files.delete(Path.of(file.path()));
        assertThrows(java.io.FileNotFoundException.class, file.names()::load);
    }
}
