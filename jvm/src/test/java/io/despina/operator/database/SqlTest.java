package io.despina.operator.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlTest {
    private static final String INSERT = "INSERT INTO readings VALUES (?, ?)";
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path folder;
    private final SwitchedDriver driver = new SwitchedDriver();

    @BeforeEach
    void create() throws SQLException {
        execute("CREATE TABLE readings (k TEXT NOT NULL, v INTEGER UNIQUE)");
    }

    private String url() {
        return "jdbc:sqlite:" + folder.resolve("plant.db");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url()); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> readings() throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection(url()); Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT k || v FROM readings ORDER BY v")) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
    }

    private StatementOptions statement(String sql, Integer... parameters) {
        return new StatementOptions(new DatabaseOptions(url(), null, () -> driver, ZoneId.of("Europe/Berlin"), 0), sql,
                List.of(parameters));
    }

    private static OperatorHarness.Setup harness(Supplier<? extends Operator> operator, Schema out) {
        return OperatorHarness.of(operator).inputs(Timed.SCHEMA).outputs(out);
    }

    private OperatorHarness.Setup insert(int batchRows) {
        return harness(() -> new SqlUpdate(statement(INSERT, 2, 3), batchRows), Timed.SCHEMA);
    }

    private static List<Object> row(String k, long v) {
        return Rows.row(0L, 1, k, v);
    }

    @Test
    void packetsGoOnOnceTheyAreCommittedWhateverRoomThereIs() throws Exception {
        try (OperatorHarness harness = insert(3).room(1, 1).open()) {
            List<List<Object>> rows = new ArrayList<>();
            for (long v = 0; v < 20; v++) {
                rows.add(row("a", v));
            }
            harness.feed(0, rows);
            assertEquals(rows, harness.rows(0));
            assertEquals(20, readings().size());
        }
    }

    @Test
    void onlyTheBadOnesOfATransactionAreBad() throws Exception {
        try (OperatorHarness harness = insert(100).skippingBadRecords().open()) {
            harness.feed(0, List.of(row("a", 1), row(null, 2), row("b", 3), row("c", 3), row("'; DROP TABLE readings; --", 4)));
            assertEquals(List.of("a1", "b3", "'; DROP TABLE readings; --4"), readings());
            assertEquals(2, harness.badRecords.size());
            assertEquals(3, harness.rows(0).size());
        }
    }

    @Test
    void aDatabaseThatComesBackIsWrittenToAgain() throws Exception {
        try (OperatorHarness harness = insert(10).skippingBadRecords().open()) {
            harness.feed(0, List.of(row("a", 1)));
            driver.off();
            harness.feed(0, List.of(row("b", 2), row("c", 3)));
            assertEquals(2, harness.badRecords.size());
            driver.on();
            harness.now += SECOND;
            harness.feed(0, List.of(row("d", 4)));
            assertEquals(List.of("a1", "d4"), readings());
        }
    }

    @Test
    void whatIsWrongFromTheBeginningIsAnErrorAtOnce() {
        assertTrue(assertThrows(SQLException.class, () -> harness(() -> new SqlUpdate(statement("INSERT INTO nothing VALUES (1)"),
                1), Timed.SCHEMA).open()).getMessage().contains("nothing"));
    }

    @Test
    void aStatementThatGivesOtherColumnsIsAnErrorAtOnce() {
        assertEquals("the statement gives rows; name their columns in `schema`", refusal(new SqlUpdate(
                statement("SELECT ?", 3), 1)));
        assertEquals("the statement gives 2 columns, and `schema` has 1 column", refusal(query("SELECT ?, 1", 3)));
    }

    private Lookup query(String sql, Integer... parameters) {
        Schema one = Schema.of(new Column("x", Simple.BIGINT, true));
        return new Lookup(new Lookup.Options(null, one, partition -> (inputs, out) -> out.setColumn(0, inputs[1], 0), false),
                () -> new StatementTable(statement(sql, parameters), one));
    }

    private static String refusal(Operator operator) {
        return assertThrows(SQLException.class, () -> harness(() -> operator, Timed.SCHEMA).open()).getMessage();
    }

    @Test
    void aUrlOfAnotherDriverIsNamedWithoutWhatFollows() {
        DatabaseOptions wrong = new DatabaseOptions("jdbc:sqlit:secret", null, () -> driver, ZoneId.of("UTC"), 0);
        assertEquals("driver " + SwitchedDriver.class.getName() + " takes no URL that begins with `jdbc:sqlit:`; check `url`",
                refusal(new SqlUpdate(new StatementOptions(wrong, INSERT, List.of(2, 3)), 1)));
        for (String url : List.of("me:plant.db", "me:secret@plant:5432/db")) {
            DatabaseOptions bare = new DatabaseOptions(url, null, () -> driver, ZoneId.of("UTC"), 0);
            String told = refusal(new SqlUpdate(new StatementOptions(bare, INSERT, List.of(2, 3)), 1));
            assertTrue(told.endsWith("`me:`; check `url`, which begins with `jdbc:`"), told);
        }
    }

    @Test
    void allTypesGoInAndComeOut() throws Exception {
        Schema types = Schema.of(new Column("a", Simple.BOOLEAN, true), new Column("b", Simple.TINYINT, true),
                new Column("c", Simple.SMALLINT, true), new Column("d", Simple.INT, true), new Column("e", Simple.BIGINT, true),
                new Column("f", Simple.FLOAT, true), new Column("g", Simple.DOUBLE, true), new Column("h", Simple.STRING, true),
                new Column("i", Simple.BINARY, true), new Column("j", Simple.DATE, true), new Column("k", Simple.TIMESTAMP, true),
                new Column("l", Simple.TIMESTAMP_NTZ, true), new Column("m", new Type.Decimal(9, 2), true),
                new Column("n", new Type.Decimal(30, 3), true));
        Integer[] all = new Integer[types.size()];
        for (int k = 0; k < all.length; k++) {
            all[k] = k;
        }
        String question = "SELECT ?" + ", ?".repeat(all.length - 1) + " UNION ALL SELECT NULL" + ", NULL".repeat(all.length - 1);
        try (OperatorHarness harness = OperatorHarness.of(() -> new Lookup(new Lookup.Options(null, types,
                partition -> (inputs, out) -> {
                    for (int k = 0; k < all.length; k++) {
                        out.setColumn(k, inputs[1], k);
                    }
                }, false), () -> new StatementTable(statement(question, all), types))).inputs(types).outputs(types).open()) {
            List<Object> row = Rows.row(true, (byte) -3, (short) 300, -70_000, 1L << 40, 0.5f, 0.1, "grüße", new byte[] {1, 0,
                    -1},
                    19_000, 1_700_000_000_123_000L, 1_700_000_000_456_000L, new BigDecimal("-12.30"),
                    new BigDecimal("1234567.125"));
            harness.feed(0, List.of(row));
            List<List<Object>> found = harness.rows(0);
            assertEquals(text(row), text(found.get(0)));
            assertEquals(text(Rows.row(new Object[all.length])), text(found.get(1)));
        }
    }

    private static String text(List<Object> row) {
        return row.stream().map(value -> value instanceof ByteBuffer bytes ? Arrays.toString(bytes.array())
                : value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value))
                .toList().toString();
    }

    @Test
    void parametersAreColumnsAndNothingElseIs() {
        SqlText text = SqlText.parse("SELECT ':no', \":no\", a::int, :k -- :no\n/* :no */ FROM t WHERE v=:v AND w<:k:: text "
                + "AND x>:");
        assertEquals("SELECT ':no', \":no\", a::int, ? -- :no\n/* :no */ FROM t WHERE v=? AND w<?:: text AND x>:", text.sql());
        assertEquals(List.of("k", "v", "k"), text.columns());
        assertEquals(List.of("a"), SqlText.parse("SELECT 'it''s :b', :a, '").columns());
    }

    @Test
    void onlyASecondStatementStandsBehindTheFirst() {
        for (String one : List.of("SELECT 1", "SELECT 1;", "SELECT ';' ;; -- done; really\n /* ; */ ", 
                "SELECT \"a;b\", `c;d` FROM t", "BEGIN UPDATE t SET n = 1; END;",
                "create trigger a after insert on t begin delete from u; end", "SELECT $$a;b$$")) {
            assertEquals("", SqlText.behindFirst(one), one);
        }
        assertEquals("DELETE FROM t;", SqlText.behindFirst("SELECT 1; -- first\nDELETE FROM t;"));
        assertEquals(":b", SqlText.behindFirst("SELECT 'x;' || :a;:b"));
    }
}
