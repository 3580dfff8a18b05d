package io.despina.operator.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.expr.RecordFormatter;
import io.despina.expr.TextOptions;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Whatever is written byte by byte is what Spark's formatter writes. */
class PlainLinesTest {
    private static final List<Simple> TYPES = List.of(Simple.BOOLEAN, Simple.TINYINT, Simple.SMALLINT, Simple.INT, Simple.BIGINT,
            Simple.FLOAT, Simple.DOUBLE, Simple.STRING, Simple.DATE, Simple.TIMESTAMP, Simple.TIMESTAMP_NTZ);
    private static final Schema ALL = schema(TYPES);
    private static final Schema TEXT = schema(List.of(Simple.STRING));
    private static final Map<List<Object>, RecordFormatter> SPARK = new HashMap<>();

    private static Schema schema(List<Simple> types) {
        return new Schema(types.stream()
                .map(type -> new Column(type.name().toLowerCase(java.util.Locale.ROOT), (Type) type, true)).toList());
    }

    @Provide
    Arbitrary<List<Object>> rows() {
        Arbitrary<String> strings = Arbitraries.of("a", "bc", " ", ",", ";", "\"", "\\", "\n", "#", "é", "\t", "\u0001",
                "\u007F", "'", "x y", "").list().ofMaxSize(4).map(parts -> String.join("", parts));
        Arbitrary<Long> micros = Arbitraries.oneOf(
                Arbitraries.longs().between(-62_135_596_800_000_000L, 253_402_300_799_999_999L),
                Arbitraries.longs().between(-5_000_000, 5_000_000),
                Arbitraries.just(1_329_929_188_967_032L));
        List<Arbitrary<?>> values = List.of(Arbitraries.of(true, false), Arbitraries.bytes(), Arbitraries.shorts(),
                Arbitraries.integers(), Arbitraries.longs(),
                Arbitraries.oneOf(Arbitraries.floats(), Arbitraries.of(Float.NaN, Float.POSITIVE_INFINITY, -0f)),
                Arbitraries.oneOf(Arbitraries.doubles(), Arbitraries.of(Double.NaN, Double.NEGATIVE_INFINITY, 1e-5, 1e21, 3.0)),
                strings, Arbitraries.integers().between(-719_162, 2_932_896), micros, micros);
        List<Arbitrary<Object>> nullable = new ArrayList<>();
        values.forEach(value -> nullable.add(value.map(v -> (Object) v).injectNull(0.2)));
        return Combinators.combine(nullable).as(row -> row);
    }

    /** @return what is written, after it was compared; null where Spark is left to write it */
    private static String compare(FileFormat format, Schema schema, Map<String, String> options, List<Object> row)
            throws IOException {
        RecordFormat.Write records = new RecordFormat.Write(format, options, "UTC", true);
        byte[] bytes = Rows.encode(schema, List.of(row));
        Packet packet = new Packet(schema.layout());
        packet.wrap(bytes, 0, bytes.length);
        LineBuffer lines = new LineBuffer();
        if (!PlainLines.of(records, schema).write(packet, lines)) {
            return null;
        }
        RecordFormatter spark = SPARK.computeIfAbsent(List.of(format, schema, options), key -> Expressions.formatter(
                new TextOptions(format == FileFormat.CSV ? "csv" : "json", schema, 0, options, "UTC", true)));
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        spark.format(packet, expected);
        String written = new String(lines.bytes(), 0, lines.size(), StandardCharsets.UTF_8);
        assertEquals(expected.toString(StandardCharsets.UTF_8), written, row::toString);
        return written;
    }

    @Property(tries = 1500)
    void jsonIsAsSparkWritesIt(@ForAll("rows") List<Object> row) throws IOException {
        compare(FileFormat.JSON, ALL, Map.of(), row);
        compare(FileFormat.JSON, ALL, Map.of("ignoreNullFields", "false",
                "timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "timestampNTZFormat", "yyyy-MM-dd HH:mm:ss"), row);
        compare(FileFormat.JSON, TEXT, Map.of(), Arrays.asList(row.get(7)));
    }

    @Property(tries = 1500)
    void csvIsAsSparkWritesIt(@ForAll("rows") List<Object> row) throws IOException {
        compare(FileFormat.CSV, ALL, Map.of(), row);
        compare(FileFormat.CSV, ALL, Map.of("sep", ";", "timestampFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS"), row);
        compare(FileFormat.CSV, ALL, Map.of("sep", "\\t", "timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss[.S]"), row);
        compare(FileFormat.CSV, TEXT, Map.of(), Arrays.asList(row.get(7)));
    }

    @Test
    void plainRowsAreWrittenHere() throws IOException {
        List<Object> row = Rows.row(true, -5, 7, 1_000_000, Long.MIN_VALUE, 1.5f, -0.1, "some text", 15_392,
                1_329_929_188_967_032L, -1L);
        assertEquals("true,-5,7,1000000,-9223372036854775808,1.5,-0.1,some text,2012-02-22,2012-02-22T16:46:28.967Z,"
                + "1969-12-31T23:59:59.999\n", compare(FileFormat.CSV, ALL, Map.of(), row));
        assertTrue(compare(FileFormat.JSON, ALL, Map.of(), row).startsWith("{\"boolean\":true,\"tinyint\":-5,"));
        assertEquals("{}\n", compare(FileFormat.JSON, TEXT, Map.of(), Rows.row((Object) null)));
    }

    @Test
    void whatIsUncommonIsLeftToSpark() {
        RecordFormat.Write csv = new RecordFormat.Write(FileFormat.CSV, Map.of("quoteAll", "true"), "UTC", true);
        assertNull(PlainLines.of(csv, ALL));
        assertNull(PlainLines.of(new RecordFormat.Write(FileFormat.JSON, Map.of("timestampFormat", "dd.MM.yy"), "UTC", true),
                ALL));
        assertNull(PlainLines.of(new RecordFormat.Write(FileFormat.JSON, Map.of(), "Europe/Rome", true), ALL));
        Schema nested = Schema.of(new Column("a", new Type.Array(Simple.INT, true), true));
        assertNull(PlainLines.of(new RecordFormat.Write(FileFormat.JSON, Map.of(), "UTC", true), nested));
    }
}
