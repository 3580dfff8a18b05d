package io.despina.operator.record.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Ddl;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Avro's records, beside Avro's own library. What other programs write and read is in tests/e2e/test_formats.py. */
class AvroRecordTest {
    private static final String DECIMAL = "{'type': 'bytes', 'logicalType': 'decimal', 'precision': 6, 'scale': 2}";

    private static String record(String... fields) {
        return "{'type': 'record', 'name': 'r', 'fields': [" + String.join(", ", fields) + "]}";
    }

    private static String field(String name, String type) {
        return "{'name': '" + name + "', 'type': " + type + "}";
    }

    private static Schema schema(String json) throws AvroException {
        return AvroSchemas.parse(json.replace('\'', '"'));
    }

    /** As Avro's library writes it. */
    private static byte[] encoded(Schema schema, String json) throws IOException {
        Object datum = new GenericDatumReader<>(schema).read(null,
                DecoderFactory.get().jsonDecoder(schema, json.replace('\'', '"')));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Encoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<>(schema).write(datum, encoder);
        encoder.flush();
        return bytes.toByteArray();
    }

    /** The row, as a text; or why there is none. */
    private static String read(Schema writer, byte[] record, String ddl) throws Exception {
        io.despina.packet.Schema columns = nullable(ddl);
        AvroReader reader = new AvroReader(writer, columns, null);
        PacketWriter out = Rows.growing(columns);
        byte[] around = new byte[record.length + 6];
        Arrays.fill(around, (byte) -1);
        System.arraycopy(record, 0, around, 3, record.length);      // it looks at its own part alone
        String why = reader.read(around, 3, around.length - 3, out);
        List<List<Object>> rows = Rows.decode(columns, out.bytes(), 0, out.position());
        assertEquals(why == null ? 1 : 0, rows.size());
        return why == null ? rows.get(0).toString() : "!" + why;
    }

    private static io.despina.packet.Schema nullable(String ddl) throws Ddl.DdlException {
        return Ddl.parse(ddl).allNullable();
    }

    private static String read(String writer, String json, String ddl) throws Exception {
        Schema schema = schema(writer);
        return read(schema, encoded(schema, json), ddl);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "'boolean' | true | BOOLEAN | true", "'int' | -7 | INT | -7", "'int' | 7 | BIGINT | 7", "'int' | 7 | DOUBLE | 7.0",
        "'int' | -128 | TINYINT | -128", "'int' | 128 | TINYINT | !`v`: a TINYINT cannot hold 128",
        "'int' | 40000 | SMALLINT | !`v`: a SMALLINT cannot hold 40000",
        "'long' | -9223372036854775808 | BIGINT | -9223372036854775808", "'long' | 3 | FLOAT | 3.0",
        "'float' | 1.5 | FLOAT | 1.5", "'float' | 1.5 | DOUBLE | 1.5", "'double' | -0.1 | DOUBLE | -0.1",
        "'string' | 'ä' | STRING | ä", "'string' | '' | STRING | ''", "'bytes' | 'ab' | STRING | ab",
        "'null' | null | INT | null", "['null', 'int'] | {'int': 4} | INT | 4", "['int', 'null'] | null | INT | null",
        "['int', 'long'] | {'long': 5} | BIGINT | 5",
        "['string', 'int'] | {'string': 'x'} | INT | '!`v`: `v` is string in the writer''s schema, which "
                + "cannot be read as INT; '",
        "{'type': 'int', 'logicalType': 'date'} | 19000 | DATE | 19000",
        "{'type': 'int', 'logicalType': 'time-millis'} | 1000 | INT | 1000",
        "{'type': 'long', 'logicalType': 'time-micros'} | 1000 | BIGINT | 1000",
        "{'type': 'long', 'logicalType': 'timestamp-millis'} | -1 | TIMESTAMP | -1000",
        "{'type': 'long', 'logicalType': 'timestamp-millis'} | 9223372036854775807 | TIMESTAMP | !`v`: the time",
        "{'type': 'long', 'logicalType': 'timestamp-micros'} | 7 | TIMESTAMP | 7",
        "{'type': 'long', 'logicalType': 'timestamp-nanos'} | -7000 | TIMESTAMP | -7",
        "{'type': 'long', 'logicalType': 'timestamp-nanos'} | 7001 | TIMESTAMP | !`v`: the time 7001 ns is no whole microsecond",
        "{'type': 'long', 'logicalType': 'timestamp-nanos'} | 7001 | BIGINT | 7001",
        "{'type': 'long', 'logicalType': 'local-timestamp-micros'} | 7 | TIMESTAMP_NTZ | 7",
        "{'type': 'long', 'logicalType': 'local-timestamp-millis'} | 7 | TIMESTAMP_NTZ | 7000",
        "{'type': 'string', 'logicalType': 'uuid'} | 'x' | STRING | x",
        "{'type': 'enum', 'name': 'e', 'symbols': ['A', 'B']} | 'B' | STRING | B",
        "{'type': 'fixed', 'name': 'f', 'size': 2} | 'ab' | BINARY | java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]",
        "{'type': 'array', 'items': 'int'} | [1, 2, 3] | ARRAY<INT> | [1, 2, 3]",
        "{'type': 'array', 'items': ['null', 'string']} | [{'string': 'a'}, null, {'string': ''}] | ARRAY<STRING> | [a, null, ]",
        "{'type': 'map', 'values': 'long'} | {'a': 1, 'b': 2} | MAP<STRING, BIGINT> | {a=1, b=2}",
        "{'type': 'map', 'values': {'type': 'array', 'items': 'string'}} | {'a': ['x', ''], 'b': []} "
                + "| MAP<STRING, ARRAY<STRING>> | {a=[x, ], b=[]}"})
    void aValueIsReadAsTheTypeOfItsColumn(String type, String json, String ddl, String expected) throws Exception {
        String want = expected.startsWith("'") ? expected.substring(1, expected.length() - 1).replace("''", "'") : expected;
        String found = read(record(field("v", type)), "{'v': " + json + "}", "v " + ddl);
        assertTrue(want.startsWith("!") ? found.startsWith(want) : found.equals("[" + want + "]"), found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "'long' | INT | `v` is long in the writer's schema, which cannot be read as INT; read it as BIGINT",
        "'double' | FLOAT | `v` is double in the writer's schema, which cannot be read as FLOAT; read it as DOUBLE",
        "'long' | TIMESTAMP | `v` is long in the writer's schema, which cannot be read as TIMESTAMP; read it as BIGINT",
        "{'type': 'long', 'logicalType': 'timestamp-millis'} | TIMESTAMP_NTZ | `v` is long (timestamp-millis) in the writer's "
                + "schema, which cannot be read as TIMESTAMP_NTZ; read it as TIMESTAMP",
        "{'type': 'array', 'items': 'string'} | ARRAY<INT> | `v`[] is string in the writer's schema, which cannot be read as "
                + "INT; read it as STRING",
        "{'type': 'array', 'items': 'null'} | ARRAY<INT> | `v` has items without bytes, of null: leave the column out",
        "'string' | DECIMAL(5, 2) | `v` is string in the writer's schema, which cannot be read as DECIMAL(5,2); "
                + "read it as STRING"})
    void aSchemaThatDoesNotFitIsToldBeforeTheFirstRecord(String type, String ddl, String why) throws Exception {
        Schema writer = schema(record(field("v", type)));
        io.despina.packet.Schema columns = nullable("v " + ddl);
        assertEquals(why, assertThrows(AvroException.class, () -> new AvroReader(writer, columns, null)).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"'\\u0004\\u00d2' | DECIMAL(6, 2) | 12.34", "'\\u00ff' | DECIMAL(20, 2) | -0.01",
        "'\\u0004\\u00b0' | DECIMAL(5, 1) | 12.0", "'\\u0004\\u00d2' | DECIMAL(5, 1) | !`v`: a DECIMAL(5,1) cannot hold 12.34",
        "'\\u0004\\u00d2' | DECIMAL(3, 2) | !`v`: a DECIMAL(3,2) cannot hold 12.34",
        "'' | DECIMAL(6, 2) | !`v`: a decimal of 0 bytes"},
        quoteCharacter = '"')
    void aDecimalIsReadExactlyOrNotAtAll(String json, String ddl, String expected) throws Exception {
        String found = read(record(field("v", DECIMAL)), "{'v': " + json + "}", "v " + ddl);
        assertEquals(expected.startsWith("!") ? expected : "[" + expected + "]", found);
    }

    @Test
    void fieldsGoToTheColumnsOfTheirNamesWhateverTheirOrder() throws Exception {
        String inner = record(field("y", "'string'"), field("z", "['null', 'long']"), field("x", "'int'")).replace("'r'", "'s'");
        String writer = record(field("b", "{'type': 'array', 'items': 'string'}"), field("A", "'int'"), field("c", inner),
                field("s", "'string'"));
        assertEquals("[1, t, [7, u, null], null]", read(writer,
                "{'b': ['q'], 'A': 1, 'c': {'y': 'u', 'z': null, 'x': 7}, 's': 't'}",
                "a INT, s STRING, c STRUCT<x: INT, y: STRING, gone: INT>, gone STRING"));
    }

    @Test
    void whatTheWriterDoesNotHaveIsTheDefault() throws Exception {
        io.despina.packet.Schema columns = Ddl.parse("a INT, n BIGINT DEFAULT 7, s STRING DEFAULT 'x'").allNullable();
        columns = new io.despina.packet.Schema(Ddl.parse("a INT, n BIGINT DEFAULT 7, s STRING DEFAULT 'x'").columns());
        byte[] row = Rows.encode(columns, List.of(Arrays.asList(0, 7L, "x")));
        Packet defaults = new Packet(columns.layout());
        defaults.wrap(row, 0, row.length);
        AvroReader reader = new AvroReader(schema(record(field("a", "'int'"))), columns, defaults);
        PacketWriter out = Rows.growing(columns);
        assertEquals(null, reader.read(new byte[] {4}, 0, 1, out));
        assertEquals(List.of(List.of(2, 7L, "x")), Rows.decode(columns, out.bytes(), 0, out.position()));
    }

    @Test
    void aStructThatTheColumnCannotHold() throws Exception {
        Schema writer = schema(record(field("v", record(field("x", "['null', 'int']")).replace("'r'", "'s'"))));
        assertEquals("!`v`: NULL in `x`, which is NOT NULL", read(writer, new byte[] {0}, "v STRUCT<x: INT NOT NULL>"));
        assertEquals("!`v`: NULL in `y`, which is NOT NULL", read(writer, new byte[] {0}, "v STRUCT<x: INT, y: INT NOT NULL>"));
        assertEquals("[[1]]", read(writer, new byte[] {2, 2}, "v STRUCT<x: INT NOT NULL>"));
        Schema many = schema(record(field("v", "{'type': 'array', 'items': "
                + record(field("x", "'boolean'")).replace("'r'", "'s'") + "}")));
        String wide = String.join(", ", IntStream.range(0, 100).mapToObj(k -> "c" + k + ": BIGINT").toList());
        byte[] items = Arrays.copyOf(HexFormat.of().parseHex("80897a"), 3 + 1_000_000 + 1);     // a million items of a byte
        String found = read(many, items, "v ARRAY<STRUCT<x: BOOLEAN, " + wide + ">>");
        assertTrue(found.startsWith("!`v`: a nested value of more than "));
    }

    /** A list of records, each of which may have a list of such records: nobody reads it, and it is passed over. */
    @Test
    void aRecordWithinItselfIsPassedOverToADepth() throws Exception {
        String writer = record(field("inner", "['null', 'r']"), field("n", "'int'"));
        assertEquals("[3]", read(writer, "{'inner': {'r': {'inner': null, 'n': 2}}, 'n': 3}", "n INT"));
        byte[] deep = new byte[1000];
        Arrays.fill(deep, (byte) 2);
        assertEquals("!more than 200 values within each other", read(schema(writer), deep, "n INT"));
        String itself = record(field("inner", "'r'"), field("n", "'int'"));
        assertEquals("!more than 200 values within each other", read(schema(itself), deep, "n INT"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "'int' | INT | '' | `v`: a value of 1 bytes, and 0 are left",
        "'int' | INT | 80 | `v`: a value of 1 bytes, and 0 are left",
        "'int' | INT | ffffffffffffffffff01 | `v`: the number -9223372036854775808 where one has 32 bits",
        "'long' | BIGINT | ffffffffffffffffffff01 | `v`: a number of more than 64 bits",
        "'string' | STRING | 04ff61 | `v`: a text that is not UTF-8",
        "'string' | STRING | 03 | `v`: a value of -2 bytes, and 0 are left",
        "'string' | STRING | feffffffffffffffff01 | `v`: a value of 9223372036854775807 bytes, and 0 are left",
        "'boolean' | BOOLEAN | 02 | `v`: a boolean that is 2", "'int' | INT | 0202 | 1 bytes behind the record: it may have been "
                + "written with another schema",
        "{'type': 'enum', 'name': 'e', 'symbols': ['A']} | STRING | 02 | `v`: there is no branch or symbol 1 of 1",
        "['null', 'int'] | INT | 05 | `v`: there is no branch or symbol -3 of 2",
        "{'type': 'array', 'items': 'int'} | ARRAY<INT> | feffffff0f | `v`: a block of 2147483647 items, and 0 bytes are left",
        "{'type': 'array', 'items': 'int'} | ARRAY<INT> | 01048080 | `v`: a value of 1 bytes, and 0 are left",
        "{'type': 'array', 'items': 'int'} | ARRAY<INT> | 0104020000 | `v`: a block of items whose size is wrong",
        "{'type': 'map', 'values': 'int'} | MAP<STRING, INT> | 020261 | `v`: a value of 1 bytes, and 0 are left"},
        quoteCharacter = '"')
    void aBrokenRecordSaysWhat(String type, String ddl, String hex, String why) throws Exception {
        byte[] bytes = HexFormat.of().parseHex(hex.replace("'", ""));
        assertEquals("!" + why, read(schema(record(field("v", type))), bytes, "v " + ddl));
    }

    /** Items without bytes, of which a few bytes may claim any number, in two blocks. */
    @ParameterizedTest
    @ValueSource(strings = {"feffffffffffffffff01feffffffffffffffff0100", "feffffff1f00"})
    void moreItemsThanAListMayHaveMakeABadRecord(String hex) throws Exception {
        Schema writer = schema(record(field("nothing", "{'type': 'array', 'items': 'null'}"), field("n", "'int'")));
        assertEquals("!a list of more than 2147483647 items", read(writer, HexFormat.of().parseHex(hex + "02"), "n INT"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{'type': 'x'}", "[]", "'string'", "{'type': 'record', 'name': 'r', 'fields': []}"})
    void aSchemaThatIsNoneOrOfNoRow(String json) throws Exception {
        io.despina.packet.Schema columns = nullable("v INT");
        assertNotNull(assertThrows(AvroException.class, () -> new AvroReader(schema(json), columns, null)).getMessage());
    }

    @Test
    void noBytesWhateverLeadOutOfTheRecord() throws Exception {
        String inner = record(field("y", "'string'"), field("n", "['null', 'long']")).replace("'r'", "'s'");
        Schema writer = schema(record(field("a", "{'type': 'array', 'items': " + inner + "}"), field("b", "['null', 'r']"),
                field("m", "{'type': 'map', 'values': 's'}"), field("u", "'string'"), field("d", DECIMAL)));
        io.despina.packet.Schema columns = nullable("m MAP<STRING, STRUCT<n: BIGINT, y: STRING>>, d DECIMAL(20, 2), u STRING, "
                + "a ARRAY<STRUCT<n: BIGINT, y: STRING>>");
        AvroReader reader = new AvroReader(writer, columns, null);
        byte[] good = encoded(writer, "{'a': [{'y': 'abc', 'n': {'long': 5}}, {'y': '', 'n': null}], 'b': null, "
                + "'m': {'k': {'y': 'z', 'n': null}}, 'u': 'text', 'd': '\\u0001'}");
        Random chance = new Random(11);
        int read = 0;
        for (int k = 0; k < 20_000; k++) {
            byte[] bytes = Arrays.copyOf(good, chance.nextInt(good.length + 3));
            for (int change = chance.nextInt(3); change >= 0 && bytes.length > 0; change--) {
                bytes[chance.nextInt(bytes.length)] = (byte) chance.nextInt();
            }
            PacketWriter out = Rows.growing(columns);
            read += reader.read(bytes, 0, bytes.length, out) == null ? 1 : 0;
            Rows.decode(columns, out.bytes(), 0, out.position());
        }
        assertTrue(read > 20 && read < 15_000, read + " were read");
    }

    private static String written(Schema schema, io.despina.packet.Schema columns, List<?> row) throws Exception {
        byte[] packet = Rows.encode(columns, List.of(row));
        Packet view = new Packet(columns.layout());
        view.wrap(packet, 0, packet.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new AvroWriter(schema, columns).write(view, out);
        Object datum = new GenericDatumReader<>(schema).read(null, DecoderFactory.get().binaryDecoder(out.toByteArray(), null));
        return datum.toString();
    }

    @Test
    void aRowIsWrittenAsTheSchemaOfItsColumns() throws Exception {
        io.despina.packet.Schema columns = nullable("b BOOLEAN, t TINYINT, n BIGINT, f FLOAT, d DOUBLE, s STRING, day DATE, "
                + "ts TIMESTAMP, dec DECIMAL(5, 2), a ARRAY<INT>, m MAP<STRING, STRING>, r STRUCT<x: INT, y: STRING>, gone INT");
        Schema schema = new AvroOptions(Map.of()).written(columns);
        assertEquals("topLevelRecord", schema.getFullName());
        assertEquals("topLevelRecord.r", schema.getField("r").schema().getTypes().get(0).getFullName());
        String found = written(schema, columns, Arrays.asList(true, -3, Long.MIN_VALUE, 1.5, -0.25, "ä", 19_000, 5L, "-1.50",
                Arrays.asList(1, null), Map.of("k", "v"), Arrays.asList(7, null), null));
        assertTrue(found.startsWith("{\"b\": true, \"t\": -3, \"n\": -9223372036854775808, \"f\": 1.5, \"d\": -0.25, "
                + "\"s\": \"ä\", "
                + "\"day\": 19000, \"ts\": 5, \"dec\": "), found);
        assertTrue(found.endsWith("\"a\": [1, null], \"m\": {\"k\": \"v\"}, \"r\": {\"x\": 7, \"y\": null}, \"gone\": null}"),
                found);
    }

    @Test
    void fieldsWithoutAColumnHaveTheirDefault() throws Exception {
        Schema schema = schema(record("{'name': 'd', 'type': 'string', 'default': 'x'}", field("N", "'long'"),
                "{'name': 'u', 'type': ['null', 'int'], 'default': null}"));
        assertEquals("{\"d\": \"x\", \"N\": 5, \"u\": null}", written(schema, nullable("n INT"), List.of(5)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "'string' | 1 | the schema has `v` as string, which cannot hold INT",
        "['null', 'string'] | 1 | the schema has `v` as null or string, which cannot hold INT",
        "'long' | | `v` is NULL, and its schema has no null"})
    void whatASchemaCannotHoldIsRefused(String type, Integer value, String why) throws Exception {
        Schema schema = schema(record(field("v", type)));
        Exception refused = assertThrows(Exception.class, () -> written(schema, nullable("v INT"), Arrays.asList(value)));
        assertEquals(why, refused.getMessage());
    }

    @Test
    void timesAreWrittenInTheUnitOfTheSchema() throws Exception {
        io.despina.packet.Schema columns = nullable("v TIMESTAMP");
        String type = "{'type': 'long', 'logicalType': 'timestamp-%s'}";
        assertEquals("{\"v\": -2}", written(schema(record(field("v", type.formatted("millis")))), columns, List.of(-1001L)));
        assertEquals("{\"v\": 7000}", written(schema(record(field("v", type.formatted("nanos")))), columns, List.of(7L)));
        Schema nanos = schema(record(field("v", type.formatted("nanos"))));
        assertThrows(IllegalArgumentException.class, () -> written(nanos, columns, List.of(Long.MAX_VALUE)));
    }

    @Test
    void symbolsUuidsAndFixedBytesAreWrittenIfTheyFit() throws Exception {
        Schema symbols = schema(record(field("v", "{'type': 'enum', 'name': 'e', 'symbols': ['A', 'B']}")));
        assertEquals("{\"v\": \"B\"}", written(symbols, nullable("v STRING"), List.of("B")));
        assertEquals("enum e has no `C`: it has A, B", assertThrows(IllegalArgumentException.class,
                () -> written(symbols, nullable("v STRING"), List.of("C"))).getMessage());
        Schema fixed = schema(record(field("v", "{'type': 'fixed', 'name': 'f', 'size': 3}")));
        assertEquals("fixed f has 3 bytes, not 2", assertThrows(IllegalArgumentException.class, () -> written(fixed,
                nullable("v BINARY"), List.of("ab".getBytes(StandardCharsets.UTF_8)))).getMessage());
        Schema uuid = schema(record(field("v", "{'type': 'fixed', 'name': 'u', 'size': 16, 'logicalType': 'uuid'}")));
        io.despina.packet.Schema column = nullable("v STRING");
        String text = "123e4567-e89b-12d3-a456-426614174000";
        byte[] packet = Rows.encode(column, List.of(List.of(text)));
        Packet view = new Packet(column.layout());
        view.wrap(packet, 0, packet.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new AvroWriter(uuid, column).write(view, out);
        assertEquals("[" + text + "]", read(uuid, out.toByteArray(), "v STRING"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"000000010704 |",
        "0000000108 | it is of the schema 264, and the option `schemaId` says 263",
        "010000010704 | it does not begin with a zero and the number of a schema, as the option `schemaId` says",
        "00000001 | it does not begin with a zero and the number of a schema, as the option `schemaId` says",
        "0000000107 | `v`: a value of 1 bytes, and 0 are left"})
    void theNumberOfTheSchemaStandsBeforeARecord(String hex, String why) throws Exception {
        io.despina.packet.Schema columns = nullable("v INT");
        AvroOptions options = new AvroOptions(Map.of("avroSchema", record(field("v", "'int'")).replace('\'', '"'),
                "schemaId", "263"));
        byte[] bytes = HexFormat.of().parseHex(hex);
        PacketWriter out = Rows.growing(columns);
        assertEquals(why, options.reader(columns, null).read(bytes, 0, bytes.length, out));
        assertEquals(why == null ? List.of(List.of(2)) : List.of(), Rows.decode(columns, out.bytes(), 0, out.position()));
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        options.id().write(head);
        assertEquals("0000000107", HexFormat.of().formatHex(head.toByteArray()));
    }

    @Test
    void aFileOfASchemaThatIsNotThereOrNoneIsNamed(@TempDir Path folder) throws Exception {
        io.despina.packet.Schema columns = nullable("v INT");
        Path file = folder.resolve("a.avsc");
        AvroOptions options = new AvroOptions(Map.of("schemafile", file.toString()));
        assertEquals("there is no schemaFile " + file, assertThrows(AvroException.class, () -> options.reader(columns, null))
                .getMessage());
        Files.writeString(file, "{}");
        assertEquals("schemaFile " + file + ": this is no Avro schema: No type: {}", assertThrows(AvroException.class,
                () -> options.reader(columns, null)).getMessage());
        Files.write(file, new byte[] {(byte) 0xFF});
        assertEquals("schemaFile " + file + " is not UTF-8", assertThrows(AvroException.class, () -> options.written(columns))
                .getMessage());
    }

    @ParameterizedTest
    @CsvSource({"a b, 'Avro has no name `a b`: a name has letters of ASCII, digits and _'",
        "ä, 'Avro has no name `ä`: a name has letters of ASCII, digits and _'"})
    void namesThatAvroDoesNotHave(String name, String why) throws Exception {
        io.despina.packet.Schema columns = nullable("`" + name + "` INT");
        assertEquals(why, assertThrows(AvroException.class, () -> new AvroOptions(Map.of()).written(columns)).getMessage());
    }
}
