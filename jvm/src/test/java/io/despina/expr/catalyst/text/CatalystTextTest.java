package io.despina.expr.catalyst.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Expressions;
import io.despina.expr.RecordFormatter;
import io.despina.expr.RecordParser;
import io.despina.expr.TextOptions;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

class CatalystTextTest {
    private static final Schema SCHEMA = Packets.schema("ts TIMESTAMP NOT NULL, n INT, s STRING");
    private static final long NOON = 1_329_912_000_123_456L;

    private static RecordParser parser(String format, int columns, Map<String, String> options) {
        return Expressions.parser(new TextOptions(format, SCHEMA, columns, options, "UTC", true));
    }

    private static List<List<Object>> parse(RecordParser parser, String line) {
        byte[] bytes = ("??" + line + "!").getBytes(StandardCharsets.UTF_8);
        PacketWriter out = Packets.writer(SCHEMA);
        byte[] region = new byte[4096];
        out.open(region, 0, region.length);
        assertNull(parser.parse(bytes, 2, bytes.length - 1, out));
        List<List<Object>> rows = new ArrayList<>();
        PacketCursor cursor = PacketCursor.reusing(SCHEMA.layout());
        cursor.reset(region, 0, out.position());
        while (!cursor.isEmpty()) {
            rows.add(Packets.values(cursor.next(), SCHEMA));
        }
        return rows;
    }

    private static String refusal(RecordParser parser, String line) {
        PacketWriter out = Packets.writer(SCHEMA);
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        RecordParser.Refusal refusal = parser.parse(bytes, 0, bytes.length, out);
        assertEquals(0, out.packets());
        assertNotNull(refusal, line);
        assertEquals(line, refusal.record());
        return refusal.reason();
    }

    @Test
    void readsCsv() {
        RecordParser parser = parser("csv", 5, Map.of("sep", "\t"));
        assertEquals(List.of(Arrays.asList(NOON, 7, UTF8String.fromString("é x"))),
                parse(parser, "2012-02-22T12:00:00.1234567+00:00\t7\té x\tmore\tyet"));
        assertEquals(List.of(Arrays.asList(NOON, null, null)), parse(parser, "2012-02-22T12:00:00.123456Z\t\t\t\t"));
        assertEquals(List.of(), parse(parser, "  "));
        assertEquals("the text `x` is no number of its column's type", refusal(parser, "2012-02-22T12:00:00Z\tx\ta\tb\tc"));
        assertEquals("the text `noon` is no TIMESTAMP", refusal(parser, "noon\t1\ta\tb\tc"));
        assertTrue(refusal(parser, "2012-02-22T12:00:00Z\t1\ta").contains("Malformed"));
        assertTrue(refusal(parser, "2012-02-22T12:00:00Z\t1\ta\tb\tc\td").contains("Malformed"));
        assertEquals("column `ts` is NOT NULL but has no value", refusal(parser, "\t1\ta\tb\tc"));
    }

    @Test
    void aLineWithMoreColumnsIsARecordWhateverTheFirstHolds() {
        Schema one = Packets.schema("n INT");
        RecordParser parser = Expressions.parser(new TextOptions("csv", one, TextOptions.AT_LEAST, Map.of(), "UTC", true));
        for (String line : List.of("7,x", ",x")) {
            PacketWriter out = Packets.writer(one);
            assertNull(parser.parse(line.getBytes(StandardCharsets.UTF_8), 0, line.length(), out), line);
            assertEquals(1, out.packets(), line);
        }
    }

    @Test
    void aBadArrayOfJsonIsBadOncePerElement() {
        RecordParser parser = parser("json", 0, Map.of());
        byte[] line = "[{\"n\": 1}, {\"n\": \"x\"}]".getBytes(StandardCharsets.UTF_8);
        assertEquals(2, parser.parse(line, 0, line.length, Packets.writer(SCHEMA)).times());
    }

    @Test
    void readsJson() {
        RecordParser parser = parser("json", 0, Map.of());
        assertEquals(List.of(Arrays.asList(NOON, 7, UTF8String.fromString("a"))),
                parse(parser, "{\"ts\": \"2012-02-22T12:00:00.123456Z\", \"n\": 7, \"s\": \"a\", \"other\": 1}"));
        assertEquals(2, parse(parser, "[{\"ts\": \"2012-02-22\"}, {\"ts\": \"2012-02-23\"}]").size());
        refusal(parser, "{\"ts\": \"2012-02-22\", \"n\": \"seven\"}");
        refusal(parser, "{\"ts\": ");
        refusal(parser, "{\"n\": 1}");
    }

    @Test
    void aLineWithTheNamesOfTheColumnsSaysSo() {
        String names = String.join("\t", SCHEMA.names());
        RecordParser parser = parser("csv", 0, Map.of("sep", "\\t"));
        String hint = "; the line has the names of the columns: \"options\": {\"header\": \"true\"} says so";
        assertTrue(refusal(parser, names).endsWith(hint));
        String quoted = "\"" + names.toUpperCase(Locale.ROOT).replaceFirst("\t", "\"\t");
        assertTrue(refusal(parser, quoted).endsWith(hint));
        assertFalse(refusal(parser, names + "\tmore").contains("names"));
        assertFalse(refusal(parser, "noon\t1\ta").contains("names"));
        assertFalse(refusal(parser("csv", 0, Map.of("sep", "\t", "header", "true")), names).contains("names"));
    }

    @Test
    void whatFollowsAJsonValueInItsLineMakesTheRecordBad() {
        RecordParser parser = parser("json", 0, Map.of());
        String good = "{\"ts\": \"2012-02-22\"}";
        for (String more : List.of(good, " " + good, ",", "x", "]", "}", "\u0000")) {
            assertEquals("the line goes on behind its JSON value: each record needs a line of its own",
                    refusal(parser, good + more));
        }
        assertTrue(refusal(parser, "[" + good + "] []").startsWith("the line goes on"));
        assertEquals(1, parse(parser, good + " \t").size());
    }

    @Test
    void whatSparkSaysNothingOfIsTold() {
        RecordParser parser = Expressions.parser(new TextOptions("json", Packets.schema("x DOUBLE, of STRUCT<y: DOUBLE>, "
                + "times MAP<STRING, TIMESTAMP>"), 0, Map.of(), "UTC", true));
        assertEquals("field `x`: the text `abc` is no DOUBLE", refusal(parser, "{\"x\": \"abc\"}"));
        assertEquals("field `y`: the text `-` is no DOUBLE", refusal(parser, "{\"x\": 1, \"of\": {\"y\": \"-\"}}"));
        assertEquals("a value of a MAP is not of its type", refusal(parser, "{\"times\": {\"a\": \"noon\"}}"));
    }

    @Test
    void aNumberThatIsNoTimeIsToldInTheUnitThatMakesItOne() {
        RecordParser seconds = parser("json", 0, Map.of());
        assertEquals("field `ts`: 1709315512577 seconds since 1970 are no time of the years 1 to 9999; if they are milliseconds, "
                + "add \"timestamp_unit\": \"milliseconds\"", refusal(seconds, "{\"ts\": 1709315512577}"));
        assertTrue(refusal(seconds, "{\"ts\": 1709315512577123}").endsWith("\"timestamp_unit\": \"microseconds\""));
        assertTrue(refusal(seconds, "{\"ts\": 1709315512577123456}").endsWith("\"timestamp_unit\": \"nanoseconds\""));
        assertTrue(refusal(seconds, "{\"ts\": -1e99}").endsWith("of the years 1 to 9999"));
        RecordParser list = Expressions.parser(new TextOptions("json", Packets.schema("all ARRAY<TIMESTAMP>"), 0, Map.of(), "UTC",
                true));
        assertTrue(refusal(list, "{\"all\": [0, 1709315512577]}").startsWith("field `all`: 1709315512577 seconds"));
        RecordParser millis = parser("json", 0, Map.of("timestamp_unit", "milliseconds"));
        assertEquals(List.of(Arrays.asList(1_709_315_512_577_000L, null, null)), parse(millis, "{\"ts\": 1709315512577}"));
    }

    @Test
    void refusesBadOptions() {
        assertThrows(IllegalArgumentException.class, () -> parser("csv", 0, Map.of("sep", "")));
        assertThrows(IllegalArgumentException.class, () -> parser("csv", 0, Map.of("multiLine", "true")));
        assertThrows(IllegalArgumentException.class, () -> parser("csv", 2, Map.of()));
    }

    private static String format(String format, Map<String, String> options, Object... values) throws Exception {
        RecordFormatter formatter = Expressions.formatter(new TextOptions(format, SCHEMA, 0, options, "UTC", true));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        formatter.header(out);
        Packet packet = Packets.of(SCHEMA, values);
        formatter.format(packet, out);
        formatter.format(packet, out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void writesJsonAsSpark() throws Exception {
        assertEquals("{\"ts\":\"2012-02-22T12:00:00.123Z\",\"n\":7,\"s\":\"é\\\"\"}\n".repeat(2),
                format("json", Map.of(), NOON, 7, "é\""));
        assertEquals("{\"ts\":\"2012-02-22 12:00:00.123456\",\"n\":null,\"s\":\"\"}\n".repeat(2), format("json",
                Map.of("ignoreNullFields", "false", "timestampFormat", "yyyy-MM-dd HH:mm:ss.SSSSSS"), NOON, null, ""));
    }

    @Test
    void writesCsvAsSpark() throws Exception {
        assertEquals("ts;n;s\n" + "2012-02-22T12:00:00.123Z;;\"a;b\"\n".repeat(2),
                format("csv", Map.of("header", "true", "sep", ";"), NOON, null, "a;b"));
    }

    @Test
    void aHeadersCellsAreThoseOfSparksTokenizer() {
        byte[] header = "x\"a \"\"b\"|| \"c||d\"||y".getBytes(StandardCharsets.UTF_8);
        Map<String, String> options = Map.of("sep", "||", "escape", "\"", "ignoreLeadingWhiteSpace", "true");
        assertEquals(List.of("a \"b", "c||d", ""), Arrays.asList(parser("csv", 0, options).header(header, 1, header.length - 1)));
    }
}
