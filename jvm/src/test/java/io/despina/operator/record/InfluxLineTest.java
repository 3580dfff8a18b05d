package io.despina.operator.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Ddl;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Line protocol, read and written. What other programs write of it is in tests/test_influx.py. */
class InfluxLineTest {
    private static final long ARRIVED = 1_700_000_000_000_000L;
    private static final String COLUMNS = "time TIMESTAMP, host STRING, usage DOUBLE, cores INT, big BIGINT, on BOOLEAN, "
            + "note STRING";

    private final List<String> bad = new ArrayList<>();

    private List<List<Object>> read(Map<String, String> options, String ddl, String... lines) throws Exception {
        Schema schema = Ddl.parse(ddl);
        InfluxReader reader = new InfluxReader(InfluxOptions.of(options, schema, false), schema);
        ScratchPackets rows = new ScratchPackets(schema);
        for (String line : lines) {
            byte[] bytes = ("…" + line + "…").getBytes(StandardCharsets.UTF_8);      // it looks at its own part alone
            String why = reader.read(bytes, 3, bytes.length - 3, ARRIVED, rows.writer());
            if (why != null) {
                bad.add(why);
            }
        }
        List<List<Object>> found = new ArrayList<>();
        for (Packet row = rows.next(); row != null; row = rows.next()) {
            found.add(Rows.read(row, schema));
        }
        return found;
    }

    private List<Object> one(String line) throws Exception {
        List<List<Object>> rows = read(Map.of(), COLUMNS, line);
        assertEquals(List.of(), bad);
        assertEquals(1, rows.size());
        return rows.get(0);
    }

    private static List<Object> row(Object... values) {
        return Arrays.asList(values);
    }

    @Test
    void tagsAndFieldsGoToTheColumnsOfTheirNames() throws Exception {
        assertEquals(row(1_700_000_000_123_456L, "a", 0.64, 8, -9_223_372_036_854_775_808L, true, "x"),
                one("cpu,host=a,region=eu usage=0.64,cores=8i,big=-9223372036854775808i,on=t,note=\"x\",else=7 "
                        + "1700000000123456789"));
    }

    @Test
    void whatALineDoesNotHaveIsNullAndItsTimeIsThatOfItsArrival() throws Exception {
        assertEquals(row(ARRIVED, null, null, 1, null, null, null), one("cpu cores=1i"));
    }

    @Test
    void backslashesStandBeforeWhatWouldEndAPart() throws Exception {
        assertEquals(row(0L, "a,b c=d\\e", 1.0, null, null, null, "say \"hi\" \\ n\\n"),
                one("my\\ cpu\\,x,host=a\\,b\\ c\\=d\\e note=\"say \\\"hi\\\" \\\\ n\\n\",usage=1 0"));
    }

    @Test
    void blanksAndCommentsAreNoRows() throws Exception {
        assertEquals(1, read(Map.of(), COLUMNS, "", "   ", "# cpu usage=1", " cpu usage=1 0 \r").size());
        assertEquals(List.of(), bad);
    }

    @ParameterizedTest
    @CsvSource({"usage=3, 3.0", "usage=-0, -0.0", "usage=0, 0.0", "usage=1e3, 1000.0", "usage=5i, 5.0", "usage=7u, 7.0",
        "usage=0.1234567890123456789, 0.12345678901234568", "usage=18446744073709551615u,", "usage=9007199254740993i,",
        "usage=1e999,", "usage=NaN,", "usage=x,", "usage=t,", "usage=\"1\","})
    void aDoubleHoldsWhatItCanHoldExactly(String field, Double value) throws Exception {
        List<List<Object>> rows = read(Map.of(), COLUMNS, "cpu " + field + " 0");
        assertEquals(value == null ? List.of() : List.of(value), rows.stream().map(row -> row.get(2)).toList(), bad.toString());
        assertEquals(value == null ? 1 : 0, bad.size());
    }

    @ParameterizedTest
    @CsvSource({"cores=3, 3", "cores=3.0, 3", "cores=3.5,", "cores=2147483647i, 2147483647", "cores=2147483648i,",
        "cores=1e3, 1000", "cores=-1u,", "cores=i,", "cores=1ii,", "cores=\"3\",", "cores=f,"})
    void anIntToo(String field, Integer value) throws Exception {
        List<List<Object>> rows = read(Map.of(), COLUMNS, "cpu " + field + " 0");
        assertEquals(value == null ? List.of() : List.of(value), rows.stream().map(row -> row.get(3)).toList(), bad.toString());
    }

    @Test
    void unsignedNumbersFitInADecimal() throws Exception {
        assertEquals(List.of(row(new BigDecimal("18446744073709551615"), new BigDecimal("1.50"))),
                read(Map.of(), "n DECIMAL(20, 0), p DECIMAL(5, 2)", "m n=18446744073709551615u,p=1.5"));
        read(Map.of(), "n DECIMAL(20, 0), p DECIMAL(5, 2)", "m p=1.555", "m p=1e300000000",
                "m p=1e-500000000", "m n=" + "9".repeat(1_000_000));
        assertEquals(4, bad.size());
    }

    @ParameterizedTest
    @CsvSource({"t, true", "T, true", "true, true", "True, true", "TRUE, true", "f, false", "FALSE, false", "tRUE,", "yes,"})
    void wordsOfBooleans(String word, Boolean value) throws Exception {
        List<List<Object>> rows = read(Map.of(), COLUMNS, "cpu on=" + word);
        assertEquals(value == null ? List.of() : List.of(value), rows.stream().map(row -> row.get(5)).toList());
    }

    @ParameterizedTest
    @CsvSource({"ns, 1500, 1", "us, 1500, 1500", "ms, -15, -15000", "s, 15, 15000000", "ns, -1, -1"})
    void timesCountWhatPrecisionSays(String precision, String time, long micros) throws Exception {
        assertEquals(micros, read(Map.of("precision", precision), COLUMNS, "cpu cores=1i " + time).get(0).get(0));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        ",host=a usage=1|no measurement before `,`", "cpu|a field without a name, at byte 7",
        "cpu,host usage=1|tag `host` has no value",
        "cpu,host= usage=1|a tag without a value", "cpu,a,host=b usage=1|tag `a` has no value",
        "cpu,host=a=b usage=1|a tag with two values", "cpu usage,cores=1|field `usage` has no value",
        "cpu usage|field `usage` has no value", "cpu usage=|a field without a value",
        "cpu usage=1,|a field without a name, at byte 16",
        "cpu note=\"a|a text without a closing quote; one that goes over several lines is not read",
        "cpu usage=1 x|`x` is no time", "cpu usage=1 1 2|`1 2` is no time",
        "cpu note=\"a\"b|`b` where a blank should be, at byte 16",
        "cpu,host=a,host=b usage=1|`host` is there twice", "cpu\\|a field without a name, at byte 8",
        "cpu,host=a\\|a field without a name, at byte 15", "cpu,host=a\\ usage=1|a tag with two values",
        "cpu note=\"a\\\"|a text without a closing quote; one that goes over several lines is not read",
        "cpu,usage=a cores=1|`usage` is a tag, which is text, and its column is DOUBLE",
        "cpu host=1|`host` is 1, and its column is STRING"})
    void aBrokenLineSaysWhere(String line, String why) throws Exception {
        assertEquals(List.of(), read(Map.of(), COLUMNS, line));
        assertEquals(List.of(why), bad);
    }

    @Test
    void aMeasurementMayBeAColumnOrTheOnlyOne() throws Exception {
        assertEquals(List.of(row("cpu", 1), row("m e,m", 2)), read(Map.of("measurementColumn", "of"), "of STRING, n INT",
                "cpu,of=x n=1i", "m\\ e\\,m n=2i"));
        assertEquals(List.of(row(1)), read(Map.of("measurement", "cpu"), "n INT", "cpu n=1i", "mem n=2i"));
        assertEquals(List.of("measurement `mem`, and the option `measurement` says `cpu`"), bad);
    }

    @Test
    void withoutAnArrivalALineNeedsATime() throws Exception {
        Schema schema = Ddl.parse(COLUMNS);
        InfluxReader reader = new InfluxReader(InfluxOptions.of(Map.of(), schema, false), schema);
        byte[] line = "cpu cores=1i".getBytes(StandardCharsets.UTF_8);
        assertEquals("no time, and nobody knows when the line came",
                reader.read(line, 0, line.length, InfluxReader.UNKNOWN, new ScratchPackets(schema).writer()));
    }

    private static String written(Map<String, String> options, String ddl, Object... values) throws Exception {
        Schema schema = Ddl.parse(ddl);
        byte[] bytes = Rows.encode(schema, List.of(Arrays.asList(values)));
        Packet packet = new Packet(schema.layout());
        packet.wrap(bytes, 0, bytes.length);
        LineBuffer out = new LineBuffer();
        new InfluxLines(InfluxOptions.of(options, schema, true), schema).write(packet, out);
        return new String(out.bytes(), 0, out.size(), StandardCharsets.UTF_8);
    }

    private static final Map<String, String> CPU = Map.of("measurement", "my cpu", "tags", "host, at");

    @Test
    void aLineLeavesOutWhatIsNull() throws Exception {
        String ddl = "time TIMESTAMP, host STRING, at STRING, u DOUBLE, n INT, on BOOLEAN, s STRING";
        assertEquals("my\\ cpu,host=a\\ b,at=x\\=\\,\\\\ u=0.5,n=-3i,on=true,s=\"q\\\"\\\\\" 1500000\n".replace("\\\\ u", " u"),
                written(CPU, ddl, 1500L, "a b", "x=,", 0.5, -3, true, "q\"\\"));
        assertEquals("my\\ cpu n=1i\n", written(CPU, ddl, null, null, "", null, 1, null, null));
    }

    @Test
    void whatALineCannotHoldIsRefused() throws Exception {
        String ddl = "time TIMESTAMP, host STRING, at STRING, u DOUBLE, s STRING";
        for (Object[] row : new Object[][] {{0L, "a", "b", null, null}, {0L, "a", "b", Double.NaN, null},
            {0L, "a\n", "b", 1.0, null}, {0L, "a\\", "b", 1.0, null}, {0L, "a", "b", 1.0, "x\ny"},
            {Long.MAX_VALUE, "a", "b", 1.0, null}}) {
            assertThrows(RuntimeException.class, () -> written(CPU, ddl, row), Arrays.toString(row));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "time STRING|precision=s|column `time` of `timeColumn` is STRING, not TIMESTAMP",
        "a INT, t TIMESTAMP|precision=s|format influx cannot hold column `t` of type TIMESTAMP: a line has one time, in column "
            + "`time` or that of the option `timeColumn`",
        "a ARRAY<INT>|precision=s|format influx cannot hold column `a` of type ARRAY<INT>",
        "a INT|precision=m|`precision` is ns, us, ms or s, not `m`",
        "a INT|timeColumn=ts|there is no column `ts` for `timeColumn`",
        "a INT|tags=a|what is a tag a line says; `tags` is for what is written",
        "a INT, m STRING|measurement=x;measurementColumn=m|`measurement` and `measurementColumn` exclude each other"})
    void optionsThatDoNotFitAreToldBefore(String ddl, String options, String why) {
        Map<String, String> given = new TreeMap<>();
        for (String option : options.split(";")) {
            given.put(option.split("=")[0], option.split("=")[1]);
        }
        assertEquals(why, assertThrows(InfluxOptions.InfluxException.class,
                () -> InfluxOptions.of(given, Ddl.parse(ddl), false)).getMessage());
    }

    @Test
    void whatNoBackslashHelpsIsNotWritten() {
        for (Map<String, String> options : List.of(Map.of("measurement", "#m"), Map.of("measurement", "m\\"),
                Map.of("measurement", "a\nb"))) {
            assertThrows(InfluxOptions.InfluxException.class, () -> InfluxOptions.of(options, Ddl.parse("a INT"), true));
        }
        assertThrows(InfluxOptions.InfluxException.class,
                () -> InfluxOptions.of(Map.of("measurement", "m"), Ddl.parse("`a\\` INT"), true));
    }

    @Test
    void whatIsWrittenHasAMeasurementAndAField() {
        assertTrue(assertThrows(InfluxOptions.InfluxException.class, () -> InfluxOptions.of(Map.of(), Ddl.parse("a INT"), true))
                .getMessage().startsWith("a line has a measurement"));
        Map<String, String> tagged = Map.of("measurement", "m", "tags", "a");
        assertTrue(assertThrows(InfluxOptions.InfluxException.class,
                () -> InfluxOptions.of(tagged, Ddl.parse("a STRING, time TIMESTAMP"), true))
                .getMessage().startsWith("a line has a field"));
    }

    /** Random rows come back as they were written. */
    @RepeatedTest(40)
    void whatIsWrittenIsRead(RepetitionInfo info) throws Exception {
        Random random = new Random(info.getCurrentRepetition());
        String ddl = "time TIMESTAMP, host STRING, at STRING, u DOUBLE, f FLOAT, n INT, l BIGINT, on BOOLEAN, s STRING, "
                + "of STRING";
        Map<String, String> options = Map.of("measurementColumn", "of", "tags", "host,at");
        for (int k = 0; k < 25; k++) {
            List<Object> row = row(random.nextLong() / 2000, tag(random), tag(random),
                    orNull(random, random.nextGaussian() * 1e6), orNull(random, random.nextFloat()),
                    orNull(random, random.nextInt()), orNull(random, random.nextLong()),
                    random.nextBoolean(), orNull(random, text(random)), "m" + text(random).replace('\\', '/'));
            String line = written(options, ddl, row.toArray());
            assertEquals(List.of(row), read(Map.of("measurementColumn", "of"), ddl, line.substring(0, line.length() - 1)), line);
        }
        assertEquals(List.of(), bad);
    }

    private static Object orNull(Random random, Object value) {
        return random.nextInt(4) == 0 ? null : value;
    }

    private static Object tag(Random random) {
        String text = text(random);
        return text.isEmpty() || text.endsWith("\\") ? null : text;
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int k = random.nextInt(8); k > 0; k--) {
            text.append("ab ,=\"\\#é".charAt(random.nextInt(9)));
        }
        return text.toString();
    }

    /** Random bytes are a row, a bad line or none, and nothing else. */
    @RepeatedTest(20)
    @Timeout(60)
    void anyBytesAreReadToTheirEnd(RepetitionInfo info) throws Exception {
        Random random = new Random(info.getCurrentRepetition());
        Schema schema = Ddl.parse(COLUMNS);
        InfluxReader reader = new InfluxReader(InfluxOptions.of(Map.of(), schema, false), schema);
        byte[] whole = "cpu,host=a\\ b usage=0.64,cores=8i,note=\"x\\\"y\",on=t 17".getBytes(StandardCharsets.UTF_8);
        for (int k = 0; k < 500; k++) {
            byte[] line = whole.clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                int to = random.nextBoolean() ? random.nextInt(256) : ",= \"\\i".charAt(random.nextInt(6));
                line[random.nextInt(line.length)] = (byte) to;
            }
            ScratchPackets rows = new ScratchPackets(schema);
            String why = reader.read(line, random.nextInt(3), line.length, ARRIVED, rows.writer());
            if (why != null) {
                assertNull(rows.next());
            }
        }
    }
}
