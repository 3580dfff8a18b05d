package io.despina.operator.record.protobuf;

import static io.despina.operator.record.protobuf.ProtoSamples.field;
import static io.despina.operator.record.protobuf.ProtoSamples.mapOf;
import static io.despina.operator.record.protobuf.ProtoSamples.message;
import static io.despina.operator.record.protobuf.ProtoSamples.symbols;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.descriptor.Ddl;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.orc.protobuf.DynamicMessage;
import org.apache.orc.protobuf.TextFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows as messages, which Protobuf's own library reads. */
class ProtobufWriterTest {
    private static final String STATE = symbols("State", "OFF", "ON");
    private static final String INNER = message("Inner", field("x", 1, "int32"), field("y", 2, "string"));

    private static Schema columns(String ddl) throws Ddl.DdlException {
        return Ddl.parse(ddl).allNullable();
    }

    private static byte[] bytes(ProtoSamples samples, Schema columns, List<?> row) throws Exception {
        byte[] packet = Rows.encode(columns, List.of(row));
        Packet view = new Packet(columns.layout());
        view.wrap(packet, 0, packet.length);
        ProtoFile file = samples.file();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ProtobufWriter(file, file.message("t.R"), columns).write(view, out);
        return out.toByteArray();
    }

    /** As the library reads it. */
    private static String written(ProtoSamples samples, String ddl, Object... row) throws Exception {
        DynamicMessage read = DynamicMessage.parseFrom(samples.descriptor("R"), bytes(samples, columns(ddl), Arrays.asList(row)));
        return TextFormat.printer().shortDebugString(read);
    }

    private static ProtoSamples one(String syntax, String type) {
        return ProtoSamples.of(syntax, STATE, INNER, ProtoSamples.one(type));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"int32 | INT | -7 | v: -7", "int64 | INT | -7 | v: -7", "sint32 | INT | -7 | v: -7",
        "sint64 | BIGINT | -9223372036854775808 | v: -9223372036854775808", "uint32 | BIGINT | 4294967295 | v: 4294967295",
        "fixed32 | INT | 5 | v: 5", "sfixed32 | TINYINT | -5 | v: -5", "fixed64 | BIGINT | 7 | v: 7",
        "sfixed64 | INT | -7 | v: -7",
        "enum .t.State | INT | 1 | v: ON", "enum .t.State | INT | 9 | v: UNKNOWN_ENUM_VALUE_State_9",
        "int32 | INT | 0 | ''", "sint32 | SMALLINT | 0 | ''"})
    void aWholeNumberIsWrittenAsTheTypeOfItsField(String type, String ddl, long value, String text) throws Exception {
        assertEquals(text, written(one("proto3", type), "v " + ddl, value));
    }

    @Test
    void otherValues() throws Exception {
        assertEquals("v: 18446744073709551615",
                written(one("proto3", "uint64"), "v DECIMAL(20, 0)", "18446744073709551615"));
        assertEquals("v: 5", written(one("proto3", "fixed64"), "v DECIMAL(7, 0)", "5"));
        assertEquals("v: true", written(one("proto3", "bool"), "v BOOLEAN", true));
        assertEquals("v: 1.5", written(one("proto3", "double"), "v FLOAT", 1.5));
        assertEquals("v: -0.0", written(one("proto3", "double"), "v DOUBLE", -0.0));      // it is not zero
        assertEquals("v: 1.5", written(one("proto3", "float"), "v FLOAT", 1.5));
        assertEquals("v: \"a\"", written(one("proto3", "bytes"), "v STRING", "a"));
        assertEquals("v: ON", written(one("proto3", "enum .t.State"), "v STRING", "ON"));
        assertEquals("v: OFF", written(one("proto2", "enum .t.State"), "v STRING", "OFF"));
        assertEquals("v: 0", written(one("proto2", "int32"), "v INT", 0));
        assertEquals("", written(one("proto2", "int32"), "v INT", (Object) null));
    }

    @Test
    void nestedValues() throws Exception {
        assertEquals("v: 1 v: -2 v: 0", written(one("proto3", "repeated int32"), "v ARRAY<INT>", List.of(1, -2, 0)));
        assertEquals("v: 1 v: -2 v: 0", written(one("proto2", "repeated sint64"), "v ARRAY<BIGINT>", List.of(1, -2, 0)));
        assertEquals("v: 0.5 v: 0.0", written(one("proto3", "repeated double"), "v ARRAY<DOUBLE>", List.of(0.5, 0.0)));
        for (String type : List.of("repeated fixed64", "repeated fixed32")) {       // the buffer grows under them
            assertEquals("v: 7 ".repeat(5_000).trim(),
                    written(one("proto3", type), "v ARRAY<BIGINT>", Collections.nCopies(5_000, 7)));
        }
        assertEquals("v: \"a\" v: \"\"", written(one("proto3", "repeated string"), "v ARRAY<STRING>", List.of("a", "")));
        assertEquals("", written(one("proto3", "repeated int32"), "v ARRAY<INT>", List.of()));
        assertEquals("v { x: 7 } v { y: \"b\" }", written(one("proto3", "repeated .t.Inner"),
                "v ARRAY<STRUCT<y: STRING, x: INT>>", List.of(Arrays.asList(null, 7), Arrays.asList("b", 0))));
        assertEquals("v { }", written(one("proto3", ".t.Inner"), "v STRUCT<x: INT>", List.of(0)));
        Map<String, Long> entries = new LinkedHashMap<>(Map.of("a", 1L));
        entries.put("", 0L);
        assertEquals("v { key: \"\" value: 0 } v { key: \"a\" value: 1 }",
                written(one("proto3", "map string int64"), "v MAP<STRING, BIGINT>", entries));
        assertEquals("v { key: 5 value { x: 1 } }", written(one("proto3", "map int32 .t.Inner"), "v MAP<INT, STRUCT<x: INT>>",
                Map.of(5, List.of(1))));
        ProtoSamples group = ProtoSamples.of("proto2", message("R", field("v", 1, "group .t.R.V"),
                "nested_type {name: 'V' " + field("x", 1, "int32") + "}"));
        assertEquals("V { x: 3 }", written(group, "v STRUCT<x: INT>", List.of(3)));
    }

    @Test
    void messagesOfProtobufsOwn() throws Exception {
        ProtoSamples time = one("proto3", ".google.protobuf.Timestamp");
        assertEquals("v { seconds: -1 nanos: 999999000 }", written(time, "v TIMESTAMP", -1L));
        assertEquals("v { }", written(time, "v TIMESTAMP", 0L));
        assertEquals("v { seconds: -1 nanos: -500000000 }",
                written(one("proto3", ".google.protobuf.Duration"), "v INTERVAL DAY TO SECOND", -1_500_000L));
        assertEquals("v { value: 2.5 }", written(one("proto3", ".google.protobuf.DoubleValue"), "v DOUBLE", 2.5));
        assertEquals("v { }", written(one("proto3", ".google.protobuf.DoubleValue"), "v DOUBLE", 0.0));
        assertEquals("", written(one("proto3", ".google.protobuf.DoubleValue"), "v DOUBLE", (Object) null));
    }

    /** Long values need more than one byte of length, and are moved for it. */
    @Test
    void whatIsWrittenIsReadAgain() throws Exception {
        ProtoSamples samples = ProtoSamples.of("proto3", STATE, INNER, message("R", field("a", 3, "repeated .t.Inner"),
                mapOf("m", 2, "R", "string", ".t.Inner"), field("n", 1, "repeated sint64"), field("s", 7, "string")));
        Schema columns = columns("m MAP<STRING, STRUCT<x: INT, y: STRING>>, s STRING, n ARRAY<BIGINT>, "
                + "a ARRAY<STRUCT<y: STRING, x: INT>>");
        List<Object> row = List.of(Map.of("k", List.of(1, "ä".repeat(20_000))), "t".repeat(300),
                Collections.nCopies(5_000, -70L),
                Collections.nCopies(200, List.of("z".repeat(200), 9)));
        byte[] record = bytes(samples, columns, row);
        assertEquals(row.toString(), ProtoSamples.read(samples.reader("R", columns, true), record, columns));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "string | v INT | the message has `v` as string, which cannot hold INT",
        "int32 | v BIGINT | the message has `v` as int32, which cannot hold BIGINT",
        "uint64 | v DECIMAL(20, 1) | the message has `v` as uint64, which cannot hold DECIMAL(20,1)",
        "repeated int32 | v INT | the message has `v` as repeated int32, which cannot hold INT",
        "int32 | v ARRAY<INT> | the message has `v` as int32, which cannot hold ARRAY<INT>",
        "repeated int32 | v ARRAY<ARRAY<INT>> | the message has `v` as repeated int32, which cannot hold ARRAY<ARRAY<INT>>",
        ".t.Inner | v STRUCT<x: STRING> | the message has `v.x` as int32, which cannot hold STRING",
        ".t.Inner | v STRUCT<z: INT> | the message t.Inner has no field for column `v.z`; it has x, y",
        "map string int32 | v MAP<INT, INT> | the message has `v.key` as string, which cannot hold INT",
        "required int32 | w INT | the message t.R has no field for column `w`; it has v"})
    void aMessageThatCannotHoldTheColumns(String type, String ddl, String why) throws Exception {
        ProtoFile file = one(type.startsWith("required") ? "proto2" : "proto3", type).file();
        Schema columns = columns(ddl);
        assertEquals(why, assertThrows(ProtobufException.class, () -> new ProtobufWriter(file, file.message("t.R"), columns))
                .getMessage());
    }

    @Test
    void aFieldThatMustBeThereNeedsAColumn() throws Exception {
        ProtoFile file = ProtoSamples.of("proto2", message("R", field("n", 1, "required int32"), field("v", 2, "int32"))).file();
        Schema columns = columns("v INT");
        assertEquals("the message t.R must have `n`, and there is no column for it", assertThrows(ProtobufException.class,
                () -> new ProtobufWriter(file, file.message("t.R"), columns)).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "uint32 | BIGINT | 4294967296 | `v` is uint32, which cannot hold 4294967296",
        "uint64 | BIGINT | -1 | `v` is uint64, which cannot hold -1",
        "fixed64 | DECIMAL(20, 0) | 99999999999999999999 | `v` is fixed64, which cannot hold 99999999999999999999",
        "enum .t.State | STRING | GONE | enum t.State has no `GONE`: it has OFF, ON",
        "required int32 | INT | | `v` is NULL, and the message must have it"})
    void aRowThatNoMessageHolds(String type, String ddl, String value, String why) {
        ProtoSamples samples = one(type.startsWith("required") ? "proto2" : "proto3", type);
        Object given = ddl.equals("BIGINT") ? (Object) Long.valueOf(value) : value;
        assertEquals(why, assertThrows(IllegalArgumentException.class, () -> written(samples, "v " + ddl, given)).getMessage());
    }

    @Test
    void aNullWithinAList() {
        assertEquals("`v` has a NULL, which a message cannot hold in a list or a map",
                assertThrows(IllegalArgumentException.class, () -> written(one("proto3", "repeated int32"), "v ARRAY<INT>",
                        Arrays.asList(1, null))).getMessage());
    }
}
