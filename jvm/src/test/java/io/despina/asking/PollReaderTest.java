package io.despina.asking;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.asking.PollOptions.Answer;
import io.despina.asking.PollOptions.Cursor;
import io.despina.asking.ScriptedHttp.Asked;
import io.despina.asking.ScriptedHttp.Reply;
import io.despina.connect.PositionReader;
import io.despina.connect.Records;
import io.despina.spec.FileFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PollReaderTest {
    private static final Cursor SORTED = new Cursor("id", "NUMBER", "since", null, false);
    private static final Cursor ASCENDING = new Cursor("id", "NUMBER", "since", null, true);

    private FakeHost host = new FakeHost();
    private ScriptedHttp server;
    private PositionReader reader;
    private Cursor cursor;
    private boolean ends = true;
    private FileFormat format = FileFormat.JSON;
    private List<String> records = List.of();
    private List<String> next;
    private int skipLines;
    private int mostBytes = 1 << 16;

    private void serve(Function<Asked, Reply> answers) throws IOException {
        server = new ScriptedHttp(null, answers);
    }

    private FakeHost read(String place) throws Exception {
        return read(server.at("/a"), place);
    }

    /** A reader that begins at a place, or at the beginning. */
    private FakeHost read(AskedServer at, String place) throws Exception {
        PollOptions options = new PollOptions(at, 60_000, new Answer(format, records, next, skipLines, mostBytes), cursor, ends);
        reader = new PollConnector(options).reader(host, host.clock());
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

    private static String array(int... ids) {
        return IntStream.of(ids).mapToObj(id -> "{\"id\": " + id + "}").toList().toString();
    }

    private static String id(int id) {
        return "{\"id\": " + id + "}";
    }

    @Test
    void recordsAreWhereThePointerLeads() throws Exception {
        serve(asked -> Reply.of("{\"data\": {\"ä\": [1, {\"x\": [2]}], \"all\": [ {\"id\": 1, \"s\": \"ä}\"}, 7,\"x\" ,[3] ]}, "
                + "\"z\": [4]}"));
        records = List.of("data", "all");
        assertEquals(List.of("{\"id\": 1, \"s\": \"ä}\"}", "7", "\"x\"", "[3]"), read(null).values());
    }

    @Test
    void anObjectIsOneRecordAndSeveralValuesAreSeveral() throws Exception {
        serve(asked -> Reply.of("{\"id\": 1}\n{\"id\": 2} [{\"id\": 3}] null"));
        assertEquals(List.of(id(1), id(2), id(3)), read(null).values());
    }

    @Test
    void whatIsNoAnswerIsABadRecord() throws Exception {
        records = List.of("data");
        serve(asked -> Reply.of("{\"error\": 1}"));
        assertEquals(List.of("{\"error\": 1} | the answer has nothing at `records`=/data"), read(null).values());
        close();
        serve(asked -> Reply.of("<html>"));
        assertTrue(read(null).values().get(0).startsWith("<html> | the answer is no JSON: "));
        close();
        serve(asked -> Reply.of(""));
        assertEquals(List.of(" | the answer is empty"), read(null).values());
    }

    @Test
    void linesAreRecordsToo() throws Exception {
        format = FileFormat.CSV;
        skipLines = 1;
        serve(asked -> Reply.of("n,s\r\n1,a\r\n\r\n2,b"));
        assertEquals(List.of("1,a", "2,b"), read(null).values());
    }

    @Test
    void bytesArePackedOrOfAnotherCharacterSet() throws Exception {
        serve(asked -> new Reply(200, Map.of("Content-Encoding", "gzip"), gzip("\uFEFF{\"s\": \"ä\"}")));
        assertEquals(List.of("{\"s\": \"ä\"}"), read(null).values());
        assertEquals("gzip", server.asked.peek().header("Accept-encoding"));
        close();
        serve(asked -> new Reply(200, Map.of("Content-Type", "application/json; charset=ISO-8859-1"),
                "{\"s\": \"ä\"}".getBytes(StandardCharsets.ISO_8859_1)));
        assertEquals(List.of("{\"s\": \"ä\"}"), read(null).values());
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    @Test
    void anAnswerHasALimitPackedToo() throws Exception {
        mostBytes = 1000;
        serve(asked -> new Reply(200, Map.of("Content-Encoding", "gzip"), gzip(" ".repeat(1 << 20))));
        assertEquals(server.url("/a") + " answers with more than max_answer_bytes=1000: raise it, or ask for less",
                read(null).failure().getMessage());
    }

    @Test
    void eachRecordIsGivenOnceWhateverTheServerRepeats() throws Exception {
        List<String> answers = List.of(array(3, 1, 2), array(3, 2 + 1), array(5, 3, 4), array());
        cursor = SORTED;
        ends = false;
        host.sleeps = 3;
        int[] polls = {0};
        serve(asked -> Reply.of(answers.get(polls[0]++)));
        read(null);
        List<String> all = new ArrayList<>();
        for (Object each = host.next(); each instanceof Records given; each = host.next()) {
            all.addAll(FakeHost.values(given));
        }
        assertEquals(List.of(id(1), id(2), id(3), id(4), id(5)), all);
        assertEquals(List.of("/a", "/a?since=3", "/a?since=3", "/a?since=5"), server.uris());
        assertEquals(List.of(60_000L, 60_000L, 60_000L, 60_000L), host.slept);
    }

    @Test
    void recordsOfOneCursorAreToldApart() throws Exception {
        String a = "{\"id\": 1, \"s\": \"a\"}";
        String b = "{\"id\": 1, \"s\": \"b\"}";
        cursor = SORTED;
        serve(asked -> Reply.of(asked.uri().equals("/a") ? "[" + a + "]" : "[" + b + "," + a + "]"));
        Records first = (Records) read(null).next();
        FakeHost.values(first);
        assertEquals(List.of(b), read(first.behind()).values());
    }

    @Test
    void pagesFollowByLinkOrByAPointerAndAreSorted() throws Exception {
        cursor = SORTED;
        serve(asked -> asked.uri().equals("/a") ? Reply.of(array(9, 8)).with("Link",
                "</a?page=0>; rel=\"prev\", </a?page=2>; rel=\"next\"") : Reply.of(array(7, 6)));
        assertEquals(List.of(id(6), id(7), id(8), id(9)), read(null).values());
        assertEquals(List.of("/a", "/a?page=2"), server.uris());
        close();
        cursor = null;
        next = List.of("next");
        records = List.of("all");
        serve(asked -> Reply.of("{\"next\": " + (asked.uri().equals("/a") ? "\"/b\"" : "null") + ", \"all\": " + array(1) + "}"));
        host = new FakeHost();
        assertEquals(List.of(id(1)), read(null).values());
        assertEquals(List.of(id(1)), host.values());
        assertEquals(List.of("/a", "/b"), server.uris());
    }

    @Test
    void noPageIsAskedForWithoutRoom() throws Exception {
        serve(asked -> asked.uri().equals("/a") ? Reply.of(array(1)).with("Link", "</b>; rel=next") : Reply.of(array(2)));
        host.full(true);
        read(null);
        assertEquals("waits", host.next());
        assertEquals(0, server.asked.size());
        host.full(false);
        assertEquals(List.of(id(1)), host.values());
        assertEquals(List.of(id(2)), host.values());
    }

    @Test
    void aPageThatNamesItselfOrOneThatWasReadFails() throws Exception {
        serve(asked -> Reply.of(array(1)).with("Link", "</a>; rel=\"next\""));
        assertEquals(server.url("/a") + " names itself as the next page", read(null).failure().getMessage());
        close();
        serve(asked -> Reply.of(array(1)).with("Link", asked.uri().equals("/a") ? "<b>; rel=\"next\"" : "<a>; rel=\"next\""));
        assertEquals(server.url("/b") + " names " + server.url("/a") + ", which this poll has read, as the next page",
                read(null).failure().getMessage());
        close();
        serve(asked -> Reply.of(array(1)).with("Link", "<http://localhost.localdomain/b>; rel=\"next\""));
        assertEquals(server.url("/a") + " names as the next page http://localhost.localdomain/b: that is another server; if it "
                + "is meant, write it into `url`", read(null).failure().getMessage());
    }

    @Test
    void aCursorThatGoesBackIsABadRecord() throws Exception {
        cursor = new Cursor("id", "NUMBER", "since", "5", false);
        serve(asked -> Reply.of("[{\"id\": 4}, {\"id\": 5}, {\"id\": \"x\"}, {}]"));
        assertEquals(List.of("{\"id\": \"x\"} | `id`, its cursor, is x, which cannot be compared with others",
                "{} | the record has no `id`, its cursor",
                "{\"id\": 4} | the record's cursor, `id`, is 4: it went back behind 5, which the server was asked for",
                "{\"id\": 5}"), read(null).values());
        assertEquals(List.of("/a?since=5"), server.uris());
        close();
        cursor = ASCENDING;
        serve(asked -> Reply.of(array(1, 3, 2)));
        assertEquals(List.of(id(1), id(3), "{\"id\": 2} | the record's cursor, `id`, is 2: it went back behind 3; `order` any "
                + "sorts the records"), read(null).values());
    }

    @Test
    void timesAreComparedAsTimes() throws Exception {
        cursor = new Cursor("at", "TIME", "since", null, false);
        String early = "{\"at\": \"2026-01-01T00:00:00Z\"}";
        String later = "{\"at\": \"2026-01-01T00:00:00.5Z\"}";
        String last = "{\"at\": \"2026-01-01T00:00:00.7+00:00\"}";
        serve(asked -> Reply.of("[" + last + "," + later + "," + early + "]"));
        Records all = (Records) read(null).next();
        assertEquals(List.of(early, later, last), FakeHost.values(all));
        read(all.behind()).next();
        assertEquals("/a?since=2026-01-01T00%3A00%3A00.7%2B00%3A00", server.uris().get(1));
    }

    /** From every place that a snapshot may have, what follows comes, and nothing twice. */
    @Test
    void everyPlaceIsGoneOnFrom() throws Exception {
        int[] ids = {1, 1, 2, 3, 3, 3, 4};
        List<String> all = IntStream.range(0, ids.length).mapToObj(k -> "{\"id\": " + ids[k] + ", \"k\": " + k + "}").toList();
        for (Cursor each : List.of(SORTED, ASCENDING)) {
            for (boolean inclusive : new boolean[] {true, false}) {
                cursor = each;
                serve(asked -> Reply.of(IntStream.range(0, ids.length).filter(k -> {
                    int since = asked.uri().equals("/a") ? 0 : Integer.parseInt(asked.uri().substring("/a?since=".length()));
                    return inclusive ? ids[k] >= since : ids[k] > since;
                }).mapToObj(all::get).toList().toString()));
                Records whole = (Records) read(null).next();
                List<String> places = new ArrayList<>(List.of(whole.behind()));
                while (whole.next()) {
                    places.add(whole.behind());
                }
                for (int k = 0; k < places.size(); k++) {
                    host = new FakeHost();
                    assertEquals(all.subList(k, all.size()), read(places.get(k)).values(), places.get(k));
                }
                close();
            }
        }
    }

    @Test
    void withoutACursorTheSameAnswerIsGoneOnWith() throws Exception {
        String[] body = {array(1, 2, 3)};
        serve(asked -> Reply.of(body[0]));
        Records first = (Records) read(null).next();
        first.next();
        String place = first.behind();
        assertEquals(List.of(id(2), id(3)), read(place).values());
        body[0] = array(7, 8);
        assertEquals(List.of(id(7), id(8)), read(place).values());
    }

    @Test
    void aPageThatIsGoneMakesThePollBeginAnew() throws Exception {
        serve(asked -> asked.uri().equals("/a") ? Reply.of(array(1)) : Reply.of(404, "gone"));
        String place = PollPlace.withoutCursor(null, new PollPlace.Within(server.url("/b"), null, 0)).text(null);
        assertEquals(List.of(id(1)), read(place).values());
        assertEquals(List.of("/b", "/a"), server.uris());
        assertEquals(List.of(server.url("/b") + " answers 404: gone; the poll begins anew"), host.warnings);
    }

    @Test
    void anAnswerThatHasNotChangedIsNotReadAgain() throws Exception {
        ends = false;
        host.sleeps = 1;
        serve(asked -> asked.header("If-none-match").equals("\"v1\"") ? Reply.of(304, "")
                : Reply.of(array(1)).with("ETag", "\"v1\""));
        Records first = (Records) read(null).next();
        FakeHost.values(first);
        assertEquals("asleep", host.next());
        assertEquals(2, server.asked.size());
        ends = true;
        host = new FakeHost();
        assertEquals(List.of(), read(first.behind()).values());
        assertEquals("\"v1\"", server.asked.stream().reduce((one, other) -> other).orElseThrow().header("If-none-match"));
    }

    /** A graph has changed: the login, which is the new server's, does not go to the old one. */
    @Test
    void aPageOfAnotherServerOrBeforeThereWasACursorIsNotAskedFor() throws Exception {
        serve(asked -> Reply.of(array(1)));
        PollPlace elsewhere = PollPlace.withoutCursor(null, new PollPlace.Within("http://127.0.0.1:1/b", null, 0));
        assertEquals(List.of(id(1)), read(elsewhere.text(null)).values());
        cursor = SORTED;
        PollPlace here = PollPlace.withoutCursor(null, new PollPlace.Within(server.url("/b"), null, 0));
        assertEquals(List.of(id(1)), read(here.text(null)).values());
        assertEquals(List.of("/a", "/a"), server.uris());
    }

    /** Of a source that has no end. */
    private FakeHost readOnce(AskedServer at, String place) throws Exception {
        ends = false;
        host = new FakeHost();
        host.sleeps = 0;
        return read(at, place);
    }

    @Test
    void whatTheServerCalledAnotherAnswerIsNotNamed() throws Exception {
        serve(asked -> Reply.of(array(1)).with("ETag", "\"v1\""));
        Records first = (Records) readOnce(server.at("/a"), null).next();
        FakeHost.values(first);
        readOnce(server.at("/b"), first.behind()).values();
        assertEquals(List.of("", ""), server.asked.stream().map(each -> each.header("If-none-match")).toList());
        close();
        serve(asked -> Reply.of(304, ""));
        assertEquals(server.url("/a") + " answers 304, and was not asked whether it has changed",
                readOnce(server.at("/a"), null).failure().getMessage());
    }

    @Test
    void pagesAreFoundFromWhereAnAnswerCameFrom() throws Exception {
        serve(asked -> switch (asked.uri()) {
            case "/a" -> Reply.of(302, "").with("Location", "/d/b#x");
            case "/d/b" -> Reply.of(array(1)).with("Link", "<?page=2>; rel=next");
            case "/d/b?page=2" -> Reply.of(array(2)).with("Link", "<c>; rel=next");
            default -> Reply.of(array(3));
        });
        read(null);
        assertEquals(List.of(id(1), id(2), id(3)), List.of(host.values().get(0), host.values().get(0), host.values().get(0)));
        assertEquals(List.of("/a", "/d/b", "/d/b?page=2", "/d/c"), server.uris());
    }

    @Test
    void pagesWithoutEndAndLongHeadersAreRefused() throws Exception {
        cursor = SORTED;
        mostBytes = 1000;
        int[] page = {0};
        serve(asked -> Reply.of("[]").with("Link", "</a?page=" + ++page[0] + ">; rel=next"));
        String failure = read(null).failure().getMessage();
        assertTrue(failure.startsWith("the pages of one poll have more than max_answer_bytes=1000: "), failure);
        close();
        serve(asked -> Reply.of("[]").with("Link", "</a>; rel=" + " ".repeat(10_000) + "x"));
        assertEquals(server.url("/a") + " has a header `Link` of more than 8000 characters", read(null).failure().getMessage());
        close();
        next = List.of("next");
        mostBytes = 1 << 16;
        records = List.of("all");
        serve(asked -> Reply.of("{\"all\": [], \"next\": \"/" + "x".repeat(10_000) + "\"}"));
        assertEquals(server.url("/a") + " names as the next page a URL of more than 8000 characters",
                read(null).failure().getMessage());
    }

    @Test
    void anAnswerThatWasReadToTheEndOfASourceIsNotReadAgain() throws Exception {
        serve(asked -> Reply.of(array(1, 2)));
        Records all = (Records) read(null).next();
        assertEquals(List.of(id(1), id(2)), FakeHost.values(all));
        Records again = (Records) read(all.behind()).next();
        assertEquals(List.of(), FakeHost.values(again));
        assertTrue(again.isLast());
    }

    @Test
    void jsonInAnotherEncodingIsABadRecord() throws Exception {
        serve(asked -> new Reply(200, Map.of(), "[1]".getBytes(StandardCharsets.UTF_16)));
        String bad = read(null).values().get(0);
        assertTrue(bad.endsWith(" | the answer is no JSON: it is not in UTF-8"), bad);
    }

    @Test
    void aPageCountsOnceHoweverItsRecordsAreMixed() throws Exception {
        cursor = SORTED;
        int[] odd = IntStream.range(0, 50).map(k -> 2 * k + 1).toArray();
        int[] even = IntStream.range(0, 50).map(k -> 2 * k).toArray();
        serve(asked -> asked.uri().equals("/a") ? Reply.of(array(odd)).with("Link", "</b>; rel=next") : Reply.of(array(even)));
        long bytes = ((Records) read(null).next()).bytes();
        assertTrue(bytes < 20_000, bytes + " bytes");
    }

    @Test
    void aCursorWithoutMeasureIsNone() throws Exception {
        cursor = new Cursor("id", "TEXT", "since", null, false);
        serve(asked -> Reply.of("[{\"id\": \"" + "x".repeat(5000) + "\"}]"));
        String bad = read(null).values().get(0);
        assertTrue(bad.endsWith(" | `id`, its cursor, is " + "x".repeat(99) + "…, which cannot be compared with others"), bad);
    }
}
