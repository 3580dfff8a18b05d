package io.despina.plan;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.despina.catalogue.Catalogue;
import io.despina.catalogue.ExplodeDefinition;
import io.despina.catalogue.FileSinkDefinition;
import io.despina.catalogue.FileSourceDefinition;
import io.despina.catalogue.JoinDefinition;
import io.despina.catalogue.PythonSourceSpec;
import io.despina.catalogue.ScanDefinition;
import io.despina.descriptor.Checked;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.spec.Matching;
import io.despina.spec.Partition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;

class PlannerTest {
    private static final String SINK = "{\"type\": \"discard_sink\"}";
    private static final String RELAY = "{\"type\": \"relay\"}";

    private static EventTime time(Plan plan, String operator) {
        return plan.operator(operator).outputs().get(0).eventTime();
    }

    private static Plan through(String operator) {
        return Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "x", operator, "out", SINK), "s->x", "x->out"));
    }

    private static List<List<String>> chains(Checked<Plan> plan) {
        return Graphs.sound(plan).chains().stream().map(PlannedChain::operators).toList();
    }

    @Test
    void noExpressionAsksForNoCompiler() throws IOException {
        String text = Files.readString(Path.of("graphs/relay.graph.json"));
        Checked<Plan> plan = Planner.plan(Catalogue.DESCRIPTOR.load(text, "relay", Map.of()).value(), Catalogue::planner, s -> {
            throw new AssertionError("asked for a compiler");
        }, new PlanOptions(Target.ENGINE, "/"));
        assertEquals(List.of(List.of("source"), List.of("relay"), List.of("sink")), chains(plan));
    }

    private static Checked<Plan> fed(String input, String source) {
        return Graphs.fed(input, Map.of("s", source, "x", RELAY, "out", SINK), "s->x", "x->out");
    }

    @Test
    void aSourceThatIsGivenRowsKeepsItsSchemaAndItsTime() {
        Plan plan = Graphs.sound(fed("s", Graphs.source(", \"follow\": true")));
        Plan declared = through(RELAY);
        assertEquals(new PythonSourceSpec(), plan.operator("s").spec());
        assertEquals(declared.operator("s").outputs(), plan.operator("s").outputs());
        assertEquals(declared.operator("s").assigns(), plan.operator("s").assigns());
    }

    @Test
    void rowsAreForOneSourceOfTheGraph() {
        assertTrue(fed("s", Graphs.source(", \"parallelism\": 2")).render().contains(
                "`s` needs parallelism 1: the rows given to it come in one order"));
        assertTrue(fed("x", Graphs.source("")).render().contains("`x` is not a source: it cannot take rows"));
        assertTrue(fed("y", Graphs.source("")).render().contains("the graph has no operator `y` to give rows to"));
        String packets = "{\"type\": \"generator_source\", \"rows\": {\"type\": \"packets\", \"packet_bytes\": 50}}";
        assertTrue(fed("s", packets).render().contains("`s` makes relay packets, in place of which no rows can be given"));
    }

    /** By such a port of a type that has it leave packets of the input that have no event time. */
    @Test
    void aPortThatTheGraphNamesLateIsLikeAnyOther() {
        String java = "{\"type\": \"java\", \"class\": \"a.B\", \"outputs\": {\"late\": \"ts TIMESTAMP, why STRING\"}}";
        Checked<Plan> plan = Graphs.plan(Map.of("s", Graphs.source(""), "x", java, "out", SINK, "other", SINK), "s->x", "x->out",
                "x.late->other");
        PlannedPort late = Graphs.sound(plan).operator("x").outputs().get(1);
        assertEquals("late", late.name());
        assertEquals("ts TIMESTAMP, why STRING", late.schema().sql());
        assertEquals(0, late.eventTime().column());
        assertEquals(List.of(), plan.diagnostics());
    }

    @Test
    void pathsAreOfTheDirectory() {
        Plan plan = through(RELAY);
        assertEquals("/data/in", ((FileSourceDefinition.FileSourceSpec) plan.operator("s").spec()).path());
    }

    @Test
    void sparkReadsWhereItCan() throws IOException {
        String text = Files.readString(Path.of("graphs/invalid/path.graph.json")).replace("./out", "s3a://bucket/other")
                .replace("a%20b", "another").replace("file://data", "file:/data")
                .replaceFirst("(?<=\"again\".{1,50})host/out", "host/more").replaceAll("(?m)^.*\"table\".*\n", "");
        Checked<Plan> plan = Planner.plan(Catalogue.DESCRIPTOR.load(text, "g", Map.of()).value(), Catalogue::planner,
                s -> new ColumnsCompiler(),
                new PlanOptions(Target.SPARK, "/"));
        assertEquals("hdfs:///in", ((ReadsFiles) Graphs.sound(plan).operator("remote").spec()).path());
        assertEquals("file:/in", ((FileSourceDefinition.FileSourceSpec) plan.value().operator("readings").spec()).path());
    }

    @Test
    void csvColumnsThatNoProjectionReadsAreNotRead() {
        String names = "{\"type\": \"project\", \"select\": [\"name\"]}";
        String numbers = "{\"type\": \"project\", \"select\": [\"a\"]}";
        assertEquals(Set.of(2), unread(Map.of("x", names), "s->x", "x->out"));      // event time and order are always read
        assertEquals(Set.of(), unread(Map.of("x", names, "y", numbers), "s->x", "s->y", "x->out", "y->out2"));
        assertEquals(Set.of(), unread(Map.of("x", names), "s->x", "s->out2", "x->out"));
        assertEquals(Set.of(), unread(Map.of("x", names.replace("project\"", "project\", \"parallelism\": 2")),
                "s->x \"partition\": {\"type\": \"hash\", \"by\": [\"a\"]}", "x->out"));
        assertEquals(Set.of(), unread(
                Map.of("x", names.replace("project\"", "project\", \"on_error\": {\"type\": \"dead_letter\"}")),
                "s->x", "x->out", "x.errors->out2"));
        assertEquals(Set.of(), unread(Map.of("x", RELAY), "s->x", "x->out"));
        String counts = "{\"type\": \"aggregate\", \"group_by\": [\"name\"], \"select\": [\"name\", \"count(*) AS n\"]}";
        assertEquals(Set.of(), unread(Map.of("x", counts), "s->x", "x->out"));
        assertEquals(Set.of(), unread(Map.of("s", Graphs.source(", \"on_error\": {\"type\": \"skip\"}"), "x", names),
                "s->x", "x->out"));
    }

    @Test
    void explodeLeavesOutWhatNobodyReads() {
        String explode = "{\"type\": \"explode\", \"of\": \"words\", \"as\": \"word\"}";
        String counts = "{\"type\": \"aggregate\", \"group_by\": [\"word\"], \"select\": [\"word\", \"n AS most\"]%s}";
        // not the time
        assertEquals(Set.of(0, 3), exploded(Map.of("e", explode, "x", counts.formatted("")), "s->e", "e->x", "x->out"));
        assertEquals(Set.of(0, 3), exploded(Map.of("e", explode, "x", counts.formatted(", \"parallelism\": 2")), "s->e",
                "e->x", "x->out"));
        assertEquals(Set.of(), exploded(Map.of("e", explode, "x", RELAY), "s->e", "e->x", "x->out"));
        assertEquals(Set.of(), exploded(Map.of("e", explode, "x", counts.formatted(""), "y", RELAY), "s->e", "e->x", "e->y",
                "x->out", "y->out2"));
        assertEquals(Set.of(), exploded(
                Map.of("e", explode, "x", counts.formatted(", \"on_error\": {\"type\": \"dead_letter\"}")),
                "s->e", "e->x", "x->out", "x.errors->out2"));
        String windows = counts.formatted(", \"window\": {\"type\": \"tumbling\", \"size_ms\": 5}");
        assertEquals(Set.of(0, 3), exploded(Map.of("e", explode, "x", windows), "s->e", "e->x", "x->out"));
        assertEquals(Set.of(), exploded(Map.of("e", explode, "x", windows), "s->e", "e->x", "x->out", "x.late->out2"));
    }

    private static Set<Integer> exploded(Map<String, String> some, String... links) {
        Map<String, String> operators = withSinks(some, links);
        operators.put("s", """
                {"type": "file_source", "path": "in", "format": "json",
                 "schema": "line STRING, ts TIMESTAMP, n INT, words ARRAY<STRING>", "event_time": {"column": "ts"}}""");
        return ((ExplodeDefinition.ExplodeSpec) Graphs.sound(Graphs.plan(operators, links)).operator("e").spec()).unread();
    }

    private static Map<String, String> withSinks(Map<String, String> some, String... links) {
        Map<String, String> operators = new TreeMap<>(some);
        operators.put("out", SINK);
        if (List.of(links).stream().anyMatch(link -> link.endsWith("out2"))) {
            operators.put("out2", SINK);
        }
        return operators;
    }

    private static Set<Integer> unread(Map<String, String> some, String... links) {
        Map<String, String> operators = withSinks(some, links);
        operators.putIfAbsent("s", Graphs.source(""));
        return ((FileSourceDefinition.FileSourceSpec) Graphs.sound(Graphs.plan(operators, links)).operator("s").spec()).records()
                .unread();
    }

    @Test
    void eventTimeAndOrderComeThroughAProjectionThatKeepsThem() {
        assertEquals(new EventTime(1, List.of(0), 7_000, NEVER),
                time(through("{\"type\": \"project\", \"select\": [\"index AS i\", \"ts AS t\", \"a + 1 AS b\"]}"), "x"));
        assertEquals(new EventTime(0, List.of(), 7_000, NEVER),
                time(through("{\"type\": \"project\", \"select\": [\"ts\", \"index + 1 AS index\"]}"), "x"));
        assertNull(time(through("{\"type\": \"project\", \"select\": [\"index\"]}"), "x"));
    }

    @Test
    void timePerKeyComesThroughWithTheColumnsOfTheKey() {
        String per = "\"event_time\": {\"column\": \"ts\", \"max_delay_ms\": 7, \"order_by\": [\"index\"], \"per\": "
                + "[\"name\", \"Name\"]}";
        Map<String, String> operators = new HashMap<>(Map.of("s", Graphs.source("").replaceFirst(
                "\"event_time\": \\{.*?\\}", Matcher.quoteReplacement(per)), "out", SINK, "out2", SINK));
        operators.put("p", "{\"type\": \"project\", \"select\": [\"name AS device\", \"a\", \"ts\", \"index\"]}");
        operators.put("x", "{\"type\": \"aggregate\", \"group_by\": [\"a\", \"device\"], \"parallelism\": 2, \"window\": "
                + "{\"type\": \"tumbling\", \"size_ms\": 5}, \"select\": [\"a\", \"window_time AS at\", \"device\"]}");
        operators.put("y", "{\"type\": \"project\", \"select\": [\"ts\", \"a\"]}");
        Plan plan = Graphs.sound(Graphs.plan(operators, "s->p", "p->x", "x->out", "p->y", "y->out2"));
        assertEquals(new EventTime(2, List.of(3), 7_000, NEVER, List.of(0)), time(plan, "p"));
        assertNull(time(plan, "y"));
        assertEquals(List.of("device"), ((Partition.Hash) plan.links().get(1).partition()).by());
    }

    @Test
    void behindTheFirstOfWindowsKeysHaveClocksIfTheyAreSelected() {
        Map<String, String> operators = new HashMap<>(Map.of("s", Graphs.source("").replaceFirst("\"event_time\": \\{.*?\\}",
                Matcher.quoteReplacement("\"event_time\": {\"column\": \"ts\", \"max_delay_ms\": 7, \"per\": [\"name\"]}")),
                "out", SINK, "out2", SINK));
        String top = "{\"type\": \"top\", \"n\": 1, \"by\": [\"a\"], \"group_by\": [\"index\", \"name\"], \"parallelism\": 2, "
                + "\"window\": {\"type\": \"tumbling\", \"size_ms\": 5}, \"select\": [\"window_time AS at\", \"%s AS of\"]}";
        operators.put("x", top.formatted("name"));
        operators.put("y", top.formatted("index"));
        Plan plan = Graphs.sound(Graphs.plan(operators, "s->x", "x->out", "s->y", "y->out2"));
        assertEquals(new EventTime(0, List.of(), 0, NEVER, List.of(1)), time(plan, "x"));
        assertNull(time(plan, "y"));
        assertEquals(List.of("name"), ((Partition.Hash) plan.links().get(0).partition()).by());
    }

    @Test
    void someInstancesWaitForBuckets() {
        String more = "\"parallelism\": 2, \"most_instances\": 3}";
        Map<String, String> operators = Map.of("s", Graphs.source(""), "x", "{\"type\": \"aggregate\", \"group_by\": [\"a\"], "
                + "\"select\": [\"a\", \"count(*) AS n\"], " + more, "y", "{\"type\": \"filter\", \"where\": \"n > 1\", "
                + more, "z", "{\"type\": \"filter\", \"where\": \"n > 1\", \"parallelism\": 3}", "out", SINK);
        Plan plan = Graphs.sound(Graphs.plan(operators, "s->x", "x->y", "y->z", "z->out"));
        assertEquals(3, plan.operator("x").parallelism());
        assertEquals(new Partition.Forward(), plan.links().get(1).partition(), "both have as many, and begin with as many");
        assertEquals(new Partition.RoundRobin(), plan.links().get(2).partition());
        assertEquals("version 0, 2 of 3 at the start: 0-127=0 128-255=1", plan.buckets().get("x").text());
        assertEquals(Set.of("x"), plan.buckets().keySet(), "y takes what its neighbour gives, z from all");
    }

    @Test
    void behindOperatorsSilenceIsLonger() {
        String source = Graphs.source("").replaceFirst("\"event_time\": \\{.*?\\}", Matcher.quoteReplacement(
                "\"event_time\": {\"column\": \"ts\", \"per\": [\"name\"], \"idle_after_ms\": 10}"));
        String top = "{\"type\": \"top\", \"n\": 1, \"by\": [\"name\"], \"group_by\": [\"name\"], \"window\": {\"type\": %s}, "
                + "\"select\": [\"window_time AS %s\", \"name\"]}";
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", source, "x", top.formatted("\"tumbling\", \"size_ms\": 7", "at"),
                "p", "{\"type\": \"project\", \"select\": [\"at\", \"name\"]}",
                "y", top.formatted("\"sliding\", \"size_ms\": 100, \"slide_ms\": 10", "then"),
                "z", "{\"type\": \"deduplicate\", \"by\": [\"name\"]}", "out", SINK),
                "s->x", "x->p", "p->y", "y->z", "z->out"));
        assertEquals(List.of(10_000L, 27_000L, 27_000L, 154_000L, NEVER), List.of("s", "x", "p", "y", "z").stream()
                .map(id -> time(plan, id).idleAfterMicros()).toList());
    }

    @Test
    void timePerKeyComesThroughAJoinOfItsKeys() {
        EventTime perDevice = new EventTime(1, List.of(), 0, NEVER, List.of(0));
        assertEquals(perDevice, joined("inner", "as_of", "right.name", "left.ts"));
        assertEquals(perDevice, joined("left", "as_of", "left.name", "left.ts"));
        assertNull(joined("left", "as_of", "right.name", "left.ts"));
        assertNull(joined("inner", "as_of", "left.name", "right.ts"));
        assertEquals(perDevice, joined("inner", "between", "right.name", "greatest(left.ts, right.ts)"));
        assertNull(joined("inner", "between", "left.a", "greatest(left.ts, right.ts)"));
        assertNull(joined("full", "between", "left.name", "greatest(left.ts, right.ts)"));
    }

    /** The event time of a join of a stream with itself, whose `per` is `name`. */
    private static EventTime joined(String how, String matching, String key, String time) {
        String per = "\"event_time\": {\"column\": \"ts\", \"max_delay_ms\": 7, \"per\": [\"name\"]}";
        String match = matching.equals("as_of") ? "\"as_of\": {}, \"accept\": [\"order\"]"
                : "\"between_ms\": {\"from\": 0, \"to\": 5}";
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source("").replaceFirst("\"event_time\": \\{.*?\\}",
                Matcher.quoteReplacement(per)), "out", SINK, "x", "{\"type\": \"join\", \"parallelism\": 2, \"how\": \"" + how
                + "\", \"on\": \"left.a = right.a AND left.name = right.name\", " + match + ", \"select\": [\"" + key
                + " AS device\", \"" + time + " AS ts\"]}"), "s->x.left", "s->x.right", "x->out"));
        plan.links().stream().filter(link -> link.to().equals("x")).forEach(link ->
                assertEquals(List.of("name"), ((Partition.Hash) link.partition()).by()));
        return time(plan, "x");
    }

    @Test
    void eventTimeOfWindowsIsWindowTimeWhereItIsSelected() {
        String window = "{\"type\": \"aggregate\", \"window\": {\"type\": \"tumbling\", \"size_ms\": 5}, \"select\": [\"count(*) "
                + "AS n\"%s]}";
        assertNull(time(through(window.formatted("")), "x"));
        assertEquals(1, time(through(window.formatted(", \"window_time AS ts\"")), "x").column());
    }

    @Test
    void trailingKeepsTheTimeOfItsPackets() {
        Plan plan = through("{\"type\": \"aggregate\", \"window\": {\"type\": \"trailing\", \"size_ms\": 5}, "
                + "\"select\": [\"sum(a) AS n\", \"index\", \"ts\"]}");
        assertEquals(new EventTime(2, List.of(1), 7_000, NEVER), time(plan, "x"));
        assertNull(plan.operator("x").assigns());
    }

    @Test
    void aKeyThatFailsIsForTheOperatorThatWantsIt() {
        String keyed = "{\"type\": \"aggregate\", \"parallelism\": 2, \"group_by\": [\"name\"], \"select\": [\"count(*) AS n\"]}";
        String keyless = "{\"type\": \"relay\", \"parallelism\": 2}";
        String by = " \"partition\": {\"type\": \"hash\", \"by\": [\"name\"]}";
        assertEquals(0, hash(keyed, "s->x"));
        assertEquals(0, hash(keyed, "s->x" + by));
        assertThrows(ArithmeticException.class, () -> hash(keyless, "s->x" + by));
    }

    private static int hash(String operator, String link) {
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "x", operator, "out", SINK), link, "x->out"));
        return ((Partition.Hash) plan.links().get(0).partition()).key().function().applyAsInt(null);
    }

    @Test
    void optionsOfATableAreInAnOrderThatEveryProcessHas() {
        List<String> names = List.of("fs.a", "fs.b", "fs.c", "fs.d", "fs.e", "fs.f", "fs.g");
        String options = String.join(", ", names.stream().map(name -> "\"" + name + "\": \"\"").toList());
        Plan plan = through("{\"type\": \"lookup\", \"key\": {\"room\": \"name\"}, \"select\": [\"ts\", \"name\"], \"from\": "
                + "{\"type\": \"file\", \"path\": \"t.csv\", \"format\": \"csv\", \"schema\": \"room STRING\", \"options\": {"
                + options + "}}}");
        Map<?, ?> from = (Map<?, ?>) plan.operator("x").spec().resolved().get("from");
        assertEquals(names, List.copyOf(((Map<?, ?>) from.get("options")).keySet()));
    }

    @Test
    void anOperatorMayOrderItsInputsTimeInAnotherWay() {
        Plan reordered = through("{\"type\": \"project\", \"select\": [\"ts\", \"ts AS later\", \"index\"], "
                + "\"event_time\": {\"column\": \"ts\", \"order_by\": [\"index\"]}}");
        assertNull(reordered.operator("x").assigns());
        assertEquals(List.of(2), time(reordered, "x").orderBy());
    }

    @Test
    void asOfJoinKeepsTheLeftTimeAndComparesEqualOrders() {
        Map<String, String> operators = Map.of("s", Graphs.source(""), "x",
                "{\"type\": \"join\", \"how\": \"left\", \"as_of\": {\"max_age_ms\": 9}, \"on\": \"left.a = right.a\", "
                + "\"select\": [\"right.ts AS r\", \"left.ts AS ts\", \"left.index AS index\"]}", "out", SINK);
        Plan plan = Graphs.sound(Graphs.plan(operators, "s->x.left", "s->x.right", "x->out"));
        assertEquals(new EventTime(1, List.of(2), 7_000, NEVER), time(plan, "x"));
        JoinDefinition.JoinSpec join = (JoinDefinition.JoinSpec) plan.operator("x").spec();
        assertEquals(new Matching.AsOf(9_000, false, true), join.matching());
        assertTrue(join.how().keepsLeft());
        assertTrue(join.right().columns().stream().allMatch(c -> c.nullable()));
    }

    @Test
    void intervalJoinTakesTheGreatestOfBothTimes() {
        Map<String, String> operators = Map.of("s", Graphs.source(""), "x",
                "{\"type\": \"join\", \"between_ms\": {\"from\": -5, \"to\": 5}, \"on\": \"left.a = right.a\", \"select\": "
                + "[\"left.a AS a\", \"Greatest(right.ts, left.ts) AS ts\"]}", "out", SINK);
        Plan plan = Graphs.sound(Graphs.plan(operators, "s->x.left", "s->x.right", "x->out"));
        assertEquals(1, time(plan, "x").column());
    }

    @Test
    void chainsFuseUntilAFanOutAFanInAScheduleASleepOrANo() {
        Map<String, String> three = Map.of("s", Graphs.source(""), "x", RELAY, "out", SINK);
        assertEquals(List.of(List.of("s", "x", "out")), chains(Graphs.plan(three, "s->x", "x->out")));
        assertEquals(2, chains(Graphs.plan(three, "s->x \"fuse\": false", "x->out")).size());
        assertEquals(3, chains(Graphs.plan(three, "s->x", "x->out", "s->out")).size());
        assertEquals(3, chains(Graphs.plan(Map.of("s", Graphs.source(""), "x", "{\"type\": \"relay\", \"sleep_ms\": 1}",
                "out", SINK), "s->x", "x->out")).size());
        assertEquals(3, chains(Graphs.plan(Map.of("s", Graphs.source(""), "x",
                "{\"type\": \"relay\", \"schedule\": {\"type\": \"periodic\", \"every_ms\": 5}}", "out", SINK), "s->x",
                "x->out")).size());
    }

    @Test
    void waysOfARouteFuseWhereAPortHasOneLink() {
        String route = "{\"type\": \"route\", \"cases\": {\"low\": \"a\", \"high\": \"index\"}}";
        Map<String, String> ways = Map.of("s", Graphs.source(""), "r", route, "x", RELAY, "y", RELAY, "out", SINK, "end", SINK);
        String low = "r.low->x \"fuse\": true";
        String high = "r.high->y \"fuse\": true";
        PlannedChain all = Graphs.sound(Graphs.plan(ways, "s->r", low, high, "x->out", "y->end")).chains().get(0);
        assertEquals(List.of("s", "r", "x", "y", "out", "end"), all.operators());
        assertEquals(Map.of("r", "s", "x", "r", "y", "r", "out", "x", "end", "y"), all.before());
        assertEquals(List.of(List.of("s", "r", "x", "out"), List.of("y", "end")), chains(Graphs.plan(ways, "s->r", low,
                "r.high->y", "x->out", "y->end")));
        assertEquals(List.of(List.of("s", "r", "x", "out"), List.of("y", "end")), chains(Graphs.plan(ways, "s->r", low,
                high, "r.otherwise->y", "x->out", "y->end")));
        assertEquals(Set.of(List.of("s", "r", "y"), List.of("x"), List.of("out"), List.of("end")), Set.copyOf(chains(Graphs.plan(
                ways, "s->r", low, "r.low->out", high, "y->end", "x->end"))));
    }

    @Test
    void defaultPartitions() {
        String wide = "{\"type\": \"relay\", \"parallelism\": 3}";
        String keyed = "{\"type\": \"scan\", \"group_by\": [\"name\"], \"state\": {\"n\": {\"initial\": \"0\", \"next\": "
                + "\"n\"}}, \"select\": [\"ts\", \"next.n AS n\"], \"parallelism\": 3}";
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "w", wide, "w2", wide, "k", keyed, "out",
                SINK), "s->w", "w->w2", "w2->k", "k->out"));
        assertInstanceOf(Partition.RoundRobin.class, plan.links().get(0).partition());
        assertInstanceOf(Partition.Forward.class, plan.links().get(1).partition());
        assertEquals(List.of("name"), ((Partition.Hash) plan.links().get(2).partition()).by());
        assertInstanceOf(Partition.RoundRobin.class, plan.links().get(3).partition());
        assertTrue(plan.links().get(1).fused());
        assertFalse(plan.links().get(2).fused());
    }

    @Test
    void theLeastLoadedInstanceMayBeAskedFor() {
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "w", "{\"type\": \"relay\", \"parallelism\": 2}",
                "out", SINK), "s->w \"partition\": {\"type\": \"least_loaded\"}", "w->out"));
        assertInstanceOf(Partition.LeastLoaded.class, plan.links().get(0).partition());
    }

    @Test
    void streamsMeetInTheFirstOnesOrderAndKeepACommonTime() {
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "p",
                "{\"type\": \"project\", \"select\": [\"index\", \"ts\"]}", "q",
                "{\"type\": \"project\", \"select\": [\"ts\", \"index\"]}", "u", "{\"type\": \"union\"}", "out", SINK), "s->p",
                "s->q", "p->u", "q->u", "u->out"));
        assertEquals(List.of("index", "ts"), plan.operator("u").inputs().get(0).schema().names());
        assertEquals(new EventTime(1, List.of(0), 7_000, NEVER), time(plan, "u"));
        assertEquals(List.of(), plan.links().get(2).columns());
        assertEquals(List.of(1, 0), plan.links().get(3).columns());
    }

    @Test
    void aColumnIsNullableWhereAnySenderMayGiveNull() {
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", Graphs.source(""), "p",
                "{\"type\": \"project\", \"select\": [\"a + 1 AS index\"]}", "q",
                "{\"type\": \"project\", \"select\": [\"index\"]}", "out", SINK), "s->p", "s->q", "p->out", "q->out"));
        Schema met = plan.operator("out").inputs().get(0).schema();
        assertTrue(met.column(0).nullable());
        assertEquals(List.of(0), plan.links().get(2).columns());
        assertEquals(List.of(), plan.links().get(3).columns());
    }

    @Test
    void scanStateMayBeNullWhateverItsInitialValue() {
        Plan plan = through("{\"type\": \"scan\", \"state\": {\"n\": {\"initial\": \"0\", \"next\": \"n\"}}, \"select\": "
                + "[\"ts\", \"n\"]}");
        ScanDefinition.ScanSpec scan = (ScanDefinition.ScanSpec) plan.operator("x").spec();
        assertTrue(scan.state().column(0).nullable());
        assertNull(scan.emitWhen());
        assertEquals(0, time(plan, "x").column());
    }

    @Test
    void operatorsComeAfterThoseTheyReadFrom() {
        Plan plan = Graphs.sound(Graphs.plan(new TreeMap<>(Map.of("a_out", SINK, "b", RELAY, "c", RELAY, "z", Graphs.source(""))),
                "z->c", "c->b", "b->a_out"));
        assertEquals(List.of("z", "c", "b", "a_out"), plan.operators().stream().map(PlannedOperator::id).toList());
    }

    @Test
    void planAsJsonIsJson() throws IOException {
        String text = Files.readString(Path.of("graphs/relay.graph.json"));
        var graph = Catalogue.DESCRIPTOR.load(text, "relay", Map.of()).value();
        Plan plan = Planner.plan(graph, Catalogue::planner, s -> null, new PlanOptions(Target.ENGINE, "/")).value();
        String json = PlanJson.write(plan, graph);
        JsonNode source = new ObjectMapper().readTree(json).path("operators").path(0);
        assertEquals(50, source.path("fields").path("rows").path("packet_bytes").asInt());
        assertEquals("sequence", source.path("outputs").path(0).path("schema").asText().split(" ")[0]);
        assertTrue(source.path("outputs").path(0).path("event_time").isNull());
    }

    @Test
    void fileSinksRollEveryMinuteWhereTheInputHasNoEnd() {
        String sink = "{\"type\": \"file_sink\", \"path\": \"/out\", \"format\": \"csv\"%s}";
        assertEquals(60_000, rollMillis(Graphs.source(", \"follow\": true"), sink.formatted("")));
        assertEquals(0, rollMillis(Graphs.source(""), sink.formatted("")));
        assertEquals(5, rollMillis(Graphs.source(", \"follow\": true"), sink.formatted(", \"roll_every_ms\": 5")));
    }

    private static long rollMillis(String source, String sink) {
        Plan plan = Graphs.sound(Graphs.plan(Map.of("s", source, "out", sink), "s->out"));
        return ((FileSinkDefinition.FileSinkSpec) plan.operator("out").spec()).rollEveryMs();
    }
}
