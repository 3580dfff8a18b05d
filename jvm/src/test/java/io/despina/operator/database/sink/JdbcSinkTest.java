package io.despina.operator.database.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.operator.HintedException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.RowChange;
import io.despina.operator.Rows;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseSecret;
import io.despina.operator.database.TestDatabase;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows into real databases, without epochs: each batch is a transaction. */
class JdbcSinkTest {
    private static final Schema IN = Schema.of(new Column("k", Simple.STRING, true), new Column("v", Simple.BIGINT, true));
    private static final Schema CHANGES = Schema.of(new Column("op", Simple.STRING, true), new Column("k", Simple.STRING, true),
            new Column("v", Simple.BIGINT, true));

    @TempDir
    Path folder;
    private OperatorHarness sink;

    @AfterEach
    void close() throws IOException {
        if (sink != null) {
            sink.close();
        }
    }

    private TestDatabase database(TestDatabase of) throws SQLException {
        of.prepare(folder);
        return of;
    }

    private OperatorHarness open(TestDatabase database, Schema in, JdbcSinkOptions.To to) throws Exception {
        sink = OperatorHarness.of(() -> new JdbcSink(new JdbcSinkOptions(database.options(), to, new JdbcSinkOptions.Batch(100,
                100), 0))).inputs(in).outputs(OperatorHarness.LETTERS).skippingBadRecords().open();
        return sink;
    }

    private static JdbcSinkOptions.To append() {
        return new JdbcSinkOptions.To("t", List.of(0, 1), List.of(), RowChange.NONE, "despina_epochs");
    }

    private static JdbcSinkOptions.To upsert() {
        return new JdbcSinkOptions.To("t", List.of(0, 1), List.of(0), RowChange.NONE, "despina_epochs");
    }

    private static List<Object> row(String k, Object v) {
        return Rows.row(k, v);
    }

    @ParameterizedTest
    @EnumSource
    void rowsAreAppended(TestDatabase of) throws Exception {
        TestDatabase database = database(of);
        database.execute("CREATE TABLE t (k VARCHAR(10), v BIGINT)");
        List<List<Object>> rows = new ArrayList<>();
        for (int k = 0; k < 250; k++) {
            rows.add(row(k % 7 == 0 ? null : "k" + k, k % 5 == 0 ? null : k));
        }
        open(database, IN, append()).feed(0, rows).release();
        assertEquals(rows.stream().map(each -> each.get(0) + "," + each.get(1)).sorted().toList(),
                database.rows("SELECT k, v FROM t").stream().sorted().toList());
    }

    @ParameterizedTest
    @EnumSource
    void rowsTakeThePlaceOfThoseWithTheirKeys(TestDatabase of) throws Exception {
        TestDatabase database = database(of);
        database.execute("CREATE TABLE t (k VARCHAR(10) PRIMARY KEY, v BIGINT, other INTEGER DEFAULT 7)",
                "INSERT INTO t VALUES ('a', 1, 8)");
        open(database, IN, upsert()).feed(0, List.of(row("a", 2), row("b", 3), row("b", 4), row("b", 5))).release()
                .feed(0, List.of(row("c", 1), row("a", null), row(null, 1))).release();
        assertEquals(List.of("a,null,8", "b,5,7", "c,1,7"), database.rows("SELECT k, v, other FROM t ORDER BY k"));
        assertEquals(List.of("key `k` is NULL"), sink.badRecords);
    }

    @ParameterizedTest
    @EnumSource
    void aChangelogPutsAndRemovesRows(TestDatabase of) throws Exception {
        TestDatabase database = database(of);
        database.execute("CREATE TABLE t (k VARCHAR(10) PRIMARY KEY, v BIGINT)", "INSERT INTO t VALUES ('a', 1), ('z', 9)");
        open(database, CHANGES, new JdbcSinkOptions.To("t", List.of(1, 2), List.of(1), 0, "despina_epochs")).feed(0, List.of(
                Rows.row("insert", "b", 1L), Rows.row("delete", "a", null), Rows.row("update", "b", 2L),
                Rows.row("delete", "c", 1L), Rows.row("insert", "c", 3L), Rows.row("insert", "d", 3L),
                Rows.row("delete", "d", 3L), Rows.row("upsert", "e", 1L), Rows.row(null, "e", 1L))).release();
        assertEquals(List.of("b,2", "c,3", "z,9"), database.rows("SELECT k, v FROM t ORDER BY k"));
        assertEquals(List.of("`op` is `upsert`, not insert, update or delete", "`op` is NULL, not insert, update or delete"),
                sink.badRecords);
    }

    @ParameterizedTest
    @EnumSource
    void badRowsAreFoundAndTheOthersAreStored(TestDatabase of) throws Exception {
        TestDatabase database = database(of);
        database.execute("CREATE TABLE t (k VARCHAR(3) NOT NULL CHECK (length(k) < 4), v INTEGER UNIQUE)",
                "INSERT INTO t VALUES ('old', 50)");
        List<List<Object>> rows = new ArrayList<>();
        for (int k = 0; k < 100; k++) {
            rows.add(k == 13 ? row(null, 13) : k == 14 ? row("long", 14) : k == 77 ? row("77", 76) : row("" + k, k));
        }
        open(database, IN, append()).feed(0, rows).release();
        assertEquals(4, sink.badRecords.size(), sink.badRecords.toString());
        List<Integer> bad = List.of(13, 14, 50, 77);
        assertEquals(IntStream.range(0, 100).filter(k -> !bad.contains(k)).mapToObj(k -> k + "," + k).toList(),
                database.rows("SELECT k, v FROM t WHERE k <> 'old' ORDER BY v"));
    }

    @ParameterizedTest
    @EnumSource
    @ConnectorCase("jdbc: bad")
    void whatSqlCannotHoldIsABadRow(TestDatabase of) throws Exception {
        TestDatabase database = database(of);
        Schema in = Schema.of(new Column("d", Simple.DOUBLE, true), new Column("f", Simple.FLOAT, true),
                new Column("born", Simple.DATE, true), new Column("ts", Simple.TIMESTAMP, true));
        database.execute("CREATE TABLE t (d DOUBLE PRECISION, f REAL, born DATE, ts TIMESTAMP)");
        long year10000 = 253_402_300_800_000_000L;
        open(database, in, new JdbcSinkOptions.To("t", List.of(0, 1, 2, 3), List.of(), RowChange.NONE, "e")).feed(0, List.of(
                Rows.row(1.5, 2.5f, 0, 0L), Rows.row(Double.NaN, null, null, null),
                Rows.row(null, Float.POSITIVE_INFINITY, null, null), Rows.row(null, null, 2_932_897, null),
                Rows.row(null, null, null, year10000), Rows.row(null, null, null, year10000 - 1),
                Rows.row(null, null, -719_163, null))).release();
        boolean holds = of == TestDatabase.POSTGRESQL;      // and PostgreSQL's dates go beyond 9999 and before 1
        assertEquals(holds ? 0 : 5, sink.badRecords.size(), sink.badRecords.toString());
        assertEquals(holds ? "7" : "2", database.rows("SELECT count(*) FROM t").get(0));
    }

    @Test
    void whatPostgresqlHasNoTimeForIsABadRow() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        Schema in = Schema.of(new Column("born", Simple.DATE, true), new Column("ts", Simple.TIMESTAMP, true));
        database.execute("CREATE TABLE t (born DATE, ts TIMESTAMPTZ)");
        open(database, in, new JdbcSinkOptions.To("t", List.of(0, 1), List.of(), RowChange.NONE, "e")).feed(0, List.of(
                Rows.row(Integer.MIN_VALUE, null), Rows.row(Integer.MAX_VALUE, null), Rows.row(0, Long.MIN_VALUE),
                Rows.row(0, Long.MAX_VALUE), Rows.row(0, 0L), Rows.row(-3_000_000, null))).release();
        assertEquals(5, sink.badRecords.size(), sink.badRecords.toString());
        assertEquals(List.of("1970-01-01,1970-01-01 00:00:00+00"), database.rows(
                "SELECT born::text, (ts AT TIME ZONE 'UTC')::text || '+00' FROM t"));
    }

    /** Written by COPY, or where {@code viaText} has a column that COPY in binary does not, by statements. */
    @ParameterizedTest
    @EnumSource
    void allTypesGoIn(TestDatabase of) throws Exception {
        TestDatabase database = database(of);
        Schema in = Schema.of(new Column("a", Simple.BOOLEAN, true), new Column("b", Simple.TINYINT, true),
                new Column("c", Simple.SMALLINT, true), new Column("d", Simple.INT, true), new Column("e", Simple.BIGINT, true),
                new Column("f", Simple.FLOAT, true), new Column("g", Simple.DOUBLE, true), new Column("h", Simple.STRING, true),
                new Column("i", Simple.BINARY, true), new Column("j", Simple.DATE, true), new Column("k", Simple.TIMESTAMP, true),
                new Column("l", Simple.TIMESTAMP_NTZ, true), new Column("m", new Type.Decimal(9, 2), true),
                new Column("n", new Type.Decimal(30, 3), true));
        String bytes = of == TestDatabase.POSTGRESQL ? "BYTEA" : of == TestDatabase.SQLITE ? "BLOB" : "VARBINARY(100)";
        String zoned = of == TestDatabase.SQLITE ? "TIMESTAMP" : "TIMESTAMP WITH TIME ZONE";
        database.execute("CREATE TABLE t (a BOOLEAN, b SMALLINT, c SMALLINT, d INTEGER, e BIGINT, f REAL, g DOUBLE PRECISION, "
                + "h VARCHAR(100), i " + bytes + ", j DATE, k " + zoned + ", l TIMESTAMP, m NUMERIC(9, 2), n NUMERIC(30, 3))");
        List<Object> row = Rows.row(true, (byte) -3, (short) 300, -70_000, 1L << 40, 0.5f, 0.1, "grüße\t\\,\"", new byte[] {1, 0,
            -1}, 19_000, 1_700_000_000_123_456L, 1_700_000_000_456_789L, new BigDecimal("-12.30"),
                new BigDecimal("-123456789012345678901234567.125"));
        open(database, in, new JdbcSinkOptions.To("t", IntStream.range(0, 14).boxed().toList(), List.of(), RowChange.NONE, "e"))
                .feed(0, List.of(row, Rows.row(new Object[14]))).release();
        assertEquals(List.of(), sink.badRecords);
        String found = database.rows(of.allTypes()).get(0);
        assertEquals("1,-3,300,-70000,1099511627776,0.5,0.1,grüße\t\\,\",0100FF,2022-01-08,2023-11-14 22:13:20.123"
                + (of == TestDatabase.SQLITE ? "" : "456") + ",2023-11-14 22:13:20.456" + (of == TestDatabase.SQLITE ? "" : "789")
                + ",-12.30,-123456789012345678901234567.125", found);
        assertEquals("1", database.rows("SELECT count(*) FROM t WHERE a IS NULL AND b IS NULL AND e IS NULL AND f IS NULL AND "
                + "h IS NULL AND i IS NULL AND j IS NULL AND k IS NULL AND l IS NULL AND m IS NULL AND n IS NULL").get(0));
    }

    @Test
    void numbersGoInAsPostgresqlHasThem() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        Schema in = Schema.of(new Column("small", new Type.Decimal(18, 5), true),
                new Column("large", new Type.Decimal(38, 7), true), new Column("whole", Simple.BIGINT, true));
        database.execute("CREATE TABLE t (small NUMERIC, large NUMERIC(38, 7), whole NUMERIC)");
        List<String> texts = List.of("0.00000", "1.00000", "-1.00000", "0.00001", "-0.00010", "9999.99999", "10000.00000",
                "1234567890123.45678", "-9999999999999.99999", "100000000.00000", "0.10000");
        List<List<Object>> rows = texts.stream().map(text -> Rows.row(new BigDecimal(text), new BigDecimal(text).setScale(7),
                new BigDecimal(text).longValue())).toList();
        open(database, in, new JdbcSinkOptions.To("t", List.of(0, 1, 2), List.of(), RowChange.NONE, "e")).feed(0, rows).release();
        assertEquals(texts.stream().map(text -> text + "," + text + "00," + new BigDecimal(text).longValue()).toList(),
                database.rows("SELECT small, large, whole FROM t ORDER BY ctid"));
    }

    @Test
    void textsGoIntoColumnsOfPostgresqlsOwnTypes() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        database.execute("CREATE TYPE mood AS ENUM ('sad', 'ok')", "CREATE TABLE t (id UUID, body JSONB, m mood, ip INET)");
        Schema in = Schema.of(new Column("id", Simple.STRING, true), new Column("body", Simple.STRING, true),
                new Column("m", Simple.STRING, true), new Column("ip", Simple.STRING, true));
        open(database, in, new JdbcSinkOptions.To("t", List.of(0, 1, 2, 3), List.of(), RowChange.NONE, "e")).feed(0, List.of(
                Rows.row("0e37df36-f698-11e6-8dd4-cb9ced3df976", "{\"a\": 1}", "ok", "10.0.0.1"),
                Rows.row("no uuid", "{}", "ok", null), Rows.row(null, "{", null, null), Rows.row(null, null, "glad", null),
                Rows.row(null, null, null, null))).release();
        assertEquals(3, sink.badRecords.size());
        assertEquals(List.of("0e37df36-f698-11e6-8dd4-cb9ced3df976,{\"a\": 1},ok,10.0.0.1", "null,null,null,null"),
                database.rows("SELECT id, body, m, ip FROM t ORDER BY id"));
    }

    @Test
    void namesThatNeedQuotesAreFound() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        database.execute("CREATE SCHEMA IF NOT EXISTS plant", "DROP TABLE IF EXISTS plant.\"Two Words\"",
                "CREATE TABLE plant.\"Two Words\" (\"K\" TEXT, \"v\" INT, \"V2\" INT)");
        open(database, IN, new JdbcSinkOptions.To("plant.\"Two Words\"", List.of(0, 1), List.of(), RowChange.NONE, "e"))
                .feed(0, List.of(row("a", 1))).release();
        assertEquals(List.of("a,1"), database.rows("SELECT \"K\", v FROM plant.\"Two Words\""));
    }

    private String refusal(TestDatabase database, Schema in, JdbcSinkOptions.To to) {
        HintedException why = assertThrows(HintedException.class, () -> open(database, in, to));
        return why.getMessage() + " -> " + why.hint() + " " + why.name() + why.known();
    }

    @Test
    void whatIsMissingIsToldAtTheStart() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        String none = refusal(database, IN, upsert());
        assertTrue(none.startsWith("`table`: ERROR: relation \"t\" does not exist"), none);
        assertTrue(none.contains("CREATE TABLE t (k TEXT, v BIGINT, PRIMARY KEY (k))"), none);
        database.execute("CREATE TABLE t (key TEXT, v TEXT, must INT NOT NULL)");
        assertTrue(refusal(database, IN, append()).startsWith("`table`: t has no column `k`; it has key, v, must -> "));
        database.execute("ALTER TABLE t RENAME key TO k");
        assertTrue(refusal(database, IN, append()).startsWith("`table`: column `v` of t is text, and the stream's is BIGINT -> "
                + "cast it"));
        database.execute("ALTER TABLE t ALTER v TYPE NUMERIC(9, 1) USING 1");
        Schema exact = Schema.of(new Column("k", Simple.STRING, true), new Column("v", new Type.Decimal(9, 2), true));
        assertTrue(refusal(database, exact, append()).startsWith(
                "`table`: column `v` of t is numeric(9, 1), and the stream's is DECIMAL(9,2)"));
        assertTrue(refusal(database, IN, append()).startsWith("`table`: t has columns that must have a value, and the stream has "
                + "none for them: must"));
        database.execute("ALTER TABLE t ALTER must SET DEFAULT 1");
        String noIndex = refusal(database, IN, upsert());
        assertTrue(noIndex.startsWith("`keys`: ERROR: there is no unique or exclusion constraint matching"), noIndex);
        assertTrue(noIndex.contains("CREATE UNIQUE INDEX ON t (\"k\")"), noIndex);
        open(database, IN, append());
    }

    @Test
    @ConnectorCase("jdbc: missing")
    void aUserWithoutARightIsToldWhatIsMissing() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        database.execute("CREATE TABLE t (k TEXT, v BIGINT)", "DROP ROLE IF EXISTS visitor", "CREATE ROLE visitor LOGIN",
                "GRANT USAGE ON SCHEMA " + database.schema() + " TO visitor", "GRANT SELECT ON t TO visitor");
        DatabaseOptions visitor = database.optionsOf("visitor", null);
        HintedException why = assertThrows(HintedException.class, () -> OperatorHarness.of(() -> new JdbcSink(new JdbcSinkOptions(
                visitor, append(), new JdbcSinkOptions.Batch(10, 0), 0))).inputs(IN).open());
        assertEquals("`table`: ERROR: permission denied for table t -> let an administrator execute: GRANT SELECT, INSERT ON t "
                + "TO visitor", why.getMessage() + " -> " + why.hint());
    }

    @Test
    @ConnectorCase("jdbc: refused")
    void aWrongPasswordIsNotTriedAgain() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        database.execute("DROP ROLE IF EXISTS locked", "CREATE ROLE locked LOGIN PASSWORD 'secret'");
        DatabaseOptions locked = database.optionsOf("locked", new DatabaseSecret(DatabaseSecret.Where.HERE, "s3cret"));
        SQLException why = assertThrows(SQLException.class, () -> OperatorHarness.of(() -> new JdbcSink(new JdbcSinkOptions(
                locked, append(), new JdbcSinkOptions.Batch(10, 0), 100_000))).inputs(IN).open());
        assertEquals("FATAL: password authentication failed for user \"locked\"", why.getMessage());
    }

    @Test
    @ConnectorCase("jdbc: absent")
    void aDatabaseThatIsNotThereIsTriedAgainForSomeTime() {
        List<Long> waits = new ArrayList<>();
        OperatorHarness[] harness = new OperatorHarness[1];
        DatabaseOptions nowhere = new DatabaseOptions("jdbc:postgresql://127.0.0.1:1/nowhere", null, org.postgresql.Driver::new,
                ZoneId.of("UTC"), 0);
        IOException why = assertThrows(IOException.class, () -> harness[0] = OperatorHarness.of(() -> new JdbcSink(
                new JdbcSinkOptions(nowhere, append(), new JdbcSinkOptions.Batch(10, 0), 0), TestDatabase.waiting(waits)))
                .inputs(IN).open());
        assertTrue(why.getMessage().endsWith("; tried again for retry_for_ms=0"), why.getMessage());
        assertEquals(null, harness[0]);
    }

    @Test
    @ConnectorCase("jdbc: changed")
    void aColumnThatIsDroppedOrRenamedMeanwhileIsNamed() throws Exception {
        for (boolean upserts : List.of(false, true)) {
            for (String change : List.of("DROP COLUMN v", "RENAME COLUMN v TO w")) {
                TestDatabase database = database(TestDatabase.POSTGRESQL);
                database.execute("CREATE TABLE t (k TEXT PRIMARY KEY, v BIGINT)");
                open(database, IN, upserts ? upsert() : append()).feed(0, List.of(row("a", 1))).release();
                database.execute("ALTER TABLE t " + change);
                HintedException why = assertThrows(HintedException.class, () -> sink.feed(0, List.of(row("b", 2))).release());
                assertEquals("`table`: t has no column `v`; it has k" + (change.startsWith("DROP") ? "" : ", w"),
                        why.getMessage());
                close();
            }
        }
    }

    @Test
    void aDeadlockIsTriedAgain() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        database.execute("CREATE TABLE t (k TEXT PRIMARY KEY, v BIGINT)", "INSERT INTO t VALUES ('a', 0), ('b', 0)");
        sink = OperatorHarness.of(() -> new JdbcSink(new JdbcSinkOptions(database.options(), upsert(),
                new JdbcSinkOptions.Batch(100, 100), 60_000), TestDatabase.waiting(new ArrayList<>()))).inputs(IN).open();
        try (Connection other = database.connect(); Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SET deadlock_timeout = '1h'");       // so that the sink's transaction is the one that is ended
            statement.execute("UPDATE t SET v = -1 WHERE k = 'b'");
            Thread writes = new Thread(() -> {
                try {
                    sink.feed(0, List.of(row("a", 1), row("b", 1))).release();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            writes.start();
            database.awaitLock();
            statement.execute("UPDATE t SET v = -1 WHERE k = 'a'");
            other.commit();
            writes.join();
        }
        assertEquals(List.of("a,1", "b,1"), database.rows("SELECT k, v FROM t ORDER BY k"));
        assertTrue(sink.warnings.get(0).startsWith("ERROR: deadlock detected"), sink.warnings.toString());
    }

    @Test
    @ConnectorCase("jdbc: cut")
    void aConnectionThatIsCutIsMadeAgain() throws Exception {
        TestDatabase database = database(TestDatabase.POSTGRESQL);
        database.execute("CREATE TABLE t (k TEXT, v BIGINT)");
        sink = OperatorHarness.of(() -> new JdbcSink(new JdbcSinkOptions(database.options(), append(),
                new JdbcSinkOptions.Batch(100, 100), 60_000), TestDatabase.waiting(new ArrayList<>()))).inputs(IN).open();
        sink.feed(0, List.of(row("a", 1))).release();
        database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
        sink.feed(0, List.of(row("b", 2))).release();
        assertEquals(List.of("a,1", "b,2"), database.rows("SELECT k, v FROM t ORDER BY k"));
    }
}
