package io.despina.operator.record.protobuf;

import static io.despina.operator.record.protobuf.ProtoSamples.field;
import static io.despina.operator.record.protobuf.ProtoSamples.mapOf;
import static io.despina.operator.record.protobuf.ProtoSamples.message;
import static io.despina.operator.record.protobuf.ProtoSamples.symbols;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.descriptor.Ddl;
import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtobufOptionsTest {
    private static final String NESTED = "nested_type {name: 'In' " + field("x", 1, "int32") + " nested_type {name: 'Deep' "
            + field("y", 1, "int32") + "}}";
    private static final ProtoSamples SAMPLES = ProtoSamples.of("proto3", symbols("State", "OFF", "ON"),
            message("First", field("v", 1, "int32")), message("R", field("n", 1, "int32"), field("u", 2, "uint64"),
            mapOf("m", 3, "R", "string", "double"), field("self", 4, ".t.R"), field("in", 5, "repeated .t.R.In"),
            field("e", 6, "enum .t.State"), field("ts", 7, ".google.protobuf.Timestamp"), field("empty", 8, ".t.Nothing"),
            field("d", 9, ".google.protobuf.Duration"), field("w", 10, ".google.protobuf.BytesValue"), NESTED),
            message("Nothing"));

    @TempDir
    Path folder;

    private Path file(byte[] bytes) throws Exception {
        return Files.write(folder.resolve("t.desc"), bytes);
    }

    private ProtobufOptions options(String message, String... more) throws Exception {
        String path = file(SAMPLES.descriptors()).toString();
        return new ProtobufOptions(more.length == 0 ? Map.of("descriptorfile", path, "messageName", message)
                : Map.of("descriptorFile", path, "messageName", message, "schemaId", more[0]));
    }

    @Test
    void aMessageMakesTheColumnsThatSparkMakesOfIt() throws Exception {
        ProtobufOptions.Described found = options("t.R").described();
        assertEquals("n INT, u DECIMAL(20,0), m MAP<STRING, DOUBLE>, in ARRAY<STRUCT<x: INT>>, e STRING, ts TIMESTAMP, "
                + "d INTERVAL DAY TO SECOND, w BINARY", String.join(", ", found.columns().columns().stream()
                .map(column -> column.name() + " " + column.type().sql()).toList()));
        assertEquals(List.of("self", "empty"), found.leftOut());
    }

    @Test
    void theOnlyMessageNeedsNoName() throws Exception {
        Path one = file(ProtoSamples.of("proto3", message("One", field("v", 1, "int32"))).descriptors());
        assertEquals("t.One", new ProtobufOptions(Map.of("descriptorFile", one.toString())).described().message());
        file(SAMPLES.descriptors());
        assertEquals("descriptorFile " + one + " has 3 messages: say which one, by messageName; it has t.First, t.Nothing, t.R",
                assertThrows(ProtobufException.class, () -> new ProtobufOptions(Map.of("descriptorFile", one.toString()))
                        .described()).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"t.First | 7 | 0000000007 00 0805 |", "t.First | 7 | 0000000007 0200 0805 |",
        "t.First | any | 00ffffffff 00 0805 |",
        "t.First | 7 | 0000000008 00 0805 | it is of the schema 8, and the option `schemaId` says 7",
        "t.First | 7 | 0000000007 | it does not say which message of its schema it is: a value of 1 bytes, and 0 are left",
        "t.First | any | 0000000007 ffffffff0f | it does not say which message of its schema it is: -2147483648 messages within "
                + "each other",
        "t.First | 7 | 0000000007 0202 0805 | it is another message of its schema than t.First, which is [0] there: each number "
                + "is a message's place within the one before",
        "t.R.In.Deep | 7 | 0000000007 06020200 0805 |", "t.R.In.Deep | 7 | 0000000007 04020208 05 | it is another message of its "
                + "schema than t.R.In.Deep, which is [1, 1, 0] there: each number is a message's place within the one before"})
    void theNumberOfTheSchemaAndTheMessagesPlaceStandBeforeARecord(String message, String id, String digits, String why)
            throws Exception {
        String column = message.endsWith("Deep") ? "y" : "v";
        Schema columns = Ddl.parse(column + " INT").allNullable();
        ProtobufOptions options = options(message, id);
        byte[] record = HexFormat.of().parseHex(digits.replace(" ", ""));
        assertEquals(why == null ? "[5]" : "!" + why, ProtoSamples.read(options.reader(columns, null), record, columns));
        if (why != null || id.equals("any") || digits.contains("0200")) {
            return;
        }
        byte[] packet = Rows.encode(columns, List.of(List.of(5)));
        Packet view = new Packet(columns.layout());
        view.wrap(packet, 0, packet.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        options.writer(columns).write(view, out);
        assertEquals(digits.replace(" ", ""), HexFormat.of().formatHex(out.toByteArray()));
    }

    @Test
    void theNumberIsANumber() throws Exception {
        Schema columns = Ddl.parse("v INT").allNullable();
        assertEquals("`schemaId` is the number of a schema, or any, not `latest`", assertThrows(ProtobufException.class,
                () -> options("t.First", "latest").reader(columns, null)).getMessage());
        assertEquals("`schemaId` is the number of a schema, not `any`", assertThrows(ProtobufException.class,
                () -> options("t.First", "any").writer(columns)).getMessage());
    }

    @Test
    void aFileThatIsNotThereOrNone() throws Exception {
        Path path = folder.resolve("t.desc");
        assertEquals("there is no descriptorFile " + path, refusal(path, "t.R"));
        file("syntax = \"proto3\";".getBytes());
        assertEquals("descriptorFile " + path + " is none: a value of the wire type 7; make it with protoc --include_imports "
                + "--descriptor_set_out=FILE", refusal(path, "t.R").replaceAll("none: .*;", "none: a value of the wire type 7;"));
        file(new byte[0]);
        assertEquals("descriptorFile " + path + " has no message; make it with protoc --include_imports "
                + "--descriptor_set_out=FILE", refusal(path, "t.R"));
        file(SAMPLES.descriptors());
        String known = String.join(", ", Stream.of("BoolValue", "BytesValue", "DoubleValue", "Duration", "FloatValue",
                "Int32Value", "Int64Value", "StringValue", "Timestamp", "UInt32Value")
                .map(name -> "google.protobuf." + name).toList());
        assertEquals("descriptorFile " + path + " has no message t.Q; it has " + known + ", …", refusal(path, "t.Q"));
    }

    @Test
    void messagesWithinEachOtherHaveAMost() throws Exception {
        int count = 5_000;
        Path path = file(ProtoSamples.of("proto3", IntStream.range(0, count).mapToObj(k -> message("M" + k,
                k + 1 < count ? field("v", 1, ".t.M" + (k + 1)) : field("v", 1, "int32"))).toArray(String[]::new)).descriptors());
        assertEquals("the message t.M0 has more than 100 messages within each other", refusal(path, "t.M0"));
        assertEquals("v", new ProtobufOptions(Map.of("descriptorFile", path.toString(), "messageName", "t.M" + (count - 90)))
                .described().columns().column(0).name());
    }

    private static String refusal(Path path, String message) {
        ProtobufOptions options = new ProtobufOptions(Map.of("descriptorFile", path.toString(), "messageName", message));
        return assertThrows(ProtobufException.class, () -> options.described()).getMessage();
    }

    /** A file of anybody's: it is a descriptor file, or refused in words. */
    @Test
    void noBytesWhateverBreakADescriptorFile() throws Exception {
        byte[] good = SAMPLES.descriptors();
        Schema columns = Ddl.parse("n INT, m MAP<STRING, DOUBLE>, in ARRAY<STRUCT<x: INT>>, e STRING, ts TIMESTAMP")
                .allNullable();
        byte[] record = SAMPLES.encoded("R", "n: 5 m {key: 'a' value: 1} in {x: 1} e: ON ts {seconds: 3}");
        Random chance = new Random(5);
        int[] made = new int[1];
        for (int k = 0; k < 5_000; k++) {
            byte[] bytes = good.clone();
            for (int change = chance.nextInt(3); change >= 0; change--) {
                bytes[chance.nextInt(bytes.length)] = (byte) (chance.nextInt(4) == 0 ? chance.nextInt() : chance.nextInt(12));
            }
            try {
                ProtoFile file = ProtoFile.of("t.desc", bytes);
                new ProtoColumns(file).of("t.R");
                new ProtobufWriter(file, file.message("t.R"), columns);
                ProtobufReader reader = new ProtobufReader(new ProtoResolver(file, true), file.message("t.R"), columns, null);
                ProtoSamples.read(reader, record, columns);
                made[0]++;
            } catch (ProtobufException refused) {
                assertTrue(refused.getMessage().length() > 10);
            }
        }
        assertTrue(made[0] > 500 && made[0] < 4_900, made[0] + " were made");
        assertEquals("[5, {a=1.0}, [[1]], ON, 3000000]", ProtoSamples.read(SAMPLES.reader("R", columns, true), record, columns));
        assertTrue(Arrays.equals(good, SAMPLES.descriptors()));
    }
}
