package io.despina.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.asking.AskedServer.Secrets;
import io.despina.asking.AskedServer.Times;
import io.despina.asking.ScriptedHttp.Reply;
import io.despina.connect.Connector;
import io.despina.connect.ConnectorSettings;
import io.despina.expr.RecordParser;
import io.despina.operator.OperatorHarness;
import io.despina.operator.connect.MetadataColumn;
import io.despina.operator.connect.PositionSource;
import io.despina.operator.connect.PositionSourceOptions;
import io.despina.operator.connect.PositionSourceOptions.Bounds;
import io.despina.operator.connect.PositionSourceOptions.Columns;
import io.despina.operator.connect.PositionSourceOptions.From;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.Client;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.FileFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The readers within their source: rows, places in snapshots, bad records, room. */
class AskingSourceTest {
    private static final Schema ID = Schema.of(new Column("id", Simple.BIGINT, true));
    private static final Schema BOTH = Schema.of(new Column("id", Simple.BIGINT, true), new Column("n", Simple.STRING, true));
    private static final int RECORDS = 40;

    private OperatorHarness source;

    private OperatorHarness.Setup setup(Connector connector, boolean ends) {
        RecordFormat.Read records = new RecordFormat.Read(FileFormat.JSON, Map.of(), ID, 0, false, Set.of(), "UTC", true);
        List<MetadataColumn> beside = List.of(new MetadataColumn(AnswerBatch.ID, Simple.STRING));
        From from = new From(() -> connector, new ConnectorSettings(Map.of()), ends, null);
        return OperatorHarness.of(() -> new PositionSource(new PositionSourceOptions(records, new Columns(beside, BOTH, false),
                null, options -> AskingSourceTest::parse, new Bounds(1 << 10, 1 << 16), from)))
                .outputs(BOTH).skippingBadRecords().attempt(1);
    }

    /** In place of Spark's parser. */
    private static RecordParser.Refusal parse(byte[] line, int from, int to, PacketWriter out) {
        String id = new String(line, from, to - from, StandardCharsets.UTF_8).replaceAll("[^0-9]", "");
        out.begin().setLong(0, Long.parseLong(id));
        out.commit();
        return null;
    }

    private static AskedServer at(String url) {
        return new AskedServer(url, Map.of(), new Secrets(Map.of(), Map.of()), null, null, new Times(10_000, 60_000));
    }

    @AfterEach
    void close() throws Exception {
        if (source != null) {
            source.close();
        }
    }

    private List<Object> ids() {
        return source.rows(0).stream().map(each -> each.get(0)).toList();
    }

    private static List<Object> upTo(int count) {
        return IntStream.rangeClosed(1, count).<Object>mapToObj(id -> (long) id).toList();
    }

    /** The job goes on from a snapshot after each step, with room for a row or two. */
    @Test
    void aStreamIsGoneOnWithAfterEachRow() throws Exception {
        List<String> events = IntStream.rangeClosed(1, RECORDS).mapToObj(id -> "id: " + id + "\ndata: {\"id\": " + id + "}\n\n")
                .toList();
        try (BreakingServer server = new BreakingServer((k, request) -> {
            String last = request.replaceFirst("(?s).*Last-Event-ID: (\\d+).*", "$1");
            int from = last.length() < 3 ? Integer.parseInt(last) : 1;      // it gives the last one again
            return BreakingServer.bytes("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                    + String.join("", events.subList(from - 1, Math.min(RECORDS, from + 6))));
        })) {
            source = setup(new StreamConnector(new StreamOptions(at(server.url()), true, null, 10_000, 1000, false)), false)
                    .room(40, 1).open();
            int before = 0;
            while (before < RECORDS) {
                int seen = before;
                Client.produceUntil(source, () -> source.rows(0).size() > seen);
                before = source.rows(0).size();
                source.restart();
            }
            assertEquals(upTo(RECORDS), ids());
            assertEquals("7", source.rows(0).get(6).get(1));
        }
    }

    @Test
    void aServerIsAskedOnAfterEachRow() throws Exception {
        try (ScriptedHttp server = new ScriptedHttp(null, asked -> {
            int since = asked.uri().contains("since") ? Integer.parseInt(asked.uri().replaceFirst(".*=", "")) : 1;
            List<String> records = new ArrayList<>();
            for (int id = Math.min(RECORDS, since + 9); id >= since; id--) {
                records.add("{\"id\": " + id + "}");
            }
            return Reply.of(records.toString());
        })) {
            PollOptions options = new PollOptions(server.at("/a"), 1, new PollOptions.Answer(FileFormat.JSON, List.of(), null, 0,
                    1 << 16), new PollOptions.Cursor("id", "NUMBER", "since", null, false), false);
            source = setup(new PollConnector(options), false).room(40, 1).open();
            int before = 0;
            while (before < RECORDS) {
                int seen = before;
                Client.produceUntil(source, () -> source.rows(0).size() > seen);
                before = source.rows(0).size();
                source.restart();
            }
            assertEquals(upTo(RECORDS), ids());
        }
    }

    @Test
    void badRecordsHaveTheirPlace() throws Exception {
        try (ScriptedHttp server = new ScriptedHttp(null, asked -> Reply.of("[{\"id\": 1}, {\"id\": \"x\"}, {}]"))) {
            PollOptions options = new PollOptions(server.at("/a"), 1, new PollOptions.Answer(FileFormat.JSON, List.of(), null, 0,
                    1 << 16), new PollOptions.Cursor("id", "NUMBER", null, null, true), true);
            source = setup(new PollConnector(options), true).open();
            Client.produceToEnd(source);
            assertEquals(upTo(1), ids());
            assertEquals(List.of(server.url("/a") + ", record 2: `id`, its cursor, is x, which cannot be compared with others: "
                    + "{\"id\": \"x\"}", server.url("/a") + ", record 3: the record has no `id`, its cursor: {}"),
                    source.badRecords);
        }
    }

    @Test
    void aRefusalFailsTheJob() throws Exception {
        try (ScriptedHttp server = new ScriptedHttp(null, asked -> Reply.of(403, "no"))) {
            source = setup(new StreamConnector(new StreamOptions(server.at("/a"), true, null, 1000, 100, false)), false).open();
            String failure = assertThrows(AnswerRefusedException.class,
                    () -> Client.produceUntil(source, () -> false)).getMessage();
            assertTrue(failure.startsWith(server.url("/a") + " answers 403: no"), failure);
        }
    }
}
