package io.despina.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.asking.AskedServer.Secrets;
import io.despina.asking.AskedServer.Times;
import io.despina.asking.StreamOptions.LineId;
import io.despina.connect.PositionReader;
import io.despina.connect.Records;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StreamReaderTest {
    private static final String EVENTS = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    private static final String LINES = "HTTP/1.1 200 OK\r\n\r\n";
    private static final LineId BY_ID = new LineId("id", "since");

    private final FakeHost host = new FakeHost();
    private BreakingServer server;
    private PositionReader reader;
    private boolean events;
    private LineId id;
    private boolean ends;
    private long stallMillis = 10_000;
    private int recordBytes = 1000;

    private void serve(BiFunction<Integer, String, byte[]> answers) throws IOException {
        server = new BreakingServer(answers);
    }

    private FakeHost read(String place) throws Exception {
        AskedServer at = new AskedServer(server.url(), Map.of(), new Secrets(Map.of(), Map.of()), null, null,
                new Times(10_000, 3_600_000));
        reader = new StreamConnector(new StreamOptions(at, events, id, stallMillis, recordBytes, ends)).reader(host,
                host.clock());
        reader.open(place == null ? Map.of() : Map.of(AnswerBatch.PARTITION, place), place != null);
        reader.start();
        return host;
    }

    @AfterEach
    void close() throws IOException {
        if (reader != null) {
            reader.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** What comes until there are so many values, each after its id. */
    private List<String> values(int count) throws Exception {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            Records next = (Records) host.next();
            while (next.next()) {
                String named = next.isMissing(AnswerBatch.ID) ? "" : text(next.binary(AnswerBatch.ID)) + " ";
                values.add(named + FakeHost.value(next));
            }
        }
        return values;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void eventsAreWhatTheStandardSays() throws Exception {
        events = true;
        ends = true;
        serve((k, request) -> BreakingServer.bytes(EVENTS + "\uFEFF: comment\n\ndata: a\r\ndata:b\r\n\r\nid: 7\revent: tick\r"
                + "data\rdata:  c\r\rid\ndata: d\n\nretry: 20\nfoo: x\nevent: e\n\ndata: never ends\n"));
        Records all = (Records) read(null).next();
        assertTrue(all.next());
        assertEquals("a\nb", FakeHost.value(all));
        assertTrue(all.isMissing(AnswerBatch.ID) && all.isMissing(AnswerBatch.EVENT));
        assertTrue(all.next());
        assertEquals("\n c", FakeHost.value(all));
        assertEquals("7 tick", text(all.binary(AnswerBatch.ID)) + " " + text(all.binary(AnswerBatch.EVENT)));
        assertTrue(all.next());
        assertEquals("d", FakeHost.value(all));
        assertTrue(all.isMissing(AnswerBatch.ID));
    }

    /** At each connection the server breaks one byte later, and goes on from the id that it is told. */
    @Test
    void aServerThatBreaksAtEveryByteLosesNothingAndDoublesNothing() throws Exception {
        events = true;
        List<String> expected = List.of("1 a", "2 b\nb", "3 c", "4 d", "5 e");
        List<String> sent = List.of("id: 1\ndata: a\n\n", ":\n\nid: 2\ndata: b\ndata: b\n\n", "id: 3\ndata: c\n\n",
                "data: d\nid: 4\n\n", "id: 5\ndata: e\n\n");
        serve((k, request) -> {
            String last = request.replaceFirst("(?s).*Last-Event-ID: (\\d+).*", "$1");
            int from = last.length() == 1 ? Integer.parseInt(last) : 1;      // it gives the last one again
            byte[] whole = BreakingServer.bytes(EVENTS + String.join("", sent.subList(from - 1, sent.size())));
            return Arrays.copyOf(whole, Math.min(whole.length, k));
        });
        read(null);
        assertEquals(expected, values(expected.size()));
    }

    @Test
    void linesAreRecordsAndWhatBreaksOffIsNone() throws Exception {
        ends = true;
        serve((k, request) -> BreakingServer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"
                + (k == 0 ? "a\r\n\r\n \nb\nhalf" : "12345678\n901234567\nz")));
        read(null);
        assertEquals(List.of("a", "b", "12345678", "901234567", "z"), values(5));
        assertTrue(host.warnings.get(0).startsWith(server.url() + " breaks off its answer: "), host.warnings.toString());
    }

    @Test
    void linesAreToldApartByTheirId() throws Exception {
        id = BY_ID;
        serve((k, request) -> BreakingServer.bytes(LINES + (k == 0 ? "{\"id\": 1}\n{\"id\": 2}\nno json\n"
                : "{\"id\": 2}\n{\"id\": 1}\n{\"id\": 3}\n{\"x\": 3}\n")));
        read(null);
        assertEquals(List.of("1 {\"id\": 1}", "2 {\"id\": 2}", "no json", "3 {\"id\": 3}", "{\"x\": 3}"), values(5));
        assertTrue(server.requests.stream().skip(1).findFirst().orElseThrow().startsWith("GET /a?since=2 "));
    }

    @Test
    void everyPlaceIsGoneOnFrom() throws Exception {
        events = true;
        ends = true;
        serve((k, request) -> BreakingServer.bytes(EVENTS + "id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n"));
        Records all = (Records) read(null).next();
        List<String> places = new ArrayList<>(List.of(all.behind()));
        while (all.next()) {
            places.add(all.behind());
        }
        host.next();
        List<String> values = List.of("1 a", "2 b", "3 c");
        for (int k = 0; k < values.size(); k++) {
            read(places.get(k));
            assertEquals(values.subList(k, 3), values(3 - k));
            host.next();
        }
    }

    @Test
    void anEndlessLineTakesNoMemoryAndIsABadRecord() throws Exception {
        recordBytes = 10;
        ends = true;
        serve((k, request) -> BreakingServer.bytes(LINES + "x".repeat(1 << 20) + "\n0123456789\n"));
        read(null);
        assertEquals(List.of("x".repeat(11), "0123456789"), values(2));
        close();
        events = true;
        serve((k, request) -> BreakingServer.bytes(EVENTS + "data: 01234\ndata: 56789\n\ndata: 01234\ndata: 5678\n\n"));
        read(null);
        assertEquals(List.of("01234\n56789", "01234\n5678"), values(2));
    }

    @Test
    void aReturnWithinALineThatIsTooLongDoesNotMakeItShorter() throws Exception {
        recordBytes = 10;
        ends = true;
        serve((k, request) -> BreakingServer.bytes(LINES + "0123456789\r\n0123456789\rabc\n"));
        read(null);
        assertEquals(List.of("0123456789", "0123456789\r"), values(2));
    }

    /** The server is told the last id before it, and what it repeats is known. */
    @Test
    void anIdThatNoHeaderHoldsIsKnownAllTheSame() throws Exception {
        events = true;
        serve((k, request) -> BreakingServer.bytes(EVENTS + "id: 1\ndata: a\n\nid: \u00e9\u2026\ndata: b\n\n"
                + (k == 0 ? "" : "id: 3\ndata: c\n\n")));
        read(null);
        assertEquals(List.of("1 a", "\u00e9\u2026 b", "3 c"), values(3));
        assertTrue(server.requests.stream().skip(1).findFirst().orElseThrow().contains("Last-Event-ID: 1\r\n"));
    }

    @Test
    void idsAndNamesWithoutMeasureTakeNoMemoryThatDoesNotCount() throws Exception {
        events = true;
        recordBytes = 10_000;
        serve((k, request) -> BreakingServer.bytes(EVENTS + "id: " + "x".repeat(5000) + "\nevent: " + "y".repeat(5000)
                + "\ndata: a\n\n"));
        Records all = (Records) read(null).next();
        assertTrue(all.bytes() > 10_000, all.bytes() + " bytes");
        assertTrue(all.next());
        assertTrue(all.isMissing(AnswerBatch.ID));
    }

    @Test
    void aStreamThatStallsIsConnectedToAgain() throws Exception {
        stallMillis = 50;
        try (StallingServer stalling = new StallingServer("a\n")) {
            AskedServer at = new AskedServer(stalling.url(), Map.of(), new Secrets(Map.of(), Map.of()), null, null,
                    new Times(10_000, 60_000));
            reader = new StreamConnector(new StreamOptions(at, false, null, stallMillis, 100, false)).reader(host, host.clock());
            reader.open(Map.of(), false);
            reader.start();
            assertEquals(List.of("a", "a"), values(2));
            assertEquals(stalling.url() + " gives nothing for stall_ms=50; connecting again", host.warnings.get(0));
        }
    }

    @Test
    void whatIsNoStreamOfEventsFails() throws Exception {
        events = true;
        serve((k, request) -> BreakingServer.bytes("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"));
        assertEquals(server.url() + " answers with text/html, not text/event-stream", read(null).failure().getMessage());
        close();
        serve((k, request) -> BreakingServer.bytes("HTTP/1.1 204 No Content\r\n\r\n"));
        assertEquals(server.url() + " answers 204: it has no stream, and wants nobody to ask again",
                read(null).failure().getMessage());
        close();
        serve((k, request) -> BreakingServer.bytes(k == 0 ? EVENTS + "data: a\n\n"
                : "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n"));
        assertEquals(server.url() + " answers 401 (it wants a login: see `token_env`, `user`, `oauth2` and `headers_env`)",
                read(null).failure().getMessage());
    }

    @Test
    void aStreamIsNotReadWhileThereIsNoRoom() throws Exception {
        byte[] much = BreakingServer.bytes(LINES + ("x".repeat(99) + "\n").repeat(200_000));
        serve((k, request) -> much);
        host.full(true);
        read(null);
        assertEquals("waits", host.next());
        assertEquals(0, server.requests.size());
        host.full(false);
        Records first = (Records) host.next();
        host.full(true);
        long taken = first.bytes();
        for (Object next = host.next(); !next.equals("waits"); next = host.next()) {
            taken += ((Records) next).bytes();
        }
        assertTrue(taken < much.length / 2, taken + " bytes were read");
    }
}
