package io.despina.operator.record.protobuf;

import static io.despina.operator.record.protobuf.ProtoSamples.field;
import static io.despina.operator.record.protobuf.ProtoSamples.mapOf;
import static io.despina.operator.record.protobuf.ProtoSamples.message;
import static io.despina.operator.record.protobuf.ProtoSamples.symbols;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Ddl;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.orc.protobuf.DynamicMessage;
import org.apache.orc.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages beside Protobuf's own library. What other programs write and read is in tests/e2e/test_formats.py. */
class ProtobufReaderTest {
    private static final String STATE = symbols("State", "OFF", "ON");
    private static final String INNER = message("Inner", field("x", 1, "int32"), field("y", 2, "string"),
            field("list", 3, "repeated int32"));

    private static Schema nullable(String ddl) throws Ddl.DdlException {
        return Ddl.parse(ddl).allNullable();
    }

    private static ProtoSamples one(String syntax, String type) {
        return ProtoSamples.of(syntax, STATE, INNER, ProtoSamples.one(type));
    }

    private static String read(ProtoSamples samples, String message, byte[] record, String ddl) throws Exception {
        Schema columns = nullable(ddl);
        return ProtoSamples.read(samples.reader(message, columns, true), record, columns);
    }

    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "bool | true | BOOLEAN | true", "int32 | -7 | INT | -7", "int32 | -7 | BIGINT | -7", "int32 | 127 | TINYINT | 127",
        "int32 | 128 | TINYINT | !`v`: a TINYINT cannot hold 128", "int32 | -2147483648 | DOUBLE | -2.147483648E9",
        "int32 | 3 | FLOAT | 3.0", "sint32 | -40000 | INT | -40000", "sint32 | -40000 | SMALLINT | !`v`: a SMALLINT cannot hold",
        "sfixed32 | -5 | INT | -5", "uint32 | 4294967295 | BIGINT | 4294967295", "uint32 | 4294967295 | INT | !`v`: a INT cannot",
        "fixed32 | 4294967295 | DECIMAL(10, 0) | 4294967295", "int64 | -9223372036854775808 | BIGINT | -9223372036854775808",
        "sint64 | -9223372036854775808 | BIGINT | -9223372036854775808", "sfixed64 | -1 | BIGINT | -1",
        "uint64 | 18446744073709551615 | DECIMAL(20, 0) | 18446744073709551615",
        "uint64 | 18446744073709551615 | BIGINT | !`v`: a BIGINT cannot hold 18446744073709551615",
        "fixed64 | 18446744073709551615 | DOUBLE | 1.8446744073709552E19", "uint64 | 7 | BIGINT | 7",
        "int64 | 1000 | DECIMAL(3, 0) | !`v`: a DECIMAL(3,0) cannot hold 1000", "int64 | 100 | DECIMAL(5, 2) | 100.00",
        "float | 1.5 | FLOAT | 1.5", "float | 1.5 | DOUBLE | 1.5", "double | -0.1 | DOUBLE | -0.1", "double | nan | DOUBLE | NaN",
        "string | 'ä' | STRING | ä", "bytes | 'ab' | STRING | ab", "bytes | '\\377' | STRING | !`v`: a text that is not UTF-8",
        "bytes | 'ab' | BINARY | java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]",
        "enum .t.State | ON | STRING | ON", "enum .t.State | ON | INT | 1",
        "repeated int32 | [1, -2] | ARRAY<INT> | [1, -2]", "repeated double | [1, 2] | ARRAY<DOUBLE> | [1.0, 2.0]",
        "repeated string | ['a', ''] | ARRAY<STRING> | [a, ]", "repeated enum .t.State | [ON, OFF] | ARRAY<STRING> | [ON, OFF]",
        "repeated .t.Inner | [{x: 1}, {y: 'b'}] | ARRAY<STRUCT<x: INT, y: STRING>> | [[1, ], [0, b]]",
        "repeated bool | [] | ARRAY<BOOLEAN> | []",
        ".t.Inner | {x: 7 list: [1, 2]} | STRUCT<list: ARRAY<INT>, X: INT> | [[1, 2], 7]",
        ".t.Inner | {} | STRUCT<x: INT, gone: INT> | [0, null]",
        "map string int64 | [{key: 'a' value: 1}, {key: 'b'}] | MAP<STRING, BIGINT> | {a=1, b=0}",
        "map int32 .t.Inner | [{key: 5 value {x: 1}}, {}] | MAP<INT, STRUCT<x: INT>> | {5=[1], 0=[0]}",
        "map bool enum .t.State | [{key: true value: ON}] | MAP<BOOLEAN, STRING> | {true=ON}",
        "map string .google.protobuf.Timestamp | [{key: 'a'}] | MAP<STRING, TIMESTAMP> | {a=0}",
        ".google.protobuf.Timestamp | {seconds: -1 nanos: 999999999} | TIMESTAMP | -1",
        ".google.protobuf.Timestamp | {seconds: 1 nanos: 1999} | TIMESTAMP | 1000001",
        ".google.protobuf.Timestamp | {seconds: 9223372036854775807} | TIMESTAMP | !`v`: 9223372036854775807 seconds",
        ".google.protobuf.Timestamp | {seconds: 3} | STRUCT<seconds: BIGINT, nanos: INT> | [3, 0]",
        ".google.protobuf.Duration | {seconds: -1 nanos: -500000000} | INTERVAL DAY TO SECOND | -1500000",
        ".google.protobuf.Int32Value | {} | INT | 0", ".google.protobuf.StringValue | {value: 'x'} | STRING | x",
        ".google.protobuf.UInt64Value | {value: 18446744073709551615} | DECIMAL(20, 0) | 18446744073709551615",
        "repeated .google.protobuf.BoolValue | [{value: true}, {}] | ARRAY<BOOLEAN> | [true, false]"})
    void aValueIsReadAsTheTypeOfItsColumn(String type, String text, String ddl, String expected) throws Exception {
        for (String syntax : List.of("proto3", "proto2")) {
            if (syntax.equals("proto2") && expected.contains("0") && type.contains(".t.Inner")) {
                continue;       // NULL
            }
            ProtoSamples samples = one(syntax, type);
            String found = read(samples, "R", samples.encoded("R", "v: " + text), "v " + ddl);
            assertTrue(expected.startsWith("!") ? found.startsWith(expected) : found.equals("[" + expected + "]"), found);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "int64 | INT | `v` is int64 in the message, which cannot be read as INT; read it as BIGINT",
        "double | FLOAT | `v` is double in the message, which cannot be read as FLOAT; read it as DOUBLE",
        "bool | INT | `v` is bool in the message, which cannot be read as INT; read it as BOOLEAN",
        "repeated string | STRING | `v` is repeated string in the message, which cannot be read as STRING; "
                + "read it as ARRAY<STRING>",
        "string | ARRAY<STRING> | `v` is string in the message, which cannot be read as ARRAY<STRING>; read it as STRING",
        "repeated int32 | ARRAY<ARRAY<INT>> | `v` is repeated int32 in the message, which cannot be read as ARRAY<ARRAY<INT>>; "
                + "read it as ARRAY<INT>",
        "map string int32 | MAP<STRING, ARRAY<INT>> | `v` is repeated t.R.VEntry in the message, which cannot be read as "
                + "MAP<STRING, ARRAY<INT>>; read it as MAP<STRING, INT>",
        "map string int32 | MAP<INT, INT> | `v.key` is string in the message, which cannot be read as INT; read it as STRING",
        ".t.Inner | STRUCT<x: STRING> | `v.x` is int32 in the message, which cannot be read as STRING; read it as INT",
        ".t.Inner | STRING | `v` is t.Inner in the message, which cannot be read as STRING; read it as STRUCT<x: INT, y: "
                + "STRING, list: ARRAY<INT>>",
        "repeated .t.Inner | ARRAY<STRUCT<x: DATE>> | `v[].x` is int32 in the message, which cannot be read as DATE; "
                + "read it as INT",
        "enum .t.State | DOUBLE | `v` is enum t.State in the message, which cannot be read as DOUBLE; read it as STRING",
        ".google.protobuf.Timestamp | BIGINT | `v` is google.protobuf.Timestamp in the message, which cannot be read as BIGINT; "
                + "read it as TIMESTAMP"})
    void aMessageThatDoesNotFitIsToldBeforeTheFirstRecord(String type, String ddl, String why) throws Exception {
        ProtoSamples samples = one("proto3", type);
        Schema columns = nullable("v " + ddl);
        assertEquals(why, assertThrows(ProtobufException.class, () -> samples.reader("R", columns, true)).getMessage());
    }

    /** A row with a list is read by the index, one without it in passing; the rest of both, or what is wrong, is the same. */
    @Test
    void aRowReadInPassingIsThatOfTheIndex() throws Exception {
        String[] types = {"bool", "int32", "sint32", "sfixed32", "uint32", "int64", "sint64", "fixed32", "float", "float",
            "double", "string", "bytes", "enum .t.State", ".google.protobuf.Timestamp", "optional int64"};
        String[] ddl = {"BOOLEAN", "INT", "BIGINT", "INT", "BIGINT", "BIGINT", "BIGINT", "BIGINT", "FLOAT", "DOUBLE", "DOUBLE",
            "STRING", "STRING", "STRING", "TIMESTAMP", "BIGINT"};
        String fields = IntStream.range(0, types.length).mapToObj(k -> field("c" + k, k + 1, types[k]))
                .collect(Collectors.joining(" "));
        Schema flat = nullable(IntStream.range(0, ddl.length).mapToObj(k -> "c" + k + " " + ddl[k])
                .collect(Collectors.joining(", ")));
        Schema listed = nullable(flat.sql() + ", l ARRAY<INT>");
        for (String syntax : List.of("proto3", "proto2")) {
            ProtoSamples samples = ProtoSamples.of(syntax, STATE, INNER,
                    message("R", fields, field("l", 100, "repeated int32")));
            assertNotNull(inPassing(samples, flat));
            assertNull(inPassing(samples, listed));
            ProtobufReader passing = samples.reader("R", flat, true);
            ProtobufReader indexing = samples.reader("R", listed, true);
            Random random = new Random(1);
            for (int k = 0; k < 5_000; k++) {
                byte[] record = fields(random, types.length);
                String found = ProtoSamples.read(indexing, record, listed);
                String expected = found.startsWith("!") ? found : found.substring(0, found.lastIndexOf(", [")) + "]";
                assertEquals(expected, ProtoSamples.read(passing, record, flat), () -> HexFormat.of().formatHex(record));
            }
        }
    }

    private static ProtoFlat inPassing(ProtoSamples samples, Schema columns) throws ProtobufException {
        ProtoFile file = samples.file();
        return ProtoFlat.of(new ProtoResolver(file, true).members(file.message("t.R"), columns.columns(), ""), columns.size());
    }

    /** A message of random fields, most of which are written as one of these numbers may be; few are cut off. */
    private static byte[] fields(Random random, int numbers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int count = random.nextInt(10); count > 0; count--) {
            int wire = new int[] {0, 0, 0, 1, 2, 2, 2, 5, random.nextInt(8)}[random.nextInt(9)];
            varint(bytes, (long) (1 + random.nextInt(numbers + 1)) << 3 | wire);
            if (wire == 0) {
                varint(bytes, random.nextLong() >>> random.nextInt(Long.SIZE));
            } else {
                byte[] value = value(random, wire);
                if (wire == 2) {
                    varint(bytes, value.length);
                }
                bytes.writeBytes(value);
            }
        }
        byte[] all = bytes.toByteArray();
        return random.nextInt(20) == 0 ? Arrays.copyOf(all, random.nextInt(all.length + 1)) : all;
    }

    private static byte[] value(Random random, int wire) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (wire == 2 && random.nextBoolean()) {
            for (int part = random.nextInt(4); part > 0; part--) {
                bytes.write(new int[] {8, 16, 16, 24}[random.nextInt(4)]);
                varint(bytes, random.nextInt(2_000_000_000));
            }
            return bytes.toByteArray();
        }
        byte[] value = new byte[wire == 1 ? Long.BYTES : wire == 5 ? Integer.BYTES : random.nextInt(12)];
        random.nextBytes(value);
        for (int k = 0; wire == 2 && k < value.length && random.nextInt(10) > 0; k++) {
            value[k] &= 0x7F;
        }
        return value;
    }

    private static void varint(ByteArrayOutputStream bytes, long value) {
        long rest = value;
        for (; rest >>> 7 != 0; rest >>>= 7) {
            bytes.write((int) rest & 0x7F | 0x80);
        }
        bytes.write((int) rest);
    }

    /** What is not there: NULL if the message says whether it is, and else a zero. */
    @Test
    void aFieldThatIsNotThere() throws Exception {
        ProtoSamples three = ProtoSamples.of("proto3", STATE, INNER, message("R", field("n", 1, "int32"), field("s", 2, "string"),
                field("e", 3, "enum .t.State"), field("o", 4, "optional int32", "proto3_optional: true oneof_index: 0"),
                field("m", 5, ".t.Inner"), field("l", 6, "repeated int32"), "oneof_decl {name: '_o'}",
                field("w", 7, ".google.protobuf.DoubleValue")));
        String ddl = "n INT, s STRING, e STRING, o INT, m STRUCT<x: INT>, l ARRAY<INT>, w DOUBLE, gone INT";
        assertEquals("[0, , OFF, null, null, [], null, null]", read(three, "R", new byte[0], ddl));
        assertEquals("[0, , OFF, 0, null, [], null, null]", read(three, "R", three.encoded("R", "o: 0"), ddl));
        Schema columns = nullable(ddl);
        assertEquals("[null, null, null, null, null, [], null, null]",
                ProtoSamples.read(three.reader("R", columns, false), new byte[0], columns));
        ProtoSamples two = ProtoSamples.of("proto2", STATE, message("R", field("n", 1, "int32"),
                field("d", 2, "int64", "default_value: '-5'"), field("f", 3, "double", "default_value: '-inf'"),
                field("s", 4, "string", "default_value: 'x'"), field("b", 5, "bytes", "default_value: 'a\\\\377\\\\n'"),
                field("e", 6, "enum .t.State", "default_value: 'ON'"), field("t", 7, "bool", "default_value: 'true'")));
        assertEquals("[null, -5, -Infinity, x, java.nio.HeapByteBuffer[pos=0 lim=3 cap=3], ON, true]", read(two, "R", new byte[0],
                "n INT, d BIGINT, f DOUBLE, s STRING, b BINARY, e STRING, t BOOLEAN"));
    }

    @ParameterizedTest
    @CsvSource({"INT32, 2147483648", "SFIXED32, -2147483649", "UINT32, 4294967296", "FIXED32, -1", "INT64, x"})
    void aDefaultThatItsFieldCannotHoldIsToldBeforeTheFirstRecord(ProtoType type, String text) {
        ProtoField field = new ProtoField("v", 1, type, "", ProtoField.Label.OPTIONAL, -1, text);
        assertEquals("`v` has a default that is none: " + text,
                assertThrows(ProtobufException.class, () -> ProtoLiteral.of(field, null)).getMessage());
    }

    @Test
    void aColumnThatTheMessageDoesNotHaveHasItsDefault() throws Exception {
        Schema columns = Ddl.parse("v INT, n BIGINT DEFAULT 7, s STRING DEFAULT 'x', z INT");
        byte[] row = Rows.encode(columns, List.of(Arrays.asList(0, 7L, "x", null)));
        Packet defaults = new Packet(columns.layout());
        defaults.wrap(row, 0, row.length);
        ProtoFile file = one("proto3", "int32").file();
        ProtobufReader reader = new ProtobufReader(new ProtoResolver(file, true), file.message("t.R"), columns, defaults);
        assertEquals("[4, 7, x, null]", ProtoSamples.read(reader, hex("0804"), columns));
    }

    @Test
    void ofAOneofTheLastOneCounts() throws Exception {
        ProtoSamples samples = ProtoSamples.of("proto3", INNER, message("R", field("a", 1, "int32", "oneof_index: 0"),
                field("b", 2, "string", "oneof_index: 0"), field("c", 3, ".t.Inner", "oneof_index: 0"),
                "oneof_decl {name: 'o'}"));
        String ddl = "a INT, b STRING, c STRUCT<x: INT>";
        assertEquals("[0, null, null]", read(samples, "R", samples.encoded("R", "a: 0"), ddl));
        assertEquals("[null, x, null]", read(samples, "R", hex("0801 120178"), ddl));
        assertEquals("[5, null, null]", read(samples, "R", hex("1a020801 0805"), ddl));
        assertEquals("[null]", read(samples, "R", hex("0801 120178"), "a INT"));       // b is no column
        // the last is not merged with the first
        assertEquals("[null, null, [7]]", read(samples, "R", hex("1a020801 0805 1a020807"), ddl));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "repeated int32 | ARRAY<INT> | 0801 0a020203 0804 | [1, 2, 3, 4]",      // packed and not, in one message
        "repeated fixed32 | ARRAY<BIGINT> | 0d01000000 0a0402000000 | [1, 2]",
        "int32 | INT | 0801 0802 | 2", "int32 | INT | 8880808000 05 | 5", "int32 | INT | 0d01000000 | 0",     // another wire type
        "enum .t.State | INT | 0809 | 9", "enum .t.State | STRING | 0809 | UNKNOWN_ENUM_VALUE_State_9",
        "enum .t.State | BIGINT | 08ffffffffffffffffff01 | -1", "int32 | INT | 08ffffffff1f | -1",
        "bool | BOOLEAN | 088002 | true", "uint32 | BIGINT | 0880808080a001 | 0",
        ".t.Inner | STRUCT<x: INT, y: STRING, list: ARRAY<INT>> | 0a0708011a02010218 0a 0a05120162 1803 | ",
        ".t.Inner | STRUCT<x: INT, y: STRING, list: ARRAY<INT>> | 0a06 0801 1a020102 0a05 120162 1803 | [1, b, [1, 2, 3]]",
        ".google.protobuf.Timestamp | TIMESTAMP | 0a020801 0a0310d00f | 1000002",       // in two parts
        ".google.protobuf.Timestamp | TIMESTAMP | 0a0b 0801 0802 0d01000000 1803 | 2000000",
        "int32 | INT | 0b 0801 120178 0c 0803 | 3", "int32 | INT | 1b 2b 2c 0801 1c 0804 | 4",        // groups, passed over
        "map string int32 | MAP<STRING, INT> | 0a05 0a0161 1001 0a05 0a0162 1002 0a05 0a0161 1003 | {b=2, a=3}",
        "map string int32 | MAP<STRING, INT> | 0a05 1001 0a0161 | {a=1}", "map string int32 | MAP<STRING, INT> | 0a00 | {=0}"})
    void whatAWriterMayDo(String type, String ddl, String digits, String expected) throws Exception {
        String found = read(one("proto3", type), "R", hex(digits), "v " + ddl);
        assertTrue(expected == null ? found.startsWith("!") : found.equals("[" + expected + "]"), found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "int32 | INT | 08 | a value of 1 bytes, and 0 are left", "int32 | INT | 0880 | a value of 1 bytes, and 0 are left",
        "int32 | INT | 08ffffffffffffffffff02 | a number of more than 64 bits",
        "int32 | INT | 00 | the number 0 where a field begins", "int32 | INT | 0f | a value of the wire type 7",
        "int32 | INT | ffffffffff01 | the number 8589934591 where a field begins",
        "int32 | INT | 0c | the end of a group that has not begun", "int32 | INT | 13 | a value of 1 bytes, and 0 are left",
        "int32 | INT | 13 1c | the end of group 3 in group 2",
        "string | STRING | 0a0561 | a value of 5 bytes, and 1 are left",
        "string | STRING | 0affffffff0f61 | a value of 4294967295 bytes, and 1 are left",
        "string | STRING | 0affffffffffffffffff01 | a value of -1 bytes, and 0 are left",
        "string | STRING | 0a01ff | `v`: a text that is not UTF-8", "double | DOUBLE | 0900 | a value of 8 bytes, and 1 are left",
        "repeated int32 | ARRAY<INT> | 0a0180 | `v`: a value of 1 bytes, and 0 are left",
        "repeated fixed32 | ARRAY<BIGINT> | 0a03000000 | `v`: a value of 4 bytes, and 3 are left",
        ".t.Inner | STRUCT<x: INT> | 0a0108 | `v`: a value of 1 bytes, and 0 are left",
        "map string int32 | MAP<STRING, INT> | 0a020a01 | `v`: a value of 1 bytes, and 0 are left"})
    void aBrokenRecordSaysWhat(String type, String ddl, String digits, String why) throws Exception {
        assertEquals("!" + why, read(one("proto3", type), "R", hex(digits), "v " + ddl));
    }

    @Test
    void groupsEnumsAndFieldsThatMustBeThereAsProto2HasThem() throws Exception {
        ProtoSamples samples = ProtoSamples.of("proto2", STATE, message("R", field("n", 1, "required int32"),
                field("e", 2, "enum .t.State"), field("many", 3, "repeated enum .t.State"), field("g", 4, "group .t.R.G"),
                "nested_type {name: 'G' " + field("x", 1, "int32") + "}"));
        String ddl = "e STRING, many ARRAY<STRING>, g STRUCT<x: INT>";
        assertEquals("!a t.R without `n`, which it must have", read(samples, "R", hex("1001"), ddl));
        assertEquals("[ON, [ON, OFF], [5]]",
                read(samples, "R", samples.encoded("R", "n: 1 e: ON many: [ON, OFF] G {x: 5}"), ddl));
        assertEquals("[ON, [ON, OFF], null]", read(samples, "R", hex("0801 1001 1009 1a03 010900 1809"), ddl));     // no 9
    }

    @Test
    void aNullWhereAStructMayHaveNone() throws Exception {
        ProtoSamples samples = ProtoSamples.of("proto2", INNER, message("R", field("v", 1, ".t.Inner")));
        assertEquals("!`v`: NULL in `x`, which is NOT NULL", read(samples, "R", hex("0a00"), "v STRUCT<x: INT NOT NULL>"));
        assertEquals("[[1]]", read(samples, "R", hex("0a020801"), "v STRUCT<x: INT NOT NULL>"));
    }

    @Test
    void depthAndSizeHaveALimit() throws Exception {
        byte[] groups = new byte[1000];
        Arrays.fill(groups, (byte) 0x13);
        assertEquals("!more than 200 values within each other", read(one("proto3", "int32"), "R", groups, "v INT"));
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        for (int k = 0; k < ProtoIndex.MOST; k++) {
            many.writeBytes(hex("0a00"));
        }
        ProtoSamples texts = one("proto3", "repeated string");
        assertTrue(read(texts, "R", many.toByteArray(), "v ARRAY<STRING>").startsWith("[[, , "));
        many.writeBytes(hex("0a00"));
        assertEquals("!more than 1048576 values", read(texts, "R", many.toByteArray(), "v ARRAY<STRING>"));
        StringBuilder wide = new StringBuilder();       // a struct with many columns for each message of no bytes
        for (int k = 0; k < 100; k++) {
            wide.append(k == 0 ? "" : ", ").append("c").append(k).append(": BIGINT");
        }
        assertTrue(read(one("proto3", "repeated .t.Inner"), "R", Arrays.copyOf(many.toByteArray(), 2 * ProtoIndex.MOST),
                "v ARRAY<STRUCT<x: INT, " + wide + ">>").startsWith("!`v`: a nested value of more than "));
    }

    private static final ProtoSamples LARGE = ProtoSamples.of("proto3", STATE, INNER, message("R", mapOf("m", 1, "R", "string",
            ".t.Inner"), field("e", 2, "enum .t.State"), field("many", 3, "repeated .t.Inner"), field("s", 4, "string"),
            field("d", 5, "double"), field("a", 6, "int32", "oneof_index: 0"), field("b", 300, ".t.Inner", "oneof_index: 0"),
            field("packed", 8, "repeated sint64"), field("ts", 9, ".google.protobuf.Timestamp"), "oneof_decl {name: 'o'}"));

    /** Of bytes whatever: what the library takes is taken, and nothing leads out of the record. */
    @Test
    void noBytesWhateverLeadOutOfTheRecord() throws Exception {
        Schema columns = nullable("b STRUCT<y: STRING, list: ARRAY<INT>>, m MAP<STRING, STRUCT<x: INT, y: STRING>>, e STRING, "
                + "many ARRAY<STRUCT<list: ARRAY<INT>, y: STRING>>, s STRING, a INT, packed ARRAY<BIGINT>, d DOUBLE, "
                + "ts TIMESTAMP");
        ProtobufReader reader = LARGE.reader("R", columns, true);
        byte[] good = LARGE.encoded("R", "m {key: 'k' value {x: 5 y: 'z'}} m {key: 'l'} e: ON many {y: 'abc' list: [1, 300]} "
                + "many {} s: 'text' d: 0.5 b {y: 'u'} packed: [1, -70000] ts {seconds: 5}");
        Random chance = new Random(11);
        int read = 0;
        for (int k = 0; k < 20_000; k++) {
            byte[] bytes = Arrays.copyOf(good, chance.nextInt(4) > 0 ? good.length : chance.nextInt(good.length + 3));
            for (int change = chance.nextInt(3); change >= 0 && bytes.length > 0; change--) {
                bytes[chance.nextInt(bytes.length)] = (byte) chance.nextInt();
            }
            PacketWriter out = Rows.growing(columns);
            String why = reader.read(bytes, 0, bytes.length, out);
            assertTrue(why == null || !isTaken(bytes) || why.contains("seconds"),
                    () -> HexFormat.of().formatHex(bytes) + ": " + why);
            read += why == null ? 1 : 0;
            Rows.decode(columns, out.bytes(), 0, out.position());
        }
        assertTrue(read > 1_000 && read < 19_000, read + " were read");
    }

    private static boolean isTaken(byte[] bytes) {
        try {
            DynamicMessage.parseFrom(LARGE.descriptor("R"), bytes);
            return true;
        } catch (InvalidProtocolBufferException none) {
            return false;
        }
    }
}
