package io.despina.descriptor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Interval.Unit;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.api.Test;

class DdlTest {
    private static final List<Type> INTERVALS = List.of(new Type.Interval(Unit.YEAR, Unit.MONTH),
            new Type.Interval(Unit.MONTH, Unit.MONTH), new Type.Interval(Unit.DAY, Unit.SECOND),
            new Type.Interval(Unit.HOUR, Unit.MINUTE), new Type.Interval(Unit.SECOND, Unit.SECOND));

    @Test
    void readsNullabilityCommentsQuotesAndSynonyms() throws Ddl.DdlException {
        Schema schema = Ddl.parse("ts timestamp_ltz NOT NULL COMMENT 'it''s', `a ``b` dec(5), c integer comment \"x\\\"y\", d "
                + "DECIMAL");
        assertEquals(List.of(new Column("ts", Type.Simple.TIMESTAMP, false), new Column("a `b", new Type.Decimal(5, 0), true),
                new Column("c", Type.Simple.INT, true), new Column("d", new Type.Decimal(10, 0), true)), schema.columns());
    }

    @Test
    void readsDefaults() throws Ddl.DdlException {
        String written = "a DOUBLE DEFAULT 20.5, b STRING NOT NULL DEFAULT 'it''s, \\'so\\'', c DATE DEFAULT DATE '2024-01-01', "
                + "d DECIMAL(4, 1) DEFAULT -999.9, e TIMESTAMP DEFAULT TIMESTAMP '2024-01-01 12:00:00+01:00', "
                + "f ARRAY<INT> DEFAULT NULL, g TINYINT DEFAULT -128, h BINARY DEFAULT X'0F', i BIGINT DEFAULT 127y, "
                + "j FLOAT DEFAULT 1e-50, k DECIMAL(38, 0) DEFAULT 12345678901234567890123456789012345678";
        Schema schema = Ddl.parse(written);
        assertEquals(List.of("20.5", "'it''s, \\'so\\''", "DATE '2024-01-01'", "-999.9", "TIMESTAMP '2024-01-01 12:00:00+01:00'",
                "NULL", "-128", "X'0F'", "127y", "1e-50", "12345678901234567890123456789012345678"),
                schema.columns().stream().map(Column::absent).toList());
        assertEquals(schema, Ddl.parse(schema.sql()));
        assertEquals("7", Ddl.parse("a INT COMMENT 'c' DEFAULT 7 NOT NULL").column(0).absent());
    }

    @Test
    void refusesDefaultsThatTheColumnCannotHold() {
        for (String wrong : List.of("a INT DEFAULT 1.5", "a TINYINT DEFAULT 128", "a DECIMAL(4, 1) DEFAULT 1000",
                "a DECIMAL(4, 1) DEFAULT 0.25", "a INT DEFAULT '1'", "a STRING DEFAULT 1", "a DATE DEFAULT DATE '2024-02-30'",
                "a DATE DEFAULT TIMESTAMP '2024-02-03 00:00:00'", "a TIMESTAMP DEFAULT TIMESTAMP '2024-02-03 25:00:00'",
                "a TIMESTAMP_NTZ DEFAULT TIMESTAMP_NTZ '2024-02-03 00:00:00Z'", "a INT NOT NULL DEFAULT NULL",
                "a BOOLEAN DEFAULT 1", "a ARRAY<INT> DEFAULT 1", "a INT DEFAULT 1e99999999999", "a DOUBLE DEFAULT 1e999",
                "a DOUBLE DEFAULT -1e99999999999", "a FLOAT DEFAULT 1e39", "a FLOAT DEFAULT 1e39D",
                "a DECIMAL(10, 2) DEFAULT 1e999999999", "a BIGINT DEFAULT 300Y", "a INT DEFAULT 5.0L", "a INT DEFAULT 1e2S",
                "a DOUBLE DEFAULT 123456789012345678901234567890123456789", "a DECIMAL(38, 0) DEFAULT 1e40BD",
                "a BINARY DEFAULT X'zz'")) {
            Ddl.DdlException refused = assertThrows(Ddl.DdlException.class, () -> Ddl.parse(wrong), wrong);
            assertEquals(wrong.indexOf("DEFAULT ") + 8, refused.index(), wrong);
        }
        for (String wrong : List.of("a INT DEFAULT", "a INT DEFAULT now()", "a INT DEFAULT 1 + 1", "a DATE DEFAULT DATE",
                "a INT DEFAULT 1x", "a STRUCT<b: INT DEFAULT 1>", "a STRING DEFAULT 'open")) {
            assertThrows(Ddl.DdlException.class, () -> Ddl.parse(wrong), wrong);
        }
    }

    @Test
    void saysWhereItStumbles() {
        assertEquals(6, assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a INT,")).index());
        assertEquals(2, assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a CHAR(3)")).index());
        assertEquals(2, assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a `INT")).index());
        assertEquals(8, assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a ARRAY<INTERVAL HOUR TO DAY>")).index());
        assertEquals(2, assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a DECIMAL(40, 2)")).index());
        assertThrows(Ddl.DdlException.class, () -> Ddl.parse("s STRUCT<a: INT, A: INT>"));
        assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a INT NOT"));
        assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a INT COMMENT 'open"));
        assertThrows(Ddl.DdlException.class, () -> Ddl.parse(""));
    }

    @Test
    void readsIntervalsAsSparkDoes() throws Exception {
        int read = 0;
        for (Unit from : Unit.values()) {
            assertInterval("INTERVAL " + from);
            for (Unit to : Unit.values()) {
                read += assertInterval("interval " + from + " to " + to) ? 1 : 0;
            }
        }
        assertEquals(7, read);
        assertEquals(false, assertInterval("INTERVAL"));
        assertEquals(false, assertInterval("INTERVAL WEEK"));
    }

    /** Whether both take it, for the same; fails where they differ. */
    private static boolean assertInterval(String type) throws Exception {
        Type sparks;
        try {
            sparks = SparkTypes.type(DataType.fromDDL(type));
        } catch (Exception refused) {
            sparks = null;
        }
        if (sparks == null) {
            assertThrows(Ddl.DdlException.class, () -> Ddl.parse("a " + type), type);
            return false;
        }
        assertEquals(sparks, Ddl.parse("a " + type).column(0).type());
        assertEquals(DataType.fromDDL(type), SparkTypes.spark(sparks));
        assertEquals(type.toUpperCase(Locale.ROOT), sparks.sql());
        return true;
    }

    @Property(tries = 300)
    void readsWhatSchemasWrite(@ForAll("schemas") Schema schema) throws Ddl.DdlException {
        assertEquals(schema, Ddl.parse(schema.sql()));
    }

    @Property(tries = 500)
    void neverFailsOtherwise(@ForAll("nearlyDdl") String text) {
        try {
            Ddl.parse(text);
        } catch (Ddl.DdlException e) {
            assertEquals(true, e.index() >= 0 && e.index() <= text.length(), text);
        }
    }

    @Provide
    Arbitrary<String> nearlyDdl() {
        return Arbitraries.of("a", " ", "INT", "ARRAY", "<", ">", ",", ":", "`", "'", "\\", "COMMENT", "NOT", "NULL",
                "DECIMAL", "(", ")", "99999", "STRUCT", "MAP", "INTERVAL", "DAY", "TO", "SECOND").list().ofMaxSize(12)
                .map(l -> String.join(" ", l));
    }

    @Provide
    Arbitrary<Schema> schemas() {
        return columns(types(2), true).map(Schema::new);
    }

    private static Arbitrary<List<Column>> columns(Arbitrary<Type> types, boolean nullability) {
        Arbitrary<String> names = Arbitraries.oneOf(Arbitraries.of("ts", "Index", "_x1", "a b", "ü", "select"),
                Arbitraries.strings().withChars('a', '`', '.', ' ', 'Z', '9').ofMinLength(1).ofMaxLength(5));
        return Combinators.combine(names, types, Arbitraries.of(true, false)).as((n, t, o) -> new Column(n, t, o || !nullability))
                .list().ofMinSize(1).ofMaxSize(5).uniqueElements(c -> c.name().toLowerCase(Locale.ROOT));
    }

    private static Arbitrary<Type> types(int depth) {
        Arbitrary<Type> simple = Arbitraries.oneOf(Arbitraries.of(Type.Simple.values()).map(t -> t), Arbitraries.of(INTERVALS),
                Combinators.combine(Arbitraries.integers().between(1, 38), Arbitraries.integers().between(0, 38))
                        .as((p, s) -> new Type.Decimal(p, Math.min(p, s))));
        if (depth == 0) {
            return simple;
        }
        Arbitrary<Type> inner = types(depth - 1);
        return Arbitraries.oneOf(simple, inner.map(t -> new Type.Array(t, true)),
                Combinators.combine(inner, inner).as((k, v) -> new Type.MapOf(k, v, true)),
                columns(inner, true).map(Type.Struct::new));
    }
}
