package io.despina.operator.database.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseSecret;
import io.despina.operator.database.PostgresServer;
import io.despina.operator.database.TestDatabase;
import io.despina.operator.database.source.JdbcSourceOptions.From;
import io.despina.operator.database.source.JdbcSourceOptions.Times;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows out of real databases. */
class JdbcSourceTest {
    private static final Schema IN = Schema.of(new Column("id", Simple.BIGINT, true), new Column("name", Simple.STRING, true));
    private static final Times ONCE = new Times(false, 0, 0);
    private static final Times FOLLOWING = new Times(true, 0, 1);

    @TempDir
    Path folder;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private TestDatabase database;
    private OperatorHarness source;

    @AfterEach
    void close() throws IOException, InterruptedException {
        if (source != null) {
            source.close();
        }
        threads.shutdown();
        assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES), "the thread that reads does not end");
    }

    private void database(TestDatabase of, String... statements) throws SQLException {
        database = of;
        database.prepare(folder);
        database.execute(statements);
    }

    private OperatorHarness open(DatabaseOptions options, From from, Schema schema, Times times) throws Exception {
        JdbcSourceOptions all = new JdbcSourceOptions(options, from, schema, times, null, 60_000, threads);
        source = OperatorHarness.of(() -> new JdbcSource(all, TestDatabase.waiting(new ArrayList<>()))).outputs(schema)
                .skippingBadRecords().open();
        return source;
    }

    private OperatorHarness open(int column, Times times) throws Exception {
        return open(database.options(), new From("t", null, column, 100), IN, times);
    }

    /** Calls the source until it has given so many rows, or has ended. */
    private List<String> rows(int count) throws Exception {
        int woken = -1;
        while (count == ALL || source.rows(0).size() + source.badRecords.size() < count) {
            int now = source.wakes.get();
            long next = now == woken ? Source.WHEN_WOKEN : source.produce();
            if (next == Source.ENDED) {
                break;
            }
            woken = next == Source.WHEN_WOKEN ? now : -1;
            TimeUnit.MICROSECONDS.sleep(next == Source.WHEN_WOKEN ? 200 : 0);
        }
        return texts(source.rows(0));
    }

    private static List<String> texts(List<List<Object>> rows) {
        return rows.stream().map(row -> String.join(",", row.stream().map(String::valueOf).toList())).toList();
    }

    private static final int ALL = Integer.MAX_VALUE;

    private static String numbers(int from, int to) {
        return "INSERT INTO t SELECT id, 'n' || id FROM (" + String.join(" UNION ALL ", LongStream.range(from, to)
                .mapToObj(k -> "SELECT " + k + " AS id").toList()) + ") q";
    }

    private static List<String> expected(int from, int to) {
        return LongStream.range(from, to).mapToObj(k -> k + ",n" + k).toList();
    }

    @ParameterizedTest
    @EnumSource
    void aTableIsReadOnceInTheOrderOfItsColumn(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (name VARCHAR(10), id BIGINT)", "INSERT INTO t VALUES ('n2', 2), ('n0', 0), ('n1', 1)");
        open(0, ONCE);
        assertEquals(expected(0, 3), rows(ALL));
    }

    @ParameterizedTest
    @EnumSource
    void aQueryIsReadAsItIs(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (id BIGINT, name VARCHAR(10))", numbers(0, 50));
        open(database.options(), new From(null, "SELECT id + 1 AS n, name AS Label FROM t WHERE id < 3 ORDER BY id DESC",
                From.NONE, 10), Schema.of(new Column("label", Simple.STRING, true), new Column("n", Simple.INT, true)), ONCE);
        assertEquals(List.of("n2,3", "n1,2", "n0,1"), rows(ALL));
    }

    @ParameterizedTest
    @EnumSource
    void rowsThatComeAreReadOnceEach(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (id BIGINT, name VARCHAR(10))", numbers(0, 10));
        open(0, FOLLOWING);
        assertEquals(expected(0, 10), rows(10));
        database.execute("INSERT INTO t VALUES (9, 'other'), (9, 'n9'), (10, 'n10')");
        List<String> all = rows(13);
        assertEquals(List.of("9,n9", "9,other"), all.subList(10, 12).stream().sorted().toList());
        assertEquals("10,n10", all.get(12));
        database.execute("INSERT INTO t VALUES (10, 'n10')");
        assertEquals("10,n10", rows(14).get(13));
    }

    @ParameterizedTest
    @EnumSource
    void aNullInTheColumnIsABadRecord(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (id BIGINT, name VARCHAR(10))",
                "INSERT INTO t VALUES (1, 'n1'), (NULL, 'lost'), (2, NULL)");
        open(0, ONCE);
        assertEquals(List.of("1,n1", "2,null"), rows(ALL));
        assertEquals(List.of("`column` id is NULL: id: null, name: lost"), source.badRecords);
    }

    @ParameterizedTest
    @EnumSource
    void aValueThatTheSchemaHasNoRoomForIsABadRecord(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (id BIGINT, name VARCHAR(10))",
                "INSERT INTO t VALUES (1, 'a'), (3000000000, 'b'), (2, 'c')");
        Schema narrow = Schema.of(new Column("id", Simple.INT, true));
        open(database.options(), new From("t", null, From.NONE, 10), narrow, ONCE);
        assertEquals(List.of("1", "2"), rows(ALL));
        assertEquals(1, source.badRecords.size());
        assertTrue(source.badRecords.get(0).contains("3000000000 does not fit the schema"), source.badRecords.toString());
        assertEquals(of == TestDatabase.SQLITE ? 0 : 1, source.warnings.size(), source.warnings.toString());
    }

    @ParameterizedTest
    @EnumSource
    void itGoesOnBehindWhatItHasSent(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (id BIGINT, name VARCHAR(10))", numbers(0, 300),
                "INSERT INTO t SELECT 150, 'm' || id FROM t WHERE id < 60");
        for (int cut : List.of(0, 1, 150, 151, 180, 211, 359, 360)) {
            open(0, ONCE);
            List<String> first = new ArrayList<>(rows(cut));
            Map<String, byte[]> at = source.snapshot();
            int sent = first.size();
            source.restart(at);
            List<String> all = new ArrayList<>(rows(ALL));
            assertEquals(360, all.size(), "cut at " + sent);
            assertEquals(360, all.stream().distinct().count());
            source.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void equalValuesAtThePlaceAreToldApartOverARestart(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (id BIGINT, name VARCHAR(10))",
                "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (2, 'b'), (2, 'c')");
        open(0, ONCE);
        assertEquals(4, rows(ALL).size());
        Map<String, byte[]> at = source.snapshot();
        database.execute("INSERT INTO t VALUES (2, 'b'), (2, 'd'), (3, 'e')");
        source.restart(at);
        List<String> more = rows(ALL).subList(4, 7);
        assertEquals(List.of("2,b", "2,d", "3,e"), more.stream().sorted().toList());
    }

    @Test
    @ConnectorCase("jdbc: others")
    void aTransactionThatEndsLateLosesNoRowWithinItsTime() throws Exception {
        database(TestDatabase.POSTGRESQL, "CREATE TABLE t (ts TIMESTAMPTZ DEFAULT now(), id BIGINT)");
        Schema schema = Schema.of(new Column("ts", Simple.TIMESTAMP, true), new Column("id", Simple.BIGINT, true));
        open(database.options(), new From("t", null, 0, 10), schema, new Times(true, 2_000, 1));
        try (Connection late = database.connect(); Statement statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute("INSERT INTO t (id) VALUES (1)");
            database.execute("INSERT INTO t (id) VALUES (2)");
            late.commit();
        }
        assertEquals(List.of("1", "2"), rows(2).stream().map(row -> row.split(",")[1]).toList());
    }

    @ParameterizedTest
    @EnumSource
    void timesAreReadWhenTheyHaveSettled(TestDatabase of) throws Exception {
        database(of, "CREATE TABLE t (ts TIMESTAMP, id BIGINT)");
        Schema schema = Schema.of(new Column("ts", Simple.TIMESTAMP_NTZ, true), new Column("id", Simple.BIGINT, true));
        String[] times = of == TestDatabase.SQLITE ? new String[] {"1000", "99999999999000"}
                : new String[] {"TIMESTAMP '1970-01-01 00:00:01'", "TIMESTAMP '5138-11-16 09:46:39'"};
        database.execute("INSERT INTO t VALUES (" + times[0] + ", 1), (" + times[1] + ", 2), (NULL, 3)");
        open(database.options(), new From("t", null, 0, 10), schema, new Times(true, 1_000, 1));
        source.now = TimeUnit.DAYS.toNanos(20_000);
        rows(2);
        database.execute("INSERT INTO t VALUES (" + times[0] + ", 4)");
        assertEquals(List.of("1000000,1", "1000000,4"), rows(3));
        assertEquals(1, source.badRecords.size());
    }

    @Test
    @ConnectorCase("jdbc: cut")
    void aConnectionThatIsCutIsMadeAgainWithinARead() throws Exception {
        database(TestDatabase.POSTGRESQL, "CREATE TABLE t AS SELECT id, 'n' || id AS name FROM generate_series(0, 99999) id");
        open(0, ONCE);
        rows(1000);
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
        List<String> all = rows(ALL);
        assertEquals(100_000, all.size());
        assertEquals(expected(0, 100_000), all);
        assertEquals(1, source.warnings.size(), source.warnings.toString());
    }

    @Test
    void aReadWithoutAColumnCannotGoOn() throws Exception {
        database(TestDatabase.POSTGRESQL, "CREATE TABLE t AS SELECT id, 'n' || id AS name FROM generate_series(0, 99999) id");
        open(From.NONE, ONCE);
        rows(1000);
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
        IOException why = assertThrows(IOException.class, () -> rows(ALL));
        assertTrue(why.getMessage().endsWith("; the query has no `column` by which it could be read on"), why.getMessage());
    }

    @Test
    @ConnectorCase("jdbc: killed")
    void aServerThatIsAwayAndBackIsReadOn() throws Exception {
        PostgresServer server = PostgresServer.create();
        try {
            server.execute("CREATE TABLE t AS SELECT id, 'n' || id AS name FROM generate_series(0, 9) id");
            open(new DatabaseOptions(server.url(), new DatabaseOptions.Login(new DatabaseSecret(DatabaseSecret.Where.HERE,
                    "postgres"), null), org.postgresql.Driver::new, ZoneId.of("UTC"), 0),
                    new From("t", null, 0, 10), IN, FOLLOWING);
            rows(10);
            server.kill();
            server.start();
            server.execute("INSERT INTO t VALUES (10, 'n10')");
            assertEquals(expected(0, 11), rows(11));
        } finally {
            server.remove();
        }
    }

    private String refusal(From from, Schema schema) {
        HintedException why = assertThrows(HintedException.class, () -> open(database.options(), from, schema, ONCE));
        return why.getMessage() + " -> " + why.hint() + " " + why.name() + why.known();
    }

    @Test
    void whatIsMissingIsToldAtTheStart() throws Exception {
        database(TestDatabase.POSTGRESQL, "CREATE TABLE readings (id BIGINT, label TEXT, at TIMESTAMPTZ)");
        String missing = refusal(new From("reading", null, From.NONE, 10), IN);
        assertEquals("`table`: ERROR: relation \"reading\" does not exist; Position: 15 -> null reading[readings]", missing);
        assertEquals("`schema`: `table` has no column `name`; it has id, label, at -> a query may rename it: SELECT … AS name "
                + "name[id, label, at]", refusal(new From("readings", null, From.NONE, 10), IN));
        assertTrue(refusal(new From(null, "SELEC 1", From.NONE, 10), IN).startsWith("`query`: ERROR: syntax error"));
        assertTrue(refusal(new From("readings", null, From.NONE, 10), Schema.of(new Column("label", Simple.INT, true)))
                .startsWith("`schema`: column `label` is text, and the schema has INT -> write its type"));
        assertTrue(refusal(new From("readings", null, From.NONE, 10), Schema.of(new Column("at", Simple.TIMESTAMP_NTZ, true)))
                .startsWith("`schema`: column `at` is timestamptz, and the schema has TIMESTAMP_NTZ"));
    }

    @Test
    @ConnectorCase("jdbc: changed")
    void aColumnThatIsDroppedOrRenamedMeanwhileIsNamed() throws Exception {
        for (String change : List.of("DROP COLUMN name", "RENAME COLUMN name TO label")) {
            database(TestDatabase.POSTGRESQL, "CREATE TABLE t (id BIGINT, name TEXT)", numbers(0, 10));
            open(0, FOLLOWING);
            rows(10);
            database.execute("ALTER TABLE t " + change);
            HintedException why = assertThrows(HintedException.class, () -> rows(ALL));
            assertEquals("`schema`: `table` has no column `name`; it has id" + (change.startsWith("DROP") ? "" : ", label"),
                    why.getMessage());
            source.close();
        }
    }

    /** PostgreSQL keeps a plan of a statement that comes again and again, and refuses it then. */
    @Test
    @ConnectorCase("jdbc: changed")
    void aColumnThatGetsAnotherTypeMeanwhileIsReadOn() throws Exception {
        database(TestDatabase.POSTGRESQL, "CREATE TABLE t (id BIGINT, name VARCHAR(3))", numbers(0, 1));
        open(0, FOLLOWING);
        rows(1);
        for (int k = 1; k < 20; k++) {
            database.execute(numbers(k, k + 1));
            rows(k + 1);
        }
        database.execute("ALTER TABLE t ALTER name TYPE VARCHAR(9)", numbers(100_000, 100_001));
        assertEquals("100000,n100000", rows(21).get(20));
    }

    @Test
    @ConnectorCase("jdbc: bad")
    void narrowColumnsAreTold() throws Exception {
        database(TestDatabase.POSTGRESQL, "CREATE TABLE t (id BIGINT, name NUMERIC(10, 4))");
        open(database.options(), new From("t", null, From.NONE, 10), Schema.of(new Column("id", Simple.SMALLINT, true),
                new Column("name", new Type.Decimal(10, 2), true)), ONCE);
        assertEquals(List.of("column `id` is int8, and the schema has SMALLINT: rows with values that this cannot hold are bad "
                + "records", "column `name` is numeric(10, 4), and the schema has DECIMAL(10,2): rows with values that this "
                + "cannot hold are bad records"), source.warnings);
    }
}
