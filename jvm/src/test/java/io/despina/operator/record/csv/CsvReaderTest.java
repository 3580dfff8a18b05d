package io.despina.operator.record.csv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Whatever the byte-level reader is sure of, Spark's parser reads alike; whatever it refuses, Spark's refuses. */
class CsvReaderTest {
    private static final Map<Map<String, String>, Pair> PAIRS = new HashMap<>();
    private static final List<Type> TYPES = List.of(Simple.BOOLEAN, Simple.TINYINT, Simple.SMALLINT, Simple.INT, Simple.BIGINT,
            Simple.FLOAT, Simple.DOUBLE, new Type.Decimal(5, 2), new Type.Decimal(18, 0), Simple.STRING, Simple.DATE,
            Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ);

    /** Bytes of other lines before and behind, that would change each cell they got into. */
    private static final byte[] AROUND = "7,\"\t;|8-9.".getBytes(StandardCharsets.UTF_8);

    /** Both readers of one dialect over one schema. */
    private record Pair(Schema schema, CsvDialect dialect, CsvReader fast, RecordParser spark) {

        static Pair of(Schema schema, Map<String, String> options) {
            CsvDialect dialect = CsvDialect.of(options, "UTC");
            CsvReader fast = new CsvReader(dialect, new CsvReader.Cells(schema.size(), false, null),
                    new CsvReader.Columns(schema, -1, Set.of()));
            assertTrue(fast.canRead(), () -> schema + " with " + options);
            RecordParser spark = Expressions.parser(new TextOptions("csv", schema, schema.size(), options, "UTC", true));
            spark.begin(false);
            return new Pair(schema, dialect, fast, spark);
        }

        /** @return whether the fast reader was sure */
        boolean compare(byte[] line) {
            PacketWriter bySpark = Rows.growing(schema);
            RecordParser.Refusal reason = spark.parse(line, 0, line.length, bySpark);
            List<List<Object>> expected = Rows.decode(schema, bySpark.bytes(), 0, bySpark.position());
            String shown = "[" + new String(line, StandardCharsets.UTF_8) + "] " + reason;
            if (dialect.skips(line, 0, line.length)) {
                assertNull(reason, shown);
                assertEquals(List.of(), expected, shown);
                return true;
            }
            PacketWriter byUs = Rows.growing(schema);
            CsvReader.LineResult result = fast.read(line, 0, line.length, byUs, null);
            PacketWriter amid = Rows.growing(schema);
            byte[] others = among(line);
            assertEquals(result, fast.read(others, AROUND.length, AROUND.length + line.length, amid, null), shown);
            assertEquals(Rows.decode(schema, byUs.bytes(), 0, byUs.position()),
                    Rows.decode(schema, amid.bytes(), 0, amid.position()), shown);
            List<List<Object>> read = Rows.decode(schema, byUs.bytes(), 0, byUs.position());
            switch (result) {
                case WRITTEN -> {
                    assertNull(reason, shown);
                    assertEquals(expected, read, shown);
                }
                case WRONG_COLUMNS -> assertNotNull(reason, shown);
                default -> assertEquals(List.of(), read, shown);
            }
            return result != CsvReader.LineResult.UNSURE;
        }

        private static byte[] among(byte[] line) {
            byte[] all = Arrays.copyOf(AROUND, line.length + 2 * AROUND.length);
            System.arraycopy(line, 0, all, AROUND.length, line.length);
            System.arraycopy(AROUND, 0, all, AROUND.length + line.length, AROUND.length);
            return all;
        }

        boolean compare(String line) {
            return compare(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    private static Schema schema(List<Type> types) {
        List<Column> columns = new ArrayList<>();
        types.forEach(type -> columns.add(new Column("c" + columns.size(), type, true)));
        return new Schema(columns);
    }

    private static Pair pair(Schema schema, Map<String, String> options) {
        Map<String, String> key = new HashMap<>(options);
        key.put("schema", schema.sql());
        return PAIRS.computeIfAbsent(key, k -> Pair.of(schema, options));
    }

    private static Pair single(Type type, Map<String, String> options) {
        return pair(schema(List.of(type, Simple.STRING)), options);
    }

    @Provide
    Arbitrary<String> numbers() {
        Arbitrary<String> digits = Arbitraries.strings().numeric().ofMaxLength(25);
        Arbitrary<String> signs = Arbitraries.of("", "", "", "-", "+", " ", "--");
        Arbitrary<String> fractions = Arbitraries.of("", "", ".", ".0", ".5", ".25", ".123456789", ".000", ".1.2", ",5");
        Arbitrary<String> ends = Arbitraries.of("", "", "", "e5", "E-7", "e400", "e-400", "d", "f", "L", " ", "x");
        Arbitrary<String> made = Combinators.combine(signs, digits, fractions, ends).as((s, d, f, e) -> s + d + f + e);
        Arbitrary<String> edges = Arbitraries.of("127", "128", "-128", "-129", "32767", "32768", "-32768", "2147483647",
                "2147483648", "-2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
                "-9223372036854775808", "999999999999999999", "-0", "0", "00071", "NaN", "Inf", "-Inf", "Infinity", "nan", "null",
                "999.99", "1000", "999.999", "0.1", "16777217", "9007199254740993", "1.17549435e-38", "4.9e-324",
                "0x1p3", "\u0665");
        return Arbitraries.oneOf(made, edges, Arbitraries.longs().map(String::valueOf),
                Arbitraries.doubles().map(String::valueOf), Arbitraries.floats().map(String::valueOf));
    }

    @Property(tries = 4000)
    void numbersAreReadAsSparkReadsThem(@ForAll("numbers") String number) {
        for (Type type : TYPES) {
            single(type, Map.of()).compare(number + ",x");
        }
    }

    @Provide
    Arbitrary<String> times() {
        Arbitrary<String> dates = Combinators.combine(Arbitraries.integers().between(-1, 10001),
                Arbitraries.integers().between(0, 13), Arbitraries.integers().between(0, 32), Arbitraries.of("%04d-%02d-%02d",
                        "%04d-%02d-%02d", "%04d-%02d-%02d", "%d-%d-%d", "%04d/%02d/%02d", "%04d%02d%02d"))
                .as((y, m, d, format) -> String.format(format, y, m, d));
        Arbitrary<String> clocks = Combinators.combine(Arbitraries.of("T", " ", "T", "t", "  ", ""),
                Arbitraries.integers().between(0, 24), Arbitraries.integers().between(0, 60),
                Arbitraries.integers().between(0, 60)).as((t, h, m, s) -> String.format("%s%02d:%02d:%02d", t, h, m, s));
        Arbitrary<String> fractions = Arbitraries.oneOf(Arbitraries.just(""),
                Arbitraries.strings().numeric().ofMaxLength(11).map(digits -> "." + digits));
        Arbitrary<String> zones = Arbitraries.of("", "", "Z", "+00:00", "-00:00", "+01:00", "-17:59", "+18:00", "+18:01", "+1:00",
                "+0100", "UTC", " Z", "+01:60", "+19:00", "[Europe/Rome]", "Europe/Rome", " ", "+01:00:30");
        return Combinators.combine(dates, Arbitraries.oneOf(clocks, clocks, clocks, Arbitraries.of("", "T", "T10", "T10:11")),
                fractions, zones).as((date, clock, fraction, zone) -> date + clock + fraction + zone);
    }

    @Property(tries = 4000)
    void timesAreReadAsSparkReadsThem(@ForAll("times") String time) {
        for (Type type : List.of(Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ, Simple.DATE, Simple.STRING)) {
            single(type, Map.of()).compare(time + ",x");
            single(type, Map.of("timeZone", "Europe/Rome")).compare(time + ",x");
            single(type, Map.of("timeZone", "+05:30")).compare(time + ",x");
        }
    }

    @Provide
    Arbitrary<String> lines() {
        Arbitrary<String> pieces = Arbitraries.of(",", ",", ",", ",", "\"", "\"\"", "\\", "#", ";", "\t", " ", "  ", "a",
                "xyz", "12", "-5", "NA", "true", "é", "\uD83D\uDE00", "'", "\u0000", "\u0001", "\u007F", "\u00A0",
                "\uFEFF", "\r");
        return pieces.list().ofMaxSize(12).map(list -> String.join("", list));
    }

    /** As where files with a byte order mark each were put behind one another. */
    @Test
    void aByteOrderMarkWithinAFileIsText() {
        Pair pair = Pair.of(schema(List.of(Simple.STRING, Simple.STRING)), Map.of());
        assertTrue(pair.compare("\uFEFFa,b"));
        assertTrue(pair.compare("\uFEFFa,b"));
    }

    @Property(tries = 6000)
    void linesAreTakenApartAsSparkTakesThemApart(@ForAll("lines") String line) {
        Schema strings = schema(List.of(Simple.STRING, Simple.STRING, Simple.STRING));
        Schema one = schema(List.of(Simple.STRING));
        for (Schema schema : List.of(strings, one)) {
            pair(schema, Map.of()).compare(line);
            pair(schema, Map.of("comment", "#")).compare(line);
            pair(schema, Map.of("nullValue", "NA")).compare(line);
            pair(schema, Map.of("quote", "'", "sep", ";")).compare(line);
            pair(schema, Map.of("quote", "", "sep", "\\t")).compare(line);
            pair(schema, Map.of("escape", "\"", "emptyValue", "12")).compare(line);
        }
    }

    @Property(tries = 2000)
    void bytesThatAreNoUtf8AreReadAsSparkReadsThem(@ForAll byte[] cell) {
        byte[] line = new byte[cell.length + 2];
        for (int k = 0; k < cell.length; k++) {
            line[k] = cell[k] == '\n' || cell[k] == '\r' ? (byte) 0xC3 : cell[k];
        }
        line[cell.length] = ',';
        line[cell.length + 1] = 'x';
        pair(schema(List.of(Simple.STRING, Simple.STRING)), Map.of()).compare(line);
    }

    @Test
    void itIsSureOfPlainLines() {
        Map<Type, List<String>> plain = Map.of(
                Simple.BOOLEAN, List.of("true", "FALSE", "True", ""),
                Simple.TINYINT, List.of("-128", "127", "+5"),
                Simple.INT, List.of("0071", "-2147483648", ""),
                Simple.BIGINT, List.of("2556001", "999999999999999999"),
                Simple.FLOAT, List.of("1.5", "-0.1", "3e7"),
                Simple.DOUBLE, List.of("73.96732207", "-0.30000000000000004", "1e300", "0"),
                new Type.Decimal(5, 2), List.of("999.99", "-1.5", "7"),
                Simple.STRING, List.of("plain text", "\"quoted, text\"", "größer", ""),
                Simple.DATE, List.of("2012-02-29", "0001-01-01"),
                Simple.TIMESTAMP, List.of("2012-02-22T16:46:28.9670320+00:00", "2012-02-22 16:46:28", "2012-02-22T16:46:28.5Z"));
        plain.forEach((type, cells) -> cells.forEach(cell -> assertTrue(single(type, Map.of()).compare(cell + ",x"), cell)));
    }

    /** Spark drops a NUL between quotes; random lines with one are rare. */
    @Test
    void aNulBetweenQuotesIsLeftToSpark() {
        Pair one = pair(schema(List.of(Simple.STRING)), Map.of());
        for (String cell : List.of("\"a,\u0000\"", "\"\u0000a\"", "\"a\u0000b\"")) {
            assertFalse(one.compare(cell), cell);
        }
    }

    @Test
    void ofADialectItDoesNotKnowItSaysSo() {
        for (Map<String, String> options : List.of(Map.of("sep", "||"), Map.of("timestampFormat", "dd.MM.yyyy"),
                Map.of("ignoreLeadingWhiteSpace", "true"), Map.of("encoding", "ISO-8859-1"), Map.of("nanValue", "x"),
                Map.of("escape", "é"), Map.of("encoding", "utf8"), Map.of("sep", "\\"), Map.of("header", "yes"),
                Map.of("unescapedQuoteHandling", "RAISE_ERROR"))) {
            CsvDialect dialect = CsvDialect.of(options, "UTC");
            assertTrue(!new CsvReader(dialect, new CsvReader.Cells(1, false, null),
                    new CsvReader.Columns(schema(List.of(Simple.INT)), -1, Set.of())).canRead(), options.toString());
        }
    }
}
