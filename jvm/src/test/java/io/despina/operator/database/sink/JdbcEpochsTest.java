package io.despina.operator.database.sink;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.ConnectorCase;
import io.despina.connect.RefusedException;
import io.despina.operator.HintedException;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.RowChange;
import io.despina.operator.Sink;
import io.despina.operator.database.DatabaseOptions;
import io.despina.operator.database.DatabaseSecret;
import io.despina.operator.database.PostgresServer;
import io.despina.operator.database.TestDatabase;
import io.despina.operator.database.sink.FaultyDriver.Break;
import io.despina.operator.outbox.Outbox;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of epochs, in one transaction each with their mark. */
class JdbcEpochsTest {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.INT, true));
    private static final long LOG_BYTES = 1 << 20;
    private static final long RETRY_MS = 60_000;
    private static final int LIVES = 6;
    private static final int EPOCHS = 8;

    @TempDir
    Path folder;
    private FaultyDriver driver;
    private DatabaseOptions database;
    private OperatorHarness outbox;

    @AfterEach
    void close() throws IOException {
        if (outbox != null) {
            outbox.close();
        }
    }

    private TestDatabase database(TestDatabase of) throws SQLException {
        of.prepare(folder);
        DatabaseOptions plain = of.options();
        driver = new FaultyDriver(plain.driver().get());
        database = new DatabaseOptions(plain.url(), plain.login(), () -> driver, ZoneId.of("UTC"), 0);
        return of;
    }

    private OperatorHarness open(Path kept, boolean upserts, long retryMs) throws Exception {
        return open(kept, NUMBER, new JdbcSinkOptions.To("t", List.of(0), upserts ? List.of(0) : List.of(), RowChange.NONE,
                "despina_epochs"), retryMs);
    }

    private OperatorHarness open(Path kept, Schema rows, JdbcSinkOptions.To table, long retryMs) throws Exception {
        JdbcSinkOptions options = new JdbcSinkOptions(database, table, new JdbcSinkOptions.Batch(2, 0), retryMs);
        outbox = OperatorHarness.of(() -> (Operator) new Outbox(new JdbcSink(options, TestDatabase.waiting(new ArrayList<>())),
                Runnable::run, LOG_BYTES)).inputs(rows).outputs(OperatorHarness.LETTERS).skippingBadRecords().keeping(kept)
                .open();
        return outbox;
    }

    private Sink sink() {
        return (Sink) outbox.operator();
    }

    private void feed(int... numbers) throws Exception {
        for (int k : numbers) {
            outbox.feedRow(0, k);
        }
    }

    private Map<String, byte[]> prepared(long epoch) throws Exception {
        CompletableFuture<Void> done = sink().prepare(epoch);
        Map<String, byte[]> snapshot = outbox.snapshot();
        done.join();
        return snapshot;
    }

    private void commit(long epoch) throws Exception {
        try {
            sink().commit(epoch).get(1, TimeUnit.MINUTES);
        } catch (ExecutionException failed) {
            throw (Exception) failed.getCause();
        }
        outbox.release();
    }

    private void epoch(long epoch, int... numbers) throws Exception {
        feed(numbers);
        prepared(epoch);
        commit(epoch);
    }

    @ParameterizedTest
    @EnumSource
    void rowsComeWithTheMarkOfTheirEpoch(TestDatabase of) throws Exception {
        TestDatabase found = database(of);
        found.execute("CREATE TABLE t (n INTEGER)");
        open(folder.resolve("kept"), false, RETRY_MS);
        feed(1, 2, 3);
        prepared(1);
        assertEquals(List.of(), found.rows("SELECT n FROM t"));
        commit(1);
        assertEquals(List.of("1", "2", "3"), found.rows("SELECT n FROM t ORDER BY n"));
        assertEquals(List.of("1,tested"), found.rows("SELECT epoch, operator FROM despina_epochs"));
        epoch(2);
        assertEquals(List.of("1"), found.rows("SELECT epoch FROM despina_epochs"));
        epoch(3, 4);
        assertEquals(List.of("3"), found.rows("SELECT epoch FROM despina_epochs WHERE written IS NOT NULL"));
    }

    @ParameterizedTest
    @EnumSource
    @ConnectorCase("jdbc: cut")
    void whateverBreaksEachRowComesOnce(TestDatabase of) throws Exception {
        for (int life = 0; life < LIVES; life++) {
            TestDatabase found = database(of);
            found.execute("DROP TABLE IF EXISTS t", "CREATE TABLE t (n INTEGER)");
            live(found, new Random(life), folder.resolve("kept" + life));
            close();
        }
    }

    private void live(TestDatabase found, Random random, Path kept) throws Exception {
        open(kept, false, RETRY_MS);
        List<String> all = new ArrayList<>();
        Map<String, byte[]> last = null;
        for (long epoch = 1; epoch <= EPOCHS; epoch++) {
            int from = all.size();
            int[] numbers = IntStream.range(from, from + random.nextInt(5)).toArray();
            feed(numbers);
            if (last != null && random.nextInt(3) == 0) {
                outbox.restart(last);
                commit(epoch - 1);
                feed(numbers);
            }
            last = prepared(epoch);
            IntStream.of(numbers).forEach(n -> all.add(Integer.toString(n)));
            driver.next = Break.values()[random.nextInt(Break.values().length)];
            commit(epoch);
            driver.next = Break.NONE;
            if (random.nextInt(3) == 0) {
                outbox.restart(last);
                commit(epoch);
            }
            assertEquals(all, found.rows("SELECT n FROM t ORDER BY n"));
        }
    }

    @Test
    void anEpochWhoseProcessIsLostIsAskedFor() throws Exception {
        for (Break each : List.of(Break.BEFORE_COMMIT, Break.AFTER_COMMIT, Break.IN_ROWS)) {
            TestDatabase found = database(TestDatabase.POSTGRESQL);
            found.execute("CREATE TABLE t (n INTEGER)");
            open(folder.resolve("kept" + each), false, 0);      // it does not try again
            epoch(1, 1);
            feed(2, 3);
            Map<String, byte[]> second = prepared(2);
            driver.next = each;
            assertThrows(IOException.class, () -> commit(2));
            outbox.restart(second);
            commit(2);
            assertEquals(List.of("1", "2", "3"), found.rows("SELECT n FROM t ORDER BY n"), each.toString());
            close();
        }
    }

    @Test
    void aTransactionThatIsUnderWayIsWaitedFor() throws Exception {
        TestDatabase found = database(TestDatabase.POSTGRESQL);
        found.execute("CREATE TABLE t (n INTEGER)");
        open(folder.resolve("kept"), false, RETRY_MS);
        epoch(1, 1);
        feed(2);
        prepared(2);
        try (Connection earlier = found.connect(); Statement statement = earlier.createStatement()) {
            earlier.setAutoCommit(false);
            statement.execute("UPDATE despina_epochs SET epoch = 2");
            statement.execute("INSERT INTO t VALUES (2)");
            CompletableFuture<Object> later = CompletableFuture.supplyAsync(() -> {
                try {
                    return sink().commit(2).join();
                } catch (Exception e) {
                    throw new CompletionException(e);
                }
            });
            found.awaitLock();
            earlier.commit();
            later.get(60, TimeUnit.SECONDS);
        }
        assertEquals(List.of("1", "2"), found.rows("SELECT n FROM t ORDER BY n"));
    }

    @ParameterizedTest
    @EnumSource
    void aBadRowIsHandedOnOnceAndTheOthersOfItsEpochAreStored(TestDatabase of) throws Exception {
        TestDatabase found = database(of);
        found.execute("CREATE TABLE t (n INTEGER NOT NULL UNIQUE CHECK (n < 100))", "INSERT INTO t VALUES (7)");
        open(folder.resolve("kept"), false, RETRY_MS);
        feed(1, 2, 700, 3, 4, 7, 5, 6, 500);
        prepared(1);
        driver.next = Break.AFTER_COMMIT;
        commit(1);
        assertEquals(3, outbox.badRecords.size(), outbox.badRecords.toString());
        epoch(2, 8, 9, 8);
        epoch(3, 10);
        assertEquals(4, outbox.badRecords.size(), outbox.badRecords.toString());
        assertEquals(IntStream.range(1, 11).mapToObj(Integer::toString).toList(), found.rows("SELECT n FROM t ORDER BY n"));
    }

    @Test
    void whatIsCheckedAtTheEndOfATransactionIsFoundToo() throws Exception {
        TestDatabase found = database(TestDatabase.POSTGRESQL);
        found.execute("CREATE TABLE t (n INTEGER UNIQUE DEFERRABLE INITIALLY DEFERRED)", "INSERT INTO t VALUES (2)");
        open(folder.resolve("kept"), false, RETRY_MS);
        epoch(1, 1, 2, 3);
        assertEquals(1, outbox.badRecords.size());
        assertEquals(List.of("1", "2", "3"), found.rows("SELECT n FROM t ORDER BY n"));
    }

    @ParameterizedTest
    @EnumSource
    void rowsAreChangedInEpochs(TestDatabase of) throws Exception {
        TestDatabase found = database(of);
        found.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, other INTEGER DEFAULT 1)");
        open(folder.resolve("kept"), true, RETRY_MS);
        epoch(1, 1, 1, 2);
        driver.next = Break.AFTER_COMMIT;
        epoch(2, 2, 3);
        assertEquals(List.of("1,1", "2,1", "3,1"), found.rows("SELECT n, other FROM t ORDER BY n"));
    }

    /** Each version of a row stays in the database until its transaction ends. */
    @Test
    void ofAnEpochOnlyTheLastRowOfAKeyIsWritten() throws Exception {
        TestDatabase found = database(TestDatabase.SQLITE);
        found.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, m INTEGER)", "CREATE TABLE told (n INTEGER, m INTEGER)",
                "CREATE TRIGGER added AFTER INSERT ON t BEGIN INSERT INTO told VALUES (new.n, new.m); END",
                "CREATE TRIGGER changed AFTER UPDATE ON t BEGIN INSERT INTO told VALUES (new.n, new.m); END");
        JdbcSinkOptions.To table = new JdbcSinkOptions.To("t", List.of(0, 1), List.of(0), RowChange.NONE, "despina_epochs");
        open(folder.resolve("kept"), Schema.of(NUMBER.column(0), new Column("m", Simple.INT, true)), table, RETRY_MS);
        for (long epoch = 1; epoch <= 2; epoch++) {
            for (int k = 0; k < 9; k++) {
                outbox.feedRow(0, k % 3, k);
            }
            prepared(epoch);
            commit(epoch);
        }
        assertEquals(List.of("0,6", "0,6", "1,7", "1,7", "2,8", "2,8"), found.rows("SELECT n, m FROM told ORDER BY n"));
    }

    /** More rows than wait at a time, so that those before the last of their key would go. */
    @Test
    void theRowBeforeABadOneOfItsKeyIsWritten() throws Exception {
        TestDatabase found = database(TestDatabase.SQLITE);
        found.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, m INTEGER CHECK (m < 1000), note VARCHAR)");
        Schema rows = Schema.of(NUMBER.column(0), new Column("m", Simple.INT, true), new Column("note", Simple.STRING, true));
        open(folder.resolve("kept"), rows, new JdbcSinkOptions.To("t", List.of(0, 1, 2), List.of(0), RowChange.NONE,
                "despina_epochs"), RETRY_MS);
        String note = "x".repeat(1 << 16);
        outbox.feedRow(0, 1, 1, note);
        outbox.feedRow(0, 1, 1000, note);
        for (int k = 0; k < 300; k++) {
            outbox.feedRow(0, 2, k, note);
        }
        prepared(1);
        commit(1);
        assertEquals(1, outbox.badRecords.size(), outbox.badRecords.toString());
        assertEquals(List.of("1,1", "2,299"), found.rows("SELECT n, m FROM t ORDER BY n"));
    }

    @ParameterizedTest
    @EnumSource
    @ConnectorCase("jdbc: copies")
    void anOlderCopyOfTheStateIsRefused(TestDatabase of) throws Exception {
        TestDatabase found = database(of);
        found.execute("CREATE TABLE t (n INTEGER)");
        open(folder.resolve("kept"), false, RETRY_MS);
        epoch(1, 1);
        found.execute("UPDATE despina_epochs SET epoch = 3");
        feed(2);
        prepared(2);
        RefusedException why = assertThrows(RefusedException.class, () -> commit(2));
        assertTrue(why.getMessage().contains(" of `tested` is to write epoch 2, and `epochs_table` despina_epochs says that "
                + "epoch 3 is written: the state folder is an older copy"), why.getMessage());
        assertEquals(List.of("1"), found.rows("SELECT n FROM t"));
    }

    @Test
    void aRowOfTheTableOfMarksThatIsGoneProvesNothing() throws Exception {
        TestDatabase found = database(TestDatabase.POSTGRESQL);
        found.execute("CREATE TABLE t (n INTEGER)");
        open(folder.resolve("kept"), false, RETRY_MS);
        epoch(1, 1);
        found.execute("DELETE FROM despina_epochs");
        feed(2);
        prepared(2);
        IOException why = assertThrows(IOException.class, () -> commit(2));
        assertTrue(why.getMessage().startsWith("the target of `tested` no longer knows whether it has epoch 2"),
                why.getMessage());
    }

    @Test
    @ConnectorCase("jdbc: missing")
    void aSinkThatMayNotMakeTheTableOfMarksSaysWhoCan() throws Exception {
        TestDatabase found = database(TestDatabase.POSTGRESQL);
        found.execute("CREATE TABLE t (n INTEGER)", "CREATE ROLE guest LOGIN",
                "GRANT USAGE ON SCHEMA " + found.schema() + " TO guest", "GRANT SELECT, INSERT ON t TO guest");
        database = found.optionsOf("guest", null);
        HintedException why = assertThrows(HintedException.class, () -> open(folder.resolve("kept"), false, RETRY_MS));
        assertTrue(why.getMessage().startsWith("`epochs_table`: ERROR: relation \"despina_epochs\" does not exist"),
                why.getMessage());
        assertTrue(why.getMessage().contains("it cannot be made: ERROR: permission denied for schema"), why.getMessage());
        String statement = why.hint().replace("let an administrator execute: ", "");
        assertEquals("CREATE TABLE despina_epochs (sink VARCHAR(64) PRIMARY KEY, epoch BIGINT NOT NULL, operator VARCHAR(255), "
                + "written TIMESTAMP); GRANT SELECT, INSERT, UPDATE ON despina_epochs TO guest", statement);
        found.execute(statement);
        open(folder.resolve("kept"), false, RETRY_MS);
        epoch(1, 1);
        assertEquals(List.of("1"), found.rows("SELECT n FROM t"));
    }

    @Test
    @ConnectorCase("jdbc: two")
    void twoSinksShareATableAndTheirMarks() throws Exception {
        TestDatabase found = database(TestDatabase.POSTGRESQL);
        found.execute("CREATE TABLE t (n INTEGER)");
        OperatorHarness first = open(folder.resolve("first"), false, RETRY_MS);
        epoch(1, 1);
        try (OperatorHarness second = open(folder.resolve("second"), false, RETRY_MS)) {
            epoch(1, 2);
            outbox = first;
            epoch(2, 3);
            outbox = second;
            epoch(2, 4);
        }
        outbox = first;
        assertEquals(List.of("1", "2", "3", "4"), found.rows("SELECT n FROM t ORDER BY n"));
        assertEquals("2", found.rows("SELECT count(*) FROM despina_epochs WHERE epoch = 2").get(0));
    }

    @Test
    @ConnectorCase("jdbc: rescaled")
    void moreInstancesGoOnAndFewerAreRefused() throws Exception {
        TestDatabase found = database(TestDatabase.POSTGRESQL);
        found.execute("CREATE TABLE t (n INTEGER)");
        open(folder.resolve("kept"), false, RETRY_MS);
        feed(1);
        Map<String, byte[]> first = prepared(1);
        SnapshotException why = assertThrows(SnapshotException.class, () -> outbox.restart(first, 2));
        assertEquals("rows of `tested` wait in 2 outboxes; they cannot leave at parallelism 1", why.getMessage());
        outbox.restart(first);
        commit(1);
        JdbcSinkOptions options = new JdbcSinkOptions(database, new JdbcSinkOptions.To("t", List.of(0), List.of(), RowChange.NONE,
                "despina_epochs"), new JdbcSinkOptions.Batch(2, 0), RETRY_MS);
        OperatorHarness before = outbox;
        try (OperatorHarness second = OperatorHarness.of(() -> (Operator) new Outbox(new JdbcSink(options), Runnable::run,
                LOG_BYTES)).inputs(NUMBER).outputs(OperatorHarness.LETTERS).instance(1, 3)
                .keeping(folder.resolve("more")).open()) {
            outbox = second;
            second.restart(first, 1);
            commit(1);
            epoch(2, 2);
        }
        outbox = before;
        assertEquals(List.of("1", "2"), found.rows("SELECT n FROM t ORDER BY n"));
    }

    @Test
    @ConnectorCase("jdbc: absent")
    void aServerThatIsAwayAtTheStartIsWaitedForByTheFirstEpoch() throws Exception {
        database(TestDatabase.POSTGRESQL);
        PostgresServer server = PostgresServer.create();
        try {
            server.execute("CREATE TABLE t (n INTEGER)");
            database = new DatabaseOptions(server.url(), new DatabaseOptions.Login(new DatabaseSecret(
                    DatabaseSecret.Where.HERE, "postgres"), null), org.postgresql.Driver::new,
                    ZoneId.of("UTC"), 0);
            server.kill();
            open(folder.resolve("kept"), false, 0);
            assertEquals(1, outbox.warnings.size());
            feed(1);
            Map<String, byte[]> first = prepared(1);
            assertThrows(IOException.class, () -> commit(1));
            server.start();
            outbox.restart(first);
            commit(1);
            server.kill();
            server.start();
            feed(2);
            Map<String, byte[]> second = prepared(2);
            assertThrows(IOException.class, () -> commit(2));       // its connection is gone, and it does not try again
            outbox.restart(second);
            commit(2);
            assertEquals(List.of("1", "2"), server.rows("SELECT n FROM t ORDER BY n"));
        } finally {
            server.remove();
        }
    }
}
