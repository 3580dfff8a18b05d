package io.despina.operator.connect;

import static io.despina.operator.Rows.row;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.connect.Marker;
import io.despina.connect.Outgoing;
import io.despina.connect.RecordWriter;
import io.despina.connect.WriterHost;
import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.connect.RecordSinkOptions.Parts;
import io.despina.operator.connect.RecordSinkOptions.To;
import io.despina.operator.connect.RecordSinkOptions.Value;
import io.despina.operator.outbox.UnknownCommitException;
import io.despina.operator.record.RecordFormat;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecordSinkTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.BIGINT, true), new Column("s", Simple.STRING, true));
    private static final Schema ONE = Schema.of(new Column("s", Simple.STRING, true));

    private final Server server = new Server();
    private RecordSinkOptions.Parts parts = new Parts(null, null, false, false, List.of());
    private Value value = new Value(List.of(0, 1), IN);
    private FileFormat format = FileFormat.JSON;
    private OperatorHarness sink;

    /** Keeps what is written to it as text. */
    private static final class Server implements Connector, RecordWriter {
        final List<String> records = new ArrayList<>();
        final List<String> calls = new ArrayList<>();
        WriterHost host;
        String refuses = "nothing";
        boolean undoes;

        @Override
        public RecordWriter writer(ConnectorSettings settings, WriterHost of) {
            host = of;
            return this;
        }

        @Override
        public void open(boolean later) {
            calls.add(later ? "open for later" : "open");
        }

        @Override
        public void begin(String outbox, long epoch) {
            calls.add("begin " + outbox + " " + epoch);
        }

        @Override
        public void write(Outgoing record) {
            String text = text(record.value());
            StringBuilder all = new StringBuilder(record.target() + " " + text(record.key()) + " " + text);
            for (byte[] each : record.pairs()) {
                all.append(' ').append(text(each));
            }
            if (text != null && text.equals(refuses)) {
                host.refused("too large", record.value());
            } else {
                records.add(all.toString());
            }
        }

        private static String text(byte[] bytes) {
            return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public void flush() throws RepeatException {
            calls.add("flush");
            if (undoes) {
                throw new RepeatException("undone", null);
            }
        }

        @Override
        public Marker marker(String outbox, long epoch) {
            return epoch == 1 ? Marker.THERE : Marker.ABSENT;
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private RecordSinkOptions options() {
        return new RecordSinkOptions(new RecordFormat.Write(format, Map.of(), "UTC", true), text -> null, parts, value,
                new To(() -> server, new ConnectorSettings(Map.of()), 1000, null));
    }

    private OperatorHarness open() throws Exception {
        sink = OperatorHarness.of(() -> new RecordSink(options())).inputs(IN).skippingBadRecords().outputs(ONE).open();
        return sink;
    }

    @AfterEach
    void close() throws IOException {
        if (sink != null) {
            sink.close();
            assertEquals("close", server.calls.get(server.calls.size() - 1));
        }
    }

    @Test
    void eachRowIsARecordAndABarrierWaitsForTheServer() throws Exception {
        open().feed(0, List.of(row(1L, "a"), row(2L, null))).release();
        assertEquals(List.of("null null {\"n\":1,\"s\":\"a\"}", "null null {\"n\":2}"), server.records);
        assertEquals(List.of("open", "flush"), server.calls);
        assertEquals(1000, sink.stateBytes);
    }

    @Test
    void whatGoesBesideTheValue() throws Exception {
        Compiled<Projection> compiled = partition -> (inputs, out) -> {
            for (int k = 0; k < 3; k++) {
                out.setColumn(k, inputs[0], 1);
            }
        };
        Column text = new Column("p", Simple.STRING, true);
        parts = new Parts(compiled, new Schema(List.of(text, new Column("q", Simple.STRING, true),
                new Column("r", Simple.STRING, true))), true, true, List.of("h"));
        value = new Value(List.of(0), Schema.of(IN.column(0)));
        open().feed(0, List.of(row(1L, "a"), row(2L, null), row(3L, "c")));
        assertEquals(List.of("a a {\"n\":1} h a", "c c {\"n\":3} h c"), server.records);
        assertEquals(List.of("where the row is sent to is NULL"), sink.badRecords);
    }

    @Test
    void aNullOfTextIsARecordWithoutAValue() throws Exception {
        format = FileFormat.TEXT;
        value = new Value(List.of(1), ONE);
        open().feed(0, List.of(row(1L, "a"), row(2L, null), row(3L, "")));
        assertEquals(List.of("null null a", "null null null", "null null "), server.records);
    }

    @Test
    void whatTheServerRefusesIsABadRecord() throws Exception {
        server.refuses = "{\"n\":2,\"s\":\"b\"}";
        open().feed(0, List.of(row(1L, "a"), row(2L, "b"), row(3L, "c"))).release();
        assertEquals(2, server.records.size());
        assertEquals(List.of("too large: {\"n\":2,\"s\":\"b\"}"), sink.badRecords);
    }

    @Test
    void aTransactionThatIsUndoneComesAgain() throws Exception {
        sink = OperatorHarness.of(() -> new MarkedRecordSink(options())).inputs(IN).skippingBadRecords().outputs(ONE).open();
        MarkedRecordSink marked = (MarkedRecordSink) sink.operator();
        marked.begin("outbox", 2);
        server.undoes = true;
        UnknownCommitException why = assertThrows(UnknownCommitException.class, marked::release);
        assertTrue(why.getMessage().contains("undone"), why.getMessage());
        assertEquals(Marker.THERE, marked.marker("outbox", 1));
        assertEquals(Marker.ABSENT, marked.marker("outbox", 2));
        assertEquals(List.of("open", "begin outbox 2", "flush"), server.calls);
    }

    @Test
    void aConnectorThatIsNotInstalledIsNamedWithWhatToInstall() {
        IOException ours = assertThrows(IOException.class, () -> ConnectorJars.load("kafka"));
        assertTrue(ours.getMessage().contains("there is no despina-kafka.jar in "), ours.getMessage());
        assertTrue(ours.getMessage().endsWith("install it with pip install 'despina[kafka]'; in a checkout, run make setup"),
                ours.getMessage());
        IOException another = assertThrows(IOException.class, () -> ConnectorJars.load("pigeon"));
        assertTrue(another.getMessage().contains("there is no despina-pigeon.jar in "), another.getMessage());
        assertTrue(another.getMessage().endsWith("copy it there; `despina jar` says where the engine's is"),
                another.getMessage());
    }
}
