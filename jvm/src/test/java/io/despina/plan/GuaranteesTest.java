package io.despina.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.api.PureOperator;
import io.despina.spec.Guarantee;
import io.despina.spec.Never;
import io.despina.spec.SinkGuarantee;
import io.despina.spec.SourceGuarantee;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GuaranteesTest {
    private static final String FILES = "{\"type\": \"file_sink\", \"path\": \"out\", \"format\": \"json\"%s}";
    private static final String POSTS = "{\"type\": \"http_sink\", \"url\": \"http://127.0.0.1/\", \"format\": \"json\"}";
    private static final String LINES = "{\"type\": \"java_source\", \"class\": \"com.acme.Lines\", "
            + "\"schema\": \"ts TIMESTAMP, index BIGINT, a INT, name STRING\"}";
    private static final String CODE = "{\"type\": \"java\", \"class\": \"com.acme.Code\"}";

    private static Guarantees of(Map<String, String> operators, String... links) {
        return Guarantees.of(Graphs.sound(Graphs.plan(operators, links)), UserPromises.NONE);
    }

    private static SourceGuarantee source(String fields) {
        return of(Map.of("it", fields, "end", FILES.formatted("")), "it->end").sources().get(0).promise().guarantee();
    }

    @Test
    void aWayIsAsStrongAsTheWeakerOfItsTwoEnds() {
        Guarantees all = of(Map.of("f", Graphs.source(""), "t", LINES, "x", "{\"type\": \"relay\"}", "kept", FILES.formatted(""),
                "posted", POSTS), "f->x", "x->kept", "x->posted", "t->kept", "t->posted");
        assertEquals(Set.of(new Guarantees.Way("f", "kept", Guarantee.EXACTLY_ONCE, null),
                new Guarantees.Way("f", "posted", Guarantee.AT_LEAST_ONCE, "posted"),
                new Guarantees.Way("t", "kept", Guarantee.NONE, "t"),
                new Guarantees.Way("t", "posted", Guarantee.NONE, "t")), Set.copyOf(all.ways()));
        assertEquals(Guarantee.NONE, all.whole());
        assertEquals(Set.of("t"), all.weakest());
    }

    @Test
    void filesToFilesAreExactlyOnceAndNothingIsWeakest() {
        Guarantees all = of(Map.of("f", Graphs.source(""), "kept", FILES.formatted("")), "f->kept");
        assertEquals(Guarantee.EXACTLY_ONCE, all.whole());
        assertEquals(Set.of(), all.weakest());
        assertEquals(Set.of("f", "kept"), Set.copyOf(all.here()));
        assertEquals(Never.NEVER, all.ends().get(0).shown().afterMillis());
    }

    @Test
    void aFileSinkShowsRowsWhenItRolls() {
        Guarantees all = of(Map.of("f", Graphs.source(", \"follow\": true"), "kept", FILES.formatted("")), "f->kept");
        assertEquals(60_000, all.ends().get(0).shown().afterMillis());
        Guarantees often = of(Map.of("f", Graphs.source(""), "kept", FILES.formatted(", \"roll_every_ms\": 500")), "f->kept");
        assertEquals(500, often.ends().get(0).shown().afterMillis());
    }

    @Test
    void standardStreamsAreReadOnceAndCannotBeTakenBack() {
        assertEquals(SourceGuarantee.NONE, source(Graphs.source("").replace("\"in\"", "\"-\"")));
        assertEquals(SourceGuarantee.REPLAYABLE, source(Graphs.source("")));
        Guarantees out = of(Map.of("f", Graphs.source(""), "kept", FILES.formatted("").replace("\"out\"", "\"-\"")), "f->kept");
        assertEquals(SinkGuarantee.AT_LEAST_ONCE, out.ends().get(0).promise().guarantee());
        assertEquals(List.of("f"), out.here());
    }

    @Test
    void tablesOfFilesAreHereWhereTheirFoldersAre() {
        String source = "{\"type\": \"delta_source\", \"path\": \"%s\", \"schema\": \"a INT\"}";
        String sink = "{\"type\": \"delta_sink\", \"path\": \"%s\", \"delivery\": \"at_least_once\"}";
        Guarantees all = of(Map.of("near", source.formatted("lake/a"), "far", source.formatted("s3a://lake/a"), "kept",
                sink.formatted("lake/b"), "away", sink.formatted("s3a://lake/b")), "near->kept", "far->away");
        assertEquals(Set.of("near", "kept"), Set.copyOf(all.here()));
    }

    @Test
    void whatComesOverSocketsIsInALog() {
        assertEquals(SourceGuarantee.SPOOLED, source("{\"type\": \"tcp_source\", \"port\": 7000, \"format\": \"json\", "
                + "\"schema\": \"ts TIMESTAMP, index BIGINT, a INT, name STRING\"}"));
    }

    @Test
    void rowsOfAProgramAreInALog() {
        Plan plan = Graphs.sound(Graphs.fed("f", Map.of("f", Graphs.source(""), "kept", FILES.formatted("")), "f->kept"));
        assertEquals(Guarantee.EXACTLY_ONCE, Guarantees.of(plan, UserPromises.NONE).whole());
        assertEquals(SourceGuarantee.SPOOLED, Guarantees.of(plan, UserPromises.NONE).sources().get(0).promise().guarantee());
    }

    @Test
    void aClassIsAnEndUnlessItPromisesToDoNothingOutside() {
        Map<String, String> operators = Map.of("f", Graphs.source(""), "code", CODE, "kept", FILES.formatted(""));
        Plan plan = Graphs.sound(Graphs.plan(operators, "f->code", "code->kept"));
        Guarantees unknown = Guarantees.of(plan, UserPromises.NONE);
        assertEquals(Set.of("code"), unknown.weakest());
        assertEquals(Guarantee.AT_LEAST_ONCE, unknown.whole());
        Guarantees pure = Guarantees.of(plan, (name, promise) -> name.equals("com.acme.Code") && promise == PureOperator.class);
        assertEquals(Guarantee.EXACTLY_ONCE, pure.whole());
    }

    @Test
    void aStatementIsAnEndUnlessItIsAQuery() {
        String sql = "{\"type\": \"sql\", \"connection\": {\"url\": \"jdbc:sqlite:a.db\", \"driver\": \"org.sqlite.JDBC\"}, "
                + "\"statement\": \"%s\"%s}";
        for (Map.Entry<String, Boolean> each : Map.of(sql.formatted("INSERT INTO t VALUES (:a)", ""), true,
                sql.formatted("INSERT INTO t VALUES (:a) RETURNING n", ", \"schema\": \"n INT\""), true,
                sql.formatted(" select n FROM t WHERE a = :a", ", \"schema\": \"n INT\""), false).entrySet()) {
            Guarantees all = of(Map.of("f", Graphs.source(""), "asked", each.getKey(), "kept", FILES.formatted("")), "f->asked",
                    "asked->kept");
            assertEquals(each.getValue() ? Set.of("asked") : Set.of(), all.weakest(), each.getKey());
        }
    }

    @Test
    void whatGoesByTheClockIsNamed() {
        String window = "{\"type\": \"aggregate\", \"window\": {\"type\": \"tumbling\", \"size_ms\": 1000%s}, "
                + "\"select\": [\"count(*) AS n\"]}";
        Guarantees all = of(Map.of("f", Graphs.source("").replace("\"max_delay_ms\": 7", "\"idle_after_ms\": 7"),
                "held", "{\"type\": \"delay\", \"hold_ms\": 5}", "timed", window.formatted(""),
                "wall", window.formatted(", \"clock\": \"processing\""), "a", FILES.formatted(""),
                "b", FILES.formatted("").replace("\"out\"", "\"other\"")),
                "f->held", "held->timed", "held->wall", "timed->a", "wall->b");
        assertEquals(Set.of("f", "held", "wall"), Set.copyOf(all.byClock()));
    }

    @Test
    void whatASourceHasSpooledLiesOnItsMachine() {
        String sockets = "{\"type\": \"http_source\", \"port\": 7000, \"path\": \"/in\", \"format\": \"json\", "
                + "\"schema\": \"a INT\"}";
        Guarantees all = of(Map.of("h", sockets, "kept", FILES.formatted("").replace("\"out\"", "\"hdfs://box/out\"")),
                "h->kept");
        assertEquals(List.of("h"), all.here());
        assertEquals(Guarantee.EXACTLY_ONCE, all.whole());
    }

    @Test
    void whatWaitsInAnOutboxIsShownWithItsEpoch() {
        Guarantees all = of(Map.of("f", Graphs.source(""), "posted", POSTS, "sent", POSTS.replace("json\"",
                "json\", \"delivery\": \"at_least_once\"")), "f->posted", "f->sent");
        Map<String, Boolean> waits = all.ends().stream().collect(Collectors.toMap(Guarantees.End::operator,
                end -> end.shown().waitsForEpoch()));
        assertEquals(Map.of("posted", true, "sent", false), waits);
        assertEquals(Set.of("f", "posted"), Set.copyOf(all.here()));
    }

    @Test
    void whereTheStateIsAtAnAddressThereAreNoLogs() {
        Plan plan = Graphs.sound(Graphs.plan(Map.of("h", "{\"type\": \"http_source\", \"port\": 7000, \"format\": \"json\", "
                + "\"schema\": \"ts TIMESTAMP, index BIGINT, a INT, name STRING\"}", "posted", POSTS, "kept",
                FILES.formatted("")), "h->posted", "h->kept"));
        Guarantees all = Guarantees.of(plan, UserPromises.NONE, false);
        assertEquals(SourceGuarantee.NONE, all.sources().get(0).promise().guarantee());
        assertEquals(Guarantee.NONE, all.whole());
        Map<String, Boolean> waits = all.ends().stream().collect(Collectors.toMap(Guarantees.End::operator,
                end -> end.shown().waitsForEpoch()));
        assertEquals(Map.of("posted", false, "kept", true), waits);
        assertEquals(List.of("kept"), all.here());
        Plan collects = Graphs.sound(Graphs.plan(Map.of("f", Graphs.source(""), "got", "{\"type\": \"collect_sink\"}"),
                "f->got"));
        assertEquals(Guarantee.AT_LEAST_ONCE, Guarantees.of(collects, UserPromises.NONE, false).whole());
        Plan stores = Graphs.sound(Graphs.plan(Map.of("f", Graphs.source(""), "stored", "{\"type\": \"jdbc_sink\", \"url\": "
                + "\"jdbc:x:y\", \"driver\": \"x.Y\", \"table\": \"t\"}"), "f->stored"));
        assertEquals(Guarantee.EXACTLY_ONCE, Guarantees.of(stores, UserPromises.NONE, true).whole());
        Guarantees.End stored = Guarantees.of(stores, UserPromises.NONE, false).ends().get(0);
        assertEquals(SinkGuarantee.AT_LEAST_ONCE, stored.promise().guarantee());
        assertEquals("where the state is at an address, there are no logs, and its rows leave at once", stored.promise().why());
        assertFalse(stored.shown().waitsForEpoch());
    }

    @Test
    void theJsonHasAPlaceForEachFact() {
        String json = of(Map.of("t", LINES, "posted", POSTS), "t->posted").json();
        for (String part : List.of("\"graph\": \"none\"", "\"operator\": \"posted\"", "\"guarantee\": \"at_least_once\"",
                "\"waits_for_epoch\": true", "\"shown_after_ms\": 0", "\"weakest\": \"t\"", "\"on_its_machine\": [")) {
            assertTrue(json.contains(part), json);
        }
    }
}
