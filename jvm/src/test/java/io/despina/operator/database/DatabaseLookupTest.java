package io.despina.operator.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseLookupTest {
    private static final Schema TABLE = Schema.of(new Column("k", Simple.STRING, true), new Column("odd name", Simple.INT, true));
    private static final Schema OUT = Schema.of(new Column("v", Simple.BIGINT, false), new Column("n", Simple.INT, true));
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path folder;
    private final SwitchedDriver driver = new SwitchedDriver();

    @BeforeEach
    void fill() throws SQLException {
        execute("CREATE TABLE devices (k TEXT, \"odd name\" INTEGER)");
        execute("INSERT INTO devices VALUES ('a', 1), ('b', 2), ('a', NULL)");
    }

    private String url() {
        return "jdbc:sqlite:" + folder.resolve("plant.db");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url()); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** @param most rows in the cache */
    private OperatorHarness.Setup harness(String table, long most) {
        DatabaseOptions.Login login = new DatabaseOptions.Login(new DatabaseSecret(DatabaseSecret.Where.HERE, "me"),
                new DatabaseSecret(DatabaseSecret.Where.FILE, folder.resolve("password").toString()));
        DatabaseTable.Options options = new DatabaseTable.Options(new DatabaseOptions(url(), login, () -> driver,
                ZoneOffset.UTC, 0),
                table, TABLE, List.of("k"), most, SECOND);
        return OperatorHarness.of(() -> new Lookup(new Lookup.Options(Timed.BY_K, TABLE, partition -> (inputs, out) -> {
            out.setColumn(0, inputs[0], 3);
            out.setColumn(1, inputs[1], 1);
        }, true), () -> new DatabaseTable(options))).inputs(Timed.SCHEMA).outputs(OUT);
    }

    private OperatorHarness open(OperatorHarness.Setup setup) throws Exception {
        Files.writeString(folder.resolve("password"), "secret\n");
        return setup.open();
    }

    private static OperatorHarness feed(OperatorHarness harness, String k, long v) throws Exception {
        return harness.feedRow(0, 0L, 1, k, v);
    }

    @Test
    void rowsOfAKeyLeaveAndAnswersAreKeptForAWhile() throws Exception {
        try (OperatorHarness harness = open(harness("devices", 100))) {
            feed(feed(feed(feed(harness, "a", 1), null, 2), "c", 3), "b", 4);
            execute("UPDATE devices SET k = 'c' WHERE k = 'b'");
            feed(feed(harness, "b", 5), "c", 6);
            harness.now += SECOND;
            feed(feed(harness, "b", 7), "c", 8);
            assertEquals(List.of(Rows.row(1L, 1), Rows.row(1L, null), Rows.row(2L, null), Rows.row(3L, null), Rows.row(4L, 2),
                    Rows.row(5L, 2), Rows.row(6L, null), Rows.row(7L, null), Rows.row(8L, 2)), harness.rows(0));
            assertEquals(1, driver.connects);
            assertEquals("{password=secret, user=me}", new java.util.TreeMap<>(driver.properties).toString());
        }
    }

    @Test
    void withoutACacheEachPacketAsks() throws Exception {
        try (OperatorHarness harness = open(harness("(SELECT * FROM devices WHERE k < 'b') d", 0))) {
            feed(feed(harness, "a", 1), "b", 2);
            execute("DELETE FROM devices");
            feed(harness, "a", 3);
            assertEquals(List.of(Rows.row(1L, 1), Rows.row(1L, null), Rows.row(2L, null), Rows.row(3L, null)), harness.rows(0));
        }
    }

    @Test
    void aDatabaseThatGoesAwayIsTriedAgain() throws Exception {
        try (OperatorHarness harness = open(harness("devices", 1).skippingBadRecords())) {
            feed(harness, "b", 1);
            driver.off();
            feed(feed(feed(harness, "b", 2), "a", 3), "c", 4);
            assertEquals(2, driver.connects, "no try within the pause");
            assertEquals(2, harness.badRecords.size());
            driver.on();
            harness.now += SECOND;
            feed(harness, "a", 5);
            assertEquals(List.of(Rows.row(1L, 2), Rows.row(2L, 2), Rows.row(5L, 1), Rows.row(5L, null)), harness.rows(0));
        }
    }

    @Test
    void underFailThePacketIsToldOf() throws Exception {
        try (OperatorHarness harness = open(harness("devices", 0))) {
            driver.off();
            assertTrue(assertThrows(Exception.class, () -> feed(harness, "b", 1)).getMessage().contains("connection refused"));
        }
    }

    @Test
    void whatIsWrongFromTheBeginningIsAnErrorAtOnce() throws Exception {
        assertTrue(assertThrows(SQLException.class, () -> open(harness("machines", 0))).getMessage().contains("machines"));
        Files.delete(folder.resolve("password"));
        assertTrue(assertThrows(SQLException.class, () -> harness("devices", 0).open()).getMessage().contains("password"));
    }

    @Test
    void theCacheKeepsSoManyRowsAndNoMore() throws Exception {
        for (int k = 0; k < 50; k++) {
            execute("INSERT INTO devices VALUES ('key" + k + "', " + k + ")");
        }
        try (OperatorHarness harness = open(harness("devices", 3))) {
            for (long k = 0; k < 50; k++) {
                feed(feed(harness, "key" + k, k), "key0", k);
            }
            long full = harness.stateBytes;
            execute("DELETE FROM devices");
            feed(feed(feed(harness, "key0", 100), "key49", 101), "key1", 102);
            assertEquals(List.of(Rows.row(100L, 0), Rows.row(101L, 49), Rows.row(102L, null)),
                    harness.rows(0).subList(100, 103));
            assertTrue(harness.stateBytes <= full && full < 2_000, full + " bytes");
        }
    }
}
