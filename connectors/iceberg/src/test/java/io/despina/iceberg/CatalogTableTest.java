package io.despina.iceberg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.LakeTable.DataFile;
import io.despina.connect.LakeTable.TableFile;
import io.despina.connect.LostException;
import io.despina.connect.Marker;
import io.despina.connect.RefusedException;
import io.despina.expr.Expressions;
import io.despina.expr.FileRowsWriter;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.jdbc.JdbcClientPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of a catalog in SQLite. What another code base has in common with it is in tests/e2e/test_iceberg_catalogs.py. */
class CatalogTableTest {
    private static final String BOX = "box";
    private static final TableIdentifier NAME = TableIdentifier.of("lake", "numbers");
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.BIGINT, true));

    @TempDir
    private Path folder;
    private JdbcCatalog others;
    private int names;
    /** Of the database: how many of the next commits are lost, and whether they are carried out before. */
    private int losses;
    private boolean carriedOut;

    @BeforeEach
    void begin() {
        others = new JdbcCatalog(with -> new LocalFiles(), with -> new JdbcClientPool(1, url(), with), true);
        others.initialize("plant", Map.of(CatalogProperties.URI, url(), CatalogProperties.WAREHOUSE_LOCATION,
                "file://" + lake()));
    }

    @AfterEach
    void end() {
        others.close();
    }

    private String url() {
        return "jdbc:sqlite:" + folder.resolve("catalog.db");
    }

    private Path lake() {
        return folder.resolve("lake");
    }

    /** Loses its connection at a statement that changes something. */
    private Connection connect() throws SQLException {
        Connection to = DriverManager.getConnection(url());
        return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (losses > 0 && method.getName().equals("prepareStatement")
                            && arguments[0].toString().startsWith("UPDATE")) {
                        losses--;
                        return lost(to.prepareStatement(arguments[0].toString()));
                    }
                    return method.invoke(to, arguments);
                });
    }

    private Object lost(PreparedStatement statement) {
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("executeUpdate")) {
                        if (carriedOut) {
                            statement.executeUpdate();
                        }
                        throw new SQLException("connection reset", "08006");
                    }
                    return method.invoke(statement, arguments);
                });
    }

    private ConnectorSettings settings(String... partitions) {
        Map<String, Object> settings = new HashMap<>(Map.of("catalog", "jdbc", "name", "plant", "table", "lake.numbers", "path",
                lake().toString(), "database", (ConnectorSettings.UserDatabase) this::connect, "schema",
                Expressions.parquetSchema(NUMBER)));
        if (partitions.length > 0) {
            settings.put("partition_by", List.of(partitions));
        }
        return new ConnectorSettings(settings);
    }

    private IcebergTable table() throws IOException {
        IcebergTable table = new IcebergTable(settings());
        table.open();
        return table;
    }

    private List<DataFile> file(IcebergTable table, String... partitions) throws IOException {
        try (TableFile made = table.create("part-" + names++ + ".parquet")) {
            Expressions.parquetWriter(made.out(), new FileRowsWriter.Options(NUMBER, Map.of(), "UTC", true)).finish();
            return List.of(made.end(1, List.of(partitions)));
        }
    }

    private long rows() {
        return Long.parseLong(others.loadTable(NAME).currentSnapshot().summary().get("total-records"));
    }

    @Test
    void aTableIsMadeAndOthersWriteToItBetweenTwoEpochs() throws IOException {
        try (IcebergTable one = table(); IcebergTable two = table()) {
            two.append(null, 0, file(two));
            one.append(BOX, 1, file(one));      // it has seen no table when it was opened
            two.append(null, 0, file(two));
            one.append(BOX, 2, file(one));
            assertEquals(Marker.THERE, one.marker(BOX, 2));
            assertEquals(4, rows());
            String location = others.loadTable(NAME).newScan().planFiles().iterator().next().file().location();
            assertTrue(location.startsWith("file://" + lake() + "/lake/numbers/data/part-"), location);
        }
    }

    @Test
    @ConnectorCase("iceberg: killed")
    void aCommitOfWhichNobodyKnowsIsAskedFor() throws IOException {
        try (IcebergTable table = table()) {
            table.append(BOX, 1, file(table));
            for (boolean done : new boolean[] {true, false}) {
                carriedOut = done;
                losses = 1;
                long epoch = done ? 2 : 3;
                List<DataFile> files = file(table);
                assertThrows(LostException.class, () -> table.append(BOX, epoch, files));
                assertEquals(done ? Marker.THERE : Marker.ABSENT, marker(table, epoch));
                assertEquals(2, rows());
                assertEquals(2, count(others.loadTable(NAME).newScan().planFiles()), "what it names is there");
            }
        }
    }

    /** The first look finds that the connection is gone. */
    private static Marker marker(IcebergTable table, long epoch) throws IOException {
        try {
            return table.marker(BOX, epoch);
        } catch (LostException again) {
            return table.marker(BOX, epoch);
        }
    }

    private static int count(Iterable<?> of) {
        int count = 0;
        for (Object each : of) {
            count++;
        }
        return count;
    }

    @Test
    void aTableThatWasDroppedAndMadeAgainIsAnother() throws IOException {
        try (IcebergTable table = table(); IcebergReader reader = new IcebergReader(settings())) {
            table.append(BOX, 1, file(table));
            reader.first();
            String first = reader.identity();
            others.dropTable(NAME, false);
            assertFalse(table.epoch(BOX).isPresent());
            table.append(BOX, 1, file(table));
            reader.first();
            assertNotEquals(first, reader.identity());
            assertEquals(1, rows());
        }
    }

    @Test
    void filesOfThisMachineAreReadBelowOneFolderAlone() throws IOException {
        Map<String, Object> settings = new HashMap<>(settings().fields());
        settings.put("path", folder.resolve("elsewhere").toString());
        try (IcebergTable table = table(); IcebergTable other = new IcebergTable(new ConnectorSettings(settings))) {
            table.append(null, 0, file(table));
            String refused = assertThrows(RefusedException.class, other::open).getMessage();
            assertTrue(refused.startsWith("`table` lake.numbers: its file file:///"), refused);
            assertTrue(refused.endsWith(" is not below `path` of `catalog`, " + folder.resolve("elsewhere")), refused);
        }
    }

    @Test
    void aFileOfThisMachineIsOneHoweverItsSchemeIsWritten() {
        TableFiles files = new TableFiles(folder);
        for (String outside : List.of("FILE:///etc/passwd", "file:///etc/passwd", "file://" + folder + "/../passwd")) {
            assertInstanceOf(RefusedException.class, assertThrows(RuntimeException.class, () -> files.newInputFile(outside))
                    .getCause(), outside);
        }
    }

    /** Some of Hadoop's file systems lead back to this machine. */
    @Test
    void aCatalogNamesFilesInStoresAlone() {
        TableFiles files = new TableFiles(folder);
        for (String outside : List.of("har://file-localhost/etc/passwd", "viewfs://lake/etc/passwd", "http://127.0.0.1/x",
                "S3A://lake/x")) {
            String told = assertThrows(RuntimeException.class, () -> files.address(outside)).getMessage();
            assertTrue(told.startsWith("its file " + outside + " is in none of the stores that a catalog may name: abfs,"), told);
        }
        assertEquals("s3a://lake/x", files.address("s3://lake/x"));
    }

    @Test
    @ConnectorCase("iceberg: refused")
    void whatIsWrongWithACatalogIsTold() throws IOException {
        others.dropTable(NAME);
        try (IcebergReader reader = new IcebergReader(settings())) {
            assertEquals("`table` lake.numbers is not in the catalog", assertThrows(RefusedException.class, reader::first)
                    .getMessage());
        }
        Files.delete(folder.resolve("catalog.db"));
        try (IcebergReader reader = new IcebergReader(settings())) {
            String refused = assertThrows(RefusedException.class, reader::first).getMessage();
            assertTrue(refused.contains("no such table: iceberg_tables"), refused);
        }
    }

    @Test
    void filesThatWaitAreOnThisMachineUntilTheyAreTakenInOrDropped() throws IOException {
        try (IcebergTable table = table()) {
            List<DataFile> dropped = file(table);
            table.drop(dropped);
            List<DataFile> taken = file(table);
            table.append(null, 0, taken);
            assertThrows(IOException.class, () -> table.append(null, 0, taken), "its copy is gone");
            assertEquals(1, rows());
        }
    }
}
