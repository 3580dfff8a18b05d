package io.despina.operator.user;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.api.Context;
import io.despina.api.Row;
import io.despina.api.RowOperator;
import io.despina.api.RowWriter;
import io.despina.descriptor.Ddl;
import io.despina.operator.OpeningException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.packet.Schema;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UserOperatorTest {
    private static final String WIDE = "DECIMAL(30,2)";

    /** What {@link Asked} does; set by the test that runs it, in its own thread. */
    private static final ThreadLocal<BiConsumer<Row, RowWriter>> ASKED = new ThreadLocal<>();

    /** Does what the test says. */
    public static final class Asked implements RowOperator {
        private BiConsumer<Row, RowWriter> asked;

        @Override
        public void open(Context context) {
            asked = ASKED.get();
        }

        @Override
        public void process(Row row, RowWriter out) {
            asked.accept(row, out);
        }
    }

    /** Keeps one text for all packets, which grows. */
    public static final class Growing implements RowOperator {
        private Context context;

        @Override
        public String state() {
            return "text STRING";
        }

        @Override
        public void open(Context opened) {
            context = opened;
        }

        @Override
        public void process(Row row, RowWriter out) {
            String before = context.state().exists() ? context.state().get().getString(0) : "";
            context.state().put().setString(0, before + "x".repeat(1000)).commit();
        }

        @Override
        public void end(RowWriter out) {
            out.begin().copy(0, context.state().get(), 0).commit();
        }
    }

    /** Keeps a limit for each key, by rows of {@code limits}; rows above it leave by {@code alarms}, others by {@code out}. */
    public static final class Limits implements RowOperator {
        private Context context;
        private RowWriter alarms;

        @Override
        public String state() {
            return "most INT NOT NULL";
        }

        @Override
        public void open(Context opened) {
            context = opened;
            alarms = opened.writer("alarms");
            assertEquals(List.of("k", "most"), List.of(opened.input("limits").name(0), opened.input("limits").name(1)));
            assertEquals("n", opened.input("in").name(1));
            assertEquals(2, opened.writer("out").columns().size());
        }

        @Override
        public void process(Row row, RowWriter out) {
            if (!context.state().exists()) {
                throw new IllegalStateException("no limit");
            }
            if (row.getInt(1) > context.state().get().getInt(0)) {
                alarms.begin().copy(0, row, 0).setInt(1, row.getInt(1) - context.state().get().getInt(0)).commit();
                if (row.getInt(1) == UNFINISHED) {
                    alarms.begin();
                }
            } else {
                out.begin().copyAll(row).commit();
            }
        }

        @Override
        public void process(String port, Row row, RowWriter out) {
            assertEquals("limits", port);
            context.state().put().setInt(0, row.getInt(1)).commit();
        }

        @Override
        public void end(RowWriter out) {
            alarms.begin().copy(0, context.state().key(), 0).commit();
        }
    }

    private static final int UNFINISHED = 99;

    private static Schema schema(String ddl) {
        try {
            return Ddl.parse(ddl);
        } catch (Ddl.DdlException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static OperatorHarness.Setup setup(Class<?> of, String in, String out) {
        UserClass user = new UserClass(of.getName(), UserOperatorTest.class.getClassLoader());
        Schema leaving = schema(out);
        return OperatorHarness.of(() -> new UserOperator(new UserOperator.Options(user, Map.of(), leaving, Keys.none(),
                UserOperatorTest::schema))).inputs(schema(in)).outputs(leaving);
    }

    private static OperatorHarness open(String in, String out, BiConsumer<Row, RowWriter> asked) throws Exception {
        ASKED.set(asked);
        return setup(Asked.class, in, out).skippingBadRecords().open();
    }

    @Test
    void readsAndWritesColumnsOfEveryType() throws Exception {
        String ddl = "a BOOLEAN, b TINYINT, c SMALLINT, d INT, e BIGINT, f FLOAT, g DOUBLE, h DATE, i TIMESTAMP, j TIMESTAMP_NTZ,"
                + " k DECIMAL(10,2), l " + WIDE + ", m STRING, n BINARY, o INTERVAL YEAR TO MONTH, p INTERVAL DAY TO "
                + "SECOND, q ARRAY<STRING>";
        OperatorHarness harness = open(ddl, ddl, (row, out) -> out.begin().setBoolean(0, row.getBoolean(0))
                .setByte(1, row.getByte(1))
                .setShort(2, row.getShort(2)).setInt(3, row.getInt(3)).setLong(4, row.getLong(4)).setFloat(5, row.getFloat(5))
                .setDouble(6, row.getDouble(6)).setInt(7, row.getInt(7)).setLong(8, row.getLong(8)).setLong(9, row.getLong(9))
                .setDecimal(10, row.getDecimal(10)).setDecimal(11, row.getDecimal(11)).setString(12, row.getString(12))
                .setBytes(13, row.getBytes(13), 0, 2).setInt(14, row.getInt(14)).setLong(15, row.getLong(15))
                .copy(16, row, 16).commit());
        List<Object> row = Rows.row(true, (byte) 1, (short) 2, 3, 4L, 5f, 6d, 7, 8L, 9L, new BigDecimal("10.25"),
                new BigDecimal("123456789012345678901234567.89"), "zwölf", ByteBuffer.wrap(new byte[] {1, 3}), 14, 15L,
                List.of("x", "y"));
        harness.feed(0, List.of(row));
        assertEquals(List.of(row), harness.rows(0));
    }

    @Test
    void whatIsNotSetIsNull() throws Exception {
        OperatorHarness harness = open("n INT", "a STRING, b INT, c STRING, d STRING", (row, out) ->
                out.begin().setString(2, "c").commit());
        harness.feedRow(0, 1);
        assertEquals(List.of(Rows.row(null, null, "c", null)), harness.rows(0));
    }

    private static String refused(String out, BiConsumer<Row, RowWriter> asked) throws Exception {
        OperatorHarness harness = open("n INT, s STRING", out, asked);
        harness.feedRow(0, 1, "text");
        assertEquals(List.of(), harness.rows(0));
        assertEquals(1, harness.badRecords.size());
        return harness.badRecords.get(0);
    }

    private static void assertHas(String words, String found) {
        assertTrue(found.contains(words), found);
    }

    @Test
    void whatAWriterCannotTakeIsABadRecordThatNamesTheColumn() throws Exception {
        assertHas("column `b` is NOT NULL, and is not set", refused("a INT, b INT NOT NULL", (row, out) ->
                out.begin().setInt(0, 1).commit()));
        assertHas("column `b` is NOT NULL, and is not set", refused("b STRING NOT NULL, c STRING",
                (row, out) -> out.begin().setString(1, "").commit()));
        assertHas("column `a` comes too late", refused("a STRING, b STRING", (row, out) ->
                out.begin().setString(1, "").setString(0, "").commit()));
        assertHas("column `a` comes too late", refused("a STRING, b STRING", (row, out) ->
                out.begin().setString(0, "").setNull(0).commit()));
        assertHas("column `a` is INT, not for getLong or setLong: use getInt or setInt",
                refused("a INT", (row, out) -> out.begin().setLong(0, 1).commit()));
        assertHas("column `n` is INT, not for getString or setString", refused("a STRING",
                (row, out) -> out.begin().setString(0, row.getString(0)).commit()));
        assertHas("column `a` is BIGINT, and `n` is INT", refused("a BIGINT", (row, out) ->
                out.begin().copy(0, row, 0).commit()));
        assertHas("which cannot hold 1000", refused("a DECIMAL(4,2)", (row, out) ->
                out.begin().setDecimal(0, new BigDecimal(1000)).commit()));
        assertHas("which cannot hold 0.125", refused("a DECIMAL(4,2)",
                (row, out) -> out.begin().setDecimal(0, new BigDecimal("0.125")).commit()));
        assertHas("it has begun a row and not committed it", refused("a INT", (row, out) -> out.begin().setInt(0, 1)));
        assertHas("no row is begun", refused("a INT", (row, out) -> out.setInt(0, 1)));
        assertHas("there is no column `x` among n, s", refused("a INT", (row, out) -> row.columns().index("x")));
    }

    @Test
    void aRowThatFailedHalfwayLeavesNothingBehind() throws Exception {
        OperatorHarness harness = open("n INT", "a STRING, b INT", (row, out) -> {
            out.begin().setString(0, "half").setInt(1, row.getInt(0));
            if (row.getInt(0) == 1) {
                throw new IllegalStateException("one");
            }
            out.commit();
        });
        harness.feedRow(0, 1).feedRow(0, 2);
        assertEquals(List.of(Rows.row("half", 2)), harness.rows(0));
        assertEquals(1, harness.badRecords.size());
    }

    @Test
    void whatWasCommittedBeforeStays() throws Exception {
        OperatorHarness harness = open("n INT", "a INT", (row, out) -> {
            out.begin().setInt(0, 1).commit();
            throw new IllegalStateException("after");
        });
        harness.feedRow(0, 1);
        assertEquals(List.of(Rows.row(1)), harness.rows(0));
        assertEquals(1, harness.badRecords.size());
    }

    @Test
    void theStateCountsAgainstTheMemory() throws Exception {
        OperatorHarness harness = setup(Growing.class, "n INT", "text STRING").memory(20_000).open();
        harness.feedRow(0, 1);
        assertTrue(harness.stateBytes > 1000);
        RuntimeException failed = assertThrows(RuntimeException.class, () -> {
            for (int k = 0; k < 100; k++) {
                harness.feedRow(0, k);
            }
        });
        assertEquals(0, harness.badRecords.size(), failed.getMessage());
    }

    @Test
    void theEndSeesWhatIsKept() throws Exception {
        OperatorHarness harness = setup(Growing.class, "n INT", "text STRING").open();
        harness.feedRow(0, 1).feedRow(0, 2).end();
        assertEquals(List.of(Rows.row("x".repeat(2000))), harness.rows(0));
    }

    private static OperatorHarness.Setup ports(Class<?> of, String output) {
        UserClass user = new UserClass(of.getName(), UserOperatorTest.class.getClassLoader());
        Schema in = schema("k STRING, n INT");
        Schema key = schema("k STRING");
        Keys keys = new Keys(key, Timed.columns(0), 256);
        return OperatorHarness.of(() -> new UserOperator(new UserOperator.Options(user, Map.of(),
                List.of(new UserOperator.Out("out", in), new UserOperator.Out(output, schema("k STRING, over INT"))),
                List.of(new UserOperator.In("in", keys), new UserOperator.In("limits", keys)), UserOperatorTest::schema)))
                .inputs(in, schema("k STRING, most INT")).outputs(in, schema("k STRING, over INT"));
    }

    @Test
    void theClassChoosesThePort() throws Exception {
        OperatorHarness harness = ports(Limits.class, "alarms").skippingBadRecords().open();
        harness.feedRow(0, "a", 1).feedRow(1, "a", 5).feedRow(1, null, 2).feedRow(0, "a", 5).feedRow(0, "a", 7);
        harness.restart();
        harness.feedRow(0, null, 3).feedRow(1, "a", 8).feedRow(0, "a", 7).feedRow(0, "a", UNFINISHED).end();
        assertEquals(List.of(Rows.row("a", 5), Rows.row("a", 7)), harness.rows(0));
        assertEquals(List.of(Rows.row("a", 2), Rows.row(null, 1), Rows.row("a", UNFINISHED - 8)), harness.rows(1).subList(0, 3));
        assertEquals(Set.of(Rows.row("a", null), Rows.row(null, null)), Set.copyOf(harness.rows(1).subList(3, 5)));
        assertEquals(2, harness.badRecords.size());
        assertHas("no limit", harness.badRecords.get(0));
        assertHas("it has begun a row and not committed it", harness.badRecords.get(1));
    }

    @Test
    void itStopsWhereAnyOfItsOutputsIsFull() throws Exception {
        OperatorHarness harness = ports(Limits.class, "alarms").room(1, 1).open();
        harness.feedRow(1, "a", 0).feed(0, IntStream.range(1, 40).mapToObj(n -> Rows.row("a", n)).toList());
        assertEquals(39, harness.rows(1).size());
    }

    @Test
    void aPortThatTheGraphOrTheClassDoesNotHaveIsTold() {
        assertHas("the graph gives it no output port `alarms`: add it to `outputs`",
                assertThrows(OpeningException.class, () -> ports(Limits.class, "others").open()).getMessage());
        assertHas("takes rows of port `in` alone, and the graph gives it `limits` too",
                assertThrows(OpeningException.class, () -> ports(Growing.class, "alarms").open()).getMessage());
    }

    @Test
    void textsAreUtf8() throws Exception {
        OperatorHarness harness = open("s STRING", "s STRING", (row, out) -> {
            byte[] utf8 = row.getBytes(0);
            assertEquals("ä", new String(utf8, StandardCharsets.UTF_8));
            out.begin().setBytes(0, utf8, 0, utf8.length).commit();
        });
        harness.feedRow(0, "ä");
        assertEquals(List.of(Rows.row("ä")), harness.rows(0));
    }
}
