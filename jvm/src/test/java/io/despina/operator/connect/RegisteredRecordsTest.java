package io.despina.operator.connect;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.connect.PositionSourceOptions.From;
import io.despina.operator.connect.PositionSourceOptions.Registry;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.record.registry.Registration;
import io.despina.operator.record.registry.RegistryProbe;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.registry.FakeRegistry;
import io.despina.registry.RegistryException;
import io.despina.registry.RegistryPlace;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.orc.protobuf.DescriptorProtos.FileDescriptorProto;
import org.apache.orc.protobuf.TextFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records whose schemas are in a registry: read, and written. */
class RegisteredRecordsTest {
    private static final Schema ROW = Schema.of(new Column("n", Simple.BIGINT, true), new Column("s", Simple.STRING, true));
    private static final String FIRST = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"n\",\"type\":\"int\"},"
            + "{\"name\":\"s\",\"type\":\"string\"}]}";
    private static final String LATER = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"s\",\"type\":\"string\"},"
            + "{\"name\":\"more\",\"type\":\"boolean\"},{\"name\":\"n\",\"type\":\"long\"}]}";

    private final FakeServer server = new FakeServer();
    private final Deque<Runnable> asking = new ArrayDeque<>();
    private final FakeQueue queue = new FakeQueue();
    private FakeRegistry registry;
    private OperatorHarness operator;

    @BeforeEach
    void start() throws IOException {
        registry = new FakeRegistry();
    }

    @AfterEach
    void close() throws IOException {
        if (operator != null) {
            operator.close();
        }
        registry.close();
    }

    private static String record(int id, String rest) {
        return "\0\0\0\0" + (char) id + rest;
    }

    private OperatorHarness source() throws Exception {
        return source(registry.place());
    }

    private OperatorHarness source(RegistryPlace place) throws Exception {
        return source(place, FileFormat.AVRO, Map.of());
    }

    private OperatorHarness source(RegistryPlace place, FileFormat format, Map<String, String> options) throws Exception {
        RecordFormat.Read records = new RecordFormat.Read(format, options, ROW, 0, false, Set.of(), "UTC", true);
        operator = OperatorHarness.of(() -> new PositionSource(new PositionSourceOptions(records,
                new Columns(List.of(), ROW, false), null, text -> null, new Bounds(100, 1000),
                new From(() -> server, new ConnectorSettings(Map.of()), false, new Registry(place, asking::add)))))
                .outputs(ROW).room(1 << 12, 2).skippingBadRecords().attempt(1).open();
        server.last().read(10);
        return operator;
    }

    /** Reads until it waits for nothing but records. */
    private void read() throws Exception {
        while (operator.produce() != Source.WHEN_WOKEN || !asking.isEmpty()) {
            if (!asking.isEmpty()) {
                int before = operator.wakes.get();
                asking.poll().run();
                assertEquals(before + 1, operator.wakes.get());
            }
        }
    }

    @Test
    void eachRecordIsReadByItsOwnSchema() throws Exception {
        registry.schema(7, "t-value", FIRST).schema(9, "t-value", LATER);
        server.partition("t/0", record(7, "\2\2a"), record(9, "\2b\1\4"), record(7, "\6\2c"), record(9, "\2d\0\10"));
        source();
        assertEquals(Source.WHEN_WOKEN, operator.produce());
        assertEquals(List.of(), operator.rows(0), "the worker asks nobody");
        read();
        assertEquals(List.of(row(1L, "a"), row(2L, "b"), row(3L, "c"), row(4L, "d")), operator.rows(0));
        assertEquals(List.of("GET /schemas/ids/7", "GET /schemas/ids/9"), registry.requests);
    }

    @Test
    void recordsOfNoUseAreBadOnes() throws Exception {
        registry.schema(7, "t-value", FIRST).schema(1, "p", "PROTOBUF", "message M {}", "[]")
                .schema(2, "r", "AVRO", FIRST, "[{\"name\": \"other\"}]")
                .schema(3, "s", "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"n\",\"type\":\"string\"}]}")
                .schema(4, "u", "no schema");
        server.partition("t/0", record(1, "x"), record(2, "x"), record(3, "x"), record(4, "x"), record(5, "x"), "{}", "\0\0",
                record(7, "\2\10a"), record(7, "\2\2a"));
        source();
        read();
        assertEquals(List.of(row(1L, "a")), operator.rows(0));
        List<String> words = List.of("schema 1 of the registry is PROTOBUF, not Avro",
                "schema 2 of the registry names other schemas, which cannot be read yet",
                "schema 3 of the registry cannot be read as the columns: `n` is string in the writer's schema",
                "schema 4 of the registry cannot be read as the columns: this is no Avro schema",
                "does not have schema 5: Schema not found",
                "it does not begin with a zero and the number of a schema, as records of a `registry` do",
                "it does not begin with a zero and the number of a schema, as records of a `registry` do",
                "`s`: a value of 4 bytes, and 1 are left");
        assertEquals(words.size(), operator.badRecords.size(), operator.badRecords.toString());
        for (int k = 0; k < words.size(); k++) {
            assertTrue(operator.badRecords.get(k).contains("t/0@" + k + ": "), operator.badRecords.get(k));
            assertTrue(operator.badRecords.get(k).contains(words.get(k)), operator.badRecords.get(k));
        }
    }

    private static String descriptor(String text) throws Exception {
        FileDescriptorProto.Builder built = FileDescriptorProto.newBuilder();
        TextFormat.merge(text, built);
        return Base64.getEncoder().encodeToString(built.build().toByteArray());
    }

    private static final String MESSAGES = "name: 'r.proto' package: 't' syntax: 'proto3' dependency: 'o.proto' "
            + "message_type {name: 'Other' field {name: 'x' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL}} "
            + "message_type {name: 'Row' field {name: 'n' number: 1 type: TYPE_MESSAGE type_name: '.google.protobuf.Int64Value' "
            + "label: LABEL_OPTIONAL} field {name: 's' number: 2 type: TYPE_ENUM type_name: '.o.State' label: LABEL_OPTIONAL}}";
    private static final String STATES = "name: 'o.proto' package: 'o' syntax: 'proto3' enum_type {name: 'State' "
            + "value {name: 'ON' number: 0} value {name: 'OFF' number: 1}}";

    @Test
    void aRecordOfProtobufSaysWhichMessageOfItsSchemaItIs() throws Exception {
        registry.schema(7, "t-value", "PROTOBUF", descriptor(MESSAGES), "[{\"name\": \"o.proto\", \"subject\": \"o\", "
                + "\"version\": 3}]").schema(8, "o", "PROTOBUF", descriptor(STATES), "[]");
        server.partition("t/0", record(7, "\2\2" + "\12\2\10\5" + "\20\1"), record(7, "\2\2" + "\12\2\10\6"),
                record(7, "\0"), record(7, "\2\2\12"));
        source(registry.place(), FileFormat.PROTOBUF, Map.of("messageName", "t.Row"));
        read();
        assertEquals(List.of(row(5L, "OFF"), row(6L, "ON")), operator.rows(0));
        assertEquals(2, operator.badRecords.size(), operator.badRecords.toString());
        assertTrue(operator.badRecords.get(0).contains("it is another message of its schema than t.Row, which is [1] there"),
                operator.badRecords.get(0));
        assertEquals(List.of("GET /schemas/ids/7?format=serialized", "GET /subjects/o/versions/3?format=serialized"),
                registry.requests);
    }

    @Test
    void schemasOfProtobufThatAreOfNoUseAreTold() throws Exception {
        registry.schema(1, "a", FIRST).schema(2, "t", "PROTOBUF", "syntax = \"proto3\"; message M {}", "[]")
                .schema(3, "n", "PROTOBUF", descriptor("name: 'n.proto'"), "[]")
                .schema(4, "x", "PROTOBUF", "AAAA", "[]");
        server.partition("t/0", record(1, "\0"), record(2, "\0"), record(3, "\0"), record(4, "\0"));
        source(registry.place(), FileFormat.PROTOBUF, Map.of());
        read();
        List<String> words = List.of("schema 1 of the registry is AVRO, not Protobuf",
                "schema 2 of the registry comes as the text of a .proto file: this registry gives no descriptors",
                "schema 3 of the registry cannot be read as the columns: it has no message",
                "schema 4 of the registry cannot be read as the columns: it is no descriptor");
        assertEquals(words.size(), operator.badRecords.size(), operator.badRecords.toString());
        for (int k = 0; k < words.size(); k++) {
            assertTrue(operator.badRecords.get(k).contains(words.get(k)), operator.badRecords.get(k));
        }
    }

    @Test
    void whatASchemaOfProtobufImportsHasALimit() throws Exception {
        String large = "AAAA".repeat(1_000_000);
        StringBuilder imports = new StringBuilder();
        for (int k = 0; k < 8; k++) {
            registry.schema(100 + k, "large" + k, "PROTOBUF", large, "[]");
            imports.append(k == 0 ? "" : ", ").append("{\"subject\": \"large").append(k).append("\", \"version\": 1}");
        }
        registry.schema(7, "t-value", "PROTOBUF", descriptor(MESSAGES), "[" + imports + "]");
        server.partition("t/0", record(7, "\2\2"));
        source(registry.place(), FileFormat.PROTOBUF, Map.of("messageName", "t.Row"));
        read();
        assertTrue(operator.badRecords.get(0).contains("schema 7 of the registry imports more than 1000 files, or more than "
                + "16777216 bytes"), operator.badRecords.get(0));
        assertEquals(8, registry.requests.size());
    }

    @Test
    void aNumberThatIsUnknownIsAskedForAgainLater() throws Exception {
        server.partition("t/0", record(7, "\2\2a"), record(7, "\2\2b")).partition("t/1", record(7, "\2\2c"));
        source();
        read();
        assertEquals(3, operator.badRecords.size());
        assertEquals(1, registry.requests.size());
        registry.schema(7, "t-value", FIRST);
        operator.now += TimeUnit.SECONDS.toNanos(31);
        server.partition("t/0", record(7, "\2\2d"));
        server.last().read(10);
        read();
        assertEquals(List.of(row(1L, "d")), operator.rows(0));
    }

    @Test
    void recordsWaitForARegistryThatIsAway() throws Exception {
        registry.schema(7, "t-value", FIRST).failing(503, 503);
        server.partition("t/0", record(7, "\2\2a"));
        source();
        read();
        assertEquals(List.of(row(1L, "a")), operator.rows(0));
        assertEquals(3, registry.requests.size());
        assertEquals(List.of("`registry` " + registry.url() + " answers 503 for schema 7: not now; records wait for schema 7"),
                operator.warnings);
    }

    @Test
    void aRegistryThatLetsNobodyInEndsTheJob() throws Exception {
        registry.wanting("Bearer x");
        server.partition("t/0", record(7, "\2\2a"));
        source();
        operator.produce();
        asking.poll().run();
        RegistryException why = assertThrows(RegistryException.class, operator::produce);
        assertTrue(why.getMessage().contains("does not take the login (401)"), why.getMessage());
    }

    @Test
    void oneThatCannotBeAskedEndsTheJob() throws Exception {
        server.partition("t/0", record(7, "\2\2a"));
        RegistryPlace broken = new RegistryPlace(registry.url(), () -> {
            throw new IllegalStateException("no such algorithm");
        }, null);
        RegistryPlace nowhere = new RegistryPlace(registry.url() + "/{env}", null, null);
        for (RegistryPlace place : List.of(broken, nowhere)) {
            source(place);
            operator.produce();
            asking.poll().run();
            RegistryException why = assertThrows(RegistryException.class, operator::produce);
            assertTrue(why.getMessage().contains(place == broken ? "schema 7 cannot be asked for: no such algorithm"
                    : "/{env} cannot be asked: Illegal character"), why.getMessage());
            operator.close();
        }
        assertEquals(List.of(), registry.requests);
    }

    @Test
    void aRecordThatWaitsIsInNoSnapshotYet() throws Exception {
        registry.schema(7, "t-value", FIRST).schema(9, "t-value", LATER);
        server.partition("t/0", record(7, "\2\2a"), record(9, "\2b\1\4"));
        source();
        operator.produce();
        asking.poll().run();
        operator.produce();
        assertEquals(List.of(row(1L, "a")), operator.rows(0));
        Map<String, byte[]> snapshot = operator.snapshot();
        read();
        operator.restart(snapshot);
        server.last().read(10);
        read();
        assertEquals(List.of(row(1L, "a"), row(2L, "b"), row(2L, "b")), operator.rows(0));
    }

    @Test
    void aStopDoesNotWaitForARegistry() throws Exception {
        server.partition("t/0", record(7, "\2\2a"));
        source();
        operator.produce();
        ((Source) operator.operator()).stop();
        assertEquals(Source.ENDED, operator.produce());
        operator.close();
        int before = registry.requests.size();
        asking.poll().run();
        assertEquals(before, registry.requests.size(), "nobody asks for a source that is closed");
        operator = null;
    }

    private OperatorHarness.Setup queued() {
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.AVRO, Map.of(), ROW, 0, false, Set.of(), "UTC", true);
        return OperatorHarness.of(() -> new AcknowledgedSource(new AcknowledgedSourceOptions(records,
                new Columns(List.of(), ROW, false), null, options -> null,
                new AcknowledgedSourceOptions.Bounds(100, 1000, 1 << 20, 100),
                new AcknowledgedSourceOptions.From(() -> queue, new ConnectorSettings(Map.of()),
                        new Registry(registry.place(), asking::add)))))
                .outputs(ROW).room(1 << 12, 2).skippingBadRecords();
    }

    @Test
    void aMessageIsAcknowledgedWhenItsSchemaIsKnownAndItsRowsAreInTheGraph() throws Exception {
        registry.schema(7, "t-value", FIRST).schema(9, "t-value", LATER).failing(503);
        operator = queued().open();
        queue.send(record(7, "\2\2a"), record(9, "\2b\1\4"), record(7, "\2\10a"), record(7, "\6\2c")).give(4);
        assertEquals(Source.WHEN_WOKEN, operator.produce());
        assertEquals(0, queue.acknowledged());
        read();
        assertEquals(List.of(row(1L, "a"), row(2L, "b"), row(3L, "c")), operator.rows(0));
        assertEquals(1, operator.badRecords.size());
        assertEquals(4, queue.acknowledged());
        queue.send(record(8, "\2\2a")).give(1);
        assertEquals(Source.WHEN_WOKEN, operator.produce());
        ((Source) operator.operator()).stop();
        assertEquals(Source.ENDED, operator.produce());
        assertEquals(4, queue.acknowledged(), "the server gives it again");
    }

    @Test
    void aMessageThatWaitsIsInTheLogOfAJobThatKeepsItsState(@TempDir Path folder) throws Exception {
        registry.schema(7, "t-value", FIRST).schema(9, "t-value", LATER);
        operator = queued().keeping(folder).open();
        queue.send(record(7, "\2\2a"), record(9, "\2b\1\4"), record(9, "\2c\1\6")).give(3);
        operator.produce();
        asking.poll().run();
        operator.produce();
        assertEquals(List.of(row(1L, "a")), operator.rows(0));
        operator.restart(operator.snapshot());
        while (operator.rows(0).size() < 3) {
            operator.produce();
            if (!asking.isEmpty()) {
                asking.poll().run();
            }
        }
        assertEquals(List.of(row(1L, "a"), row(2L, "b"), row(3L, "c")), operator.rows(0));
    }

    /** Keeps what is written to it in hexadecimal digits. */
    private static final class Written implements Connector, RecordWriter {
        final List<String> records = new ArrayList<>();

        @Override
        public RecordWriter writer(ConnectorSettings settings, WriterHost host) {
            return this;
        }

        @Override
        public void open(boolean later) {
        }

        @Override
        public void write(Outgoing record) {
            records.add(HexFormat.of().formatHex(record.value()));
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }

    private Written written(boolean registers, List<List<Object>> rows) throws Exception {
        return written(new RecordFormat.Write(FileFormat.AVRO, Map.of("avroSchema", FIRST), "UTC", true), INTS, registers, rows);
    }

    private Written written(RecordFormat.Write records, Schema columns, boolean registers, List<List<Object>> rows)
            throws Exception {
        Written target = new Written();
        RecordSinkOptions options = new RecordSinkOptions(records, text -> null, new RecordSinkOptions.Parts(null, null, false,
                false, List.of()), new RecordSinkOptions.Value(List.of(0, 1), columns), new RecordSinkOptions.To(() -> target,
                        new ConnectorSettings(Map.of("retry_for_ms", 60_000L)), 1000,
                        new Registration(registry.place(), "t-value", registers)));
        operator = OperatorHarness.of(() -> new RecordSink(options)).inputs(columns).outputs(ROW).open();
        operator.feed(0, rows).release();
        return target;
    }

    private static final Schema INTS = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));

    @Test
    void aSinkRegistersItsSchemaOnceAndWaitsForTheRegistry() throws Exception {
        registry.failing(503);
        assertEquals(List.of("0000000064" + "02" + "0261", "0000000064" + "04" + "0262"),
                written(true, List.of(row(1, "a"), row(2, "b"))).records);
        assertEquals(List.of("POST /subjects/t-value/versions", "POST /subjects/t-value/versions"), registry.requests);
        assertEquals(1, operator.warnings.size());
        assertTrue(operator.warnings.get(0).endsWith("answers 503 for subject `t-value`: not now; trying again"),
                operator.warnings.get(0));
    }

    private Written messages(String name, List<List<Object>> rows) throws Exception {
        return written(new RecordFormat.Write(FileFormat.PROTOBUF, name == null ? Map.of() : Map.of("messageName", name), "UTC",
                true), ROW, false, rows);
    }

    @Test
    void aSinkOfProtobufTakesTheNewestSchemaOfItsSubject() throws Exception {
        registry.schema(5, "t-value", "PROTOBUF", "an older one", "[]").schema(7, "t-value", "PROTOBUF", descriptor(MESSAGES),
                "[{\"name\": \"o.proto\", \"subject\": \"o\", \"version\": 3}]").schema(6, "o", "PROTOBUF",
                descriptor(STATES), "[]").failing(503);
        assertEquals(List.of("0000000007" + "0202" + "0a020805" + "1001", "0000000007" + "0202" + "0a020806"),
                messages("t.Row", List.of(row(5L, "OFF"), row(6L, null))).records);
        assertEquals(List.of("GET /subjects/t-value/versions/latest?format=serialized",
                "GET /subjects/t-value/versions/latest?format=serialized", "GET /subjects/o/versions/3?format=serialized"),
                registry.requests);
        assertEquals(1, operator.warnings.size(), operator.warnings.toString());
    }

    @Test
    void whatASinkOfProtobufCannotWriteEndsTheJob() throws Exception {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(descriptor(MESSAGES), "schema 7 of the registry, the newest of the subject `t-value`, cannot be written of the "
                + "columns: ");
        words.put("syntax = \"proto3\"; message M {}", "comes as the text of a .proto file");
        for (Map.Entry<String, String> each : words.entrySet()) {
            registry.schema(7, "t-value", "PROTOBUF", each.getKey(), "[]");
            RegistryException why = assertThrows(RegistryException.class, () -> messages(null, List.of()));
            assertTrue(why.getMessage().contains(each.getValue()), why.getMessage());
        }
        registry.schema(7, "t-value", FIRST);
        RegistryException avro = assertThrows(RegistryException.class, () -> messages(null, List.of()));
        assertTrue(avro.getMessage().endsWith("is AVRO, not Protobuf"), avro.getMessage());
        registry.schema(7, "other", FIRST);
        RegistryException none = assertThrows(RegistryException.class, () -> messages(null, List.of()));
        operator = null;
        assertTrue(none.getMessage().endsWith("does not have the newest version of the subject `t-value` as a descriptor: "
                + "Subject not found"), none.getMessage());
        assertTrue(assertThrows(RegistryException.class, () -> new RegistryProbe(registry.place(), "t-value", false).run(10_000))
                .getMessage().contains("Subject not found"));
        assertTrue(new RegistryProbe(registry.place(), "t-value", true).run(10_000).endsWith("has no subject t-value yet"));
    }

    @Test
    void aSinkMayTakeWhatIsThereAlone() throws Exception {
        registry.schema(7, "t-value", FIRST);
        assertEquals(List.of("0000000007" + "02" + "0261"), written(false, List.of(row(1, "a"))).records);
        operator.close();
        registry.close();
        registry = new FakeRegistry();
        RegistryException none = assertThrows(RegistryException.class, () -> written(false, List.of()));
        operator = null;
        assertTrue(none.getMessage().endsWith("does not have this schema under the subject `t-value`: Schema not found"),
                none.getMessage());
        assertEquals(List.of("POST /subjects/t-value"), registry.requests);
    }
}
