package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Equalities;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.ExpressionException.Problem;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.codegen.Interpreted;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalystCompilerTest {
    private static final CatalystCompiler ANSI = new CatalystCompiler(true, "UTC");
    private static final Schema READING = Packets.schema(
            "ts TIMESTAMP NOT NULL, index BIGINT NOT NULL, mf01 INT, mf02 INT, name STRING");

    private static Packet reading(Object... values) {
        return Packets.of(READING, values);
    }

    @Test
    void projects() throws Exception {
        ProjectionPlan plan = ANSI.project(Scope.of(READING),
                List.of("mf01 + mf02 AS sum", "name", "upper(name) AS loud", "index AS i", "ts", "mf01 between 1 and 5 AS few"));
        assertEquals("sum INT, name STRING, loud STRING, i BIGINT NOT NULL, ts TIMESTAMP NOT NULL, few BOOLEAN",
                plan.result().sql());
        assertEquals(List.of(-1, 4, -1, 1, 0, -1), plan.origins());
        assertEquals(Set.of(0, 1, 2, 3, 4), plan.reads());
        assertEquals(Set.of(2, 4), ANSI.project(Scope.of(READING), List.of("mf01 + 1 AS a", "a + length(name) AS b")).reads());
        assertEquals(Set.of(), ANSI.project(Scope.of(READING), List.of("1 AS one", "rand() AS r")).reads());
        assertEquals(List.of(7, s("ab"), s("AB"), 9L, 5L, true), Packets.apply(plan, reading(5L, 9L, 3, 4, "ab")));
        assertEquals(java.util.Arrays.asList(null, null, null, 9L, 5L, null),
                Packets.apply(plan, reading(5L, 9L, null, 4, null)));
    }

    @Test
    void starsAndStructs() throws Exception {
        Schema schema = Packets.schema("a INT, s STRUCT<x: INT, y: STRING>, l ARRAY<STRING>, m MAP<STRING, BIGINT>");
        ProjectionPlan plan = ANSI.project(Scope.of(schema), List.of("*", "s.x", "struct(a, s.y) AS t", "l[0] AS first"));
        assertEquals(List.of("a", "s", "l", "m", "x", "t", "first"), plan.result().names());
        assertEquals(List.of(0, 1, 2, 3, -1, -1, -1), plan.origins());
    }

    @Test
    void testsConditions() throws Exception {
        Predicate p = ANSI.predicate(Scope.of(READING), "mf01 > 2 AND name LIKE 'a%'").instance(0);
        assertTrue(p.test(new Packet[] {reading(5L, 9L, 3, 4, "ab")}));
        assertFalse(p.test(new Packet[] {reading(5L, 9L, null, 4, "ab")}));
        assertFalse(p.test(new Packet[] {reading(5L, 9L, 3, 4, "b")}));
    }

    @Test
    void hashesAsSpark() throws Exception {
        Packet packet = reading(5L, 9L, 3, null, "ab");
        ProjectionPlan spark = ANSI.project(Scope.of(READING), List.of("hash(mf01, mf02, name) AS h"));
        assertEquals(Packets.apply(spark, packet).get(0),
                ANSI.hash(Scope.of(READING), List.of("mf01", "mf02", "name")).instance(0).hash(new Packet[] {packet}));
    }

    @Test
    void joinsScopes() throws Exception {
        Schema schema = Packets.schema("x INT, y STRING");
        Scope scope = new Scope(List.of(new Scope.Input("left", schema), new Scope.Input("right", schema)));
        ProjectionPlan plan = ANSI.project(scope, List.of("left.x + right.x AS sum", "right.y"));
        assertEquals(List.of(-1, 3), plan.origins());
        assertEquals(Set.of(0, 2, 3), plan.reads());
        assertEquals(List.of(5, s("b")), Packets.apply(plan, Packets.of(schema, 2, "a"), Packets.of(schema, 3, "b")));
    }

    @Test
    void bareStateIsBeforeAndNextIsAfter() throws Exception {
        Schema packet = Packets.schema("v INT");
        Schema state = Packets.schema("total BIGINT, last STRUCT<v: INT>");
        Scope scope = Scope.of(packet).and(null, state).and("next", state);
        ProjectionPlan plan = ANSI.project(scope, List.of("total", "next.total AS after", "total + v AS sum", "last.v AS was"));
        assertEquals(List.of(1, 3, -1, -1), plan.origins());
        Packet before = Packets.of(state, 10L, null);
        assertEquals(java.util.Arrays.asList(10L, 20L, 13L, null),
                Packets.apply(plan, Packets.of(packet, 3), before, Packets.of(state, 20L, null)));
    }

    @Test
    void aStarBesideAStateIsThePacket() throws Exception {
        Schema packet = Packets.schema("k STRING, v INT");
        Schema state = Packets.schema("n BIGINT");
        Scope scope = Scope.of(packet).and(null, state).and("next", state);
        assertEquals(List.of(0, 1, 3), ANSI.project(scope, List.of("*", "next.*")).origins());
        ProjectionPlan plan = ANSI.project(scope, List.of("* EXCEPT (k)", "n AS before", "to_json(struct(*)) AS whole"));
        assertEquals(List.of("v", "before", "whole"), plan.result().names());
        assertEquals(List.of(3, 10L, s("{\"k\":\"a\",\"v\":3}")),
                Packets.apply(plan, Packets.of(packet, "a", 3), Packets.of(state, 10L), Packets.of(state, 11L)));
    }

    @Test
    void suggestsFunctionsThatAGraphMayCall() {
        Scope scope = Scope.of(READING);
        for (List<String> named : List.of(List.of("averge", "avg"), List.of("average", "avg"), List.of("uper", "upper"),
                List.of("stdev", "stddev"), List.of("maximun", "max"))) {
            assertEquals("did you mean `" + named.get(1) + "`?", problem(scope, named.get(0) + "(mf01) AS x").hint());
        }
        for (String refused : List.of("row_numbr", "explod", "current_usr", "java_metod")) {
            String hint = problem(scope, refused + "(mf01) AS x").hint();
            assertFalse(hint.contains("row_number") || hint.contains("`explode") || hint.contains("user")
                    || hint.contains("java_method"), hint);
        }
    }

    private static Problem problem(Scope scope, String text) {
        return assertThrows(ExpressionException.class, () -> ANSI.project(scope, List.of(text))).problems().get(0);
    }

    @Test
    void whatIsAlwaysNullIsCarried() throws Exception {
        Scope scope = Scope.of(READING);
        ProjectionPlan plan = ANSI.project(scope, List.of("array() AS a", "map() AS m", "NULL AS n", "array(NULL, NULL) AS two",
                "named_struct('x', NULL, 'y', 1) AS s"));
        assertEquals("a ARRAY<VOID> NOT NULL, m MAP<VOID, VOID> NOT NULL, n VOID, two ARRAY<VOID> NOT NULL, "
                + "s STRUCT<x: VOID, y: INT NOT NULL> NOT NULL", plan.result().sql());
        PacketWriter writer = Packets.writer(plan.result());
        plan.compiled().instance(0).apply(new Packet[] {reading(5L, 9L, 3, 4, "ab")}, writer.begin());
        writer.commit();
        Packet made = new Packet(plan.result().layout());
        made.wrap(writer.bytes(), 0, writer.position());
        assertEquals("{\"a\": [], \"m\": {\"keys\": [], \"values\": []}, \"n\": null, \"two\": [null, null], "
                + "\"s\": {\"x\": null, \"y\": 1}}", PacketJson.text(plan.result(), made));
        ProjectionPlan on = ANSI.project(Scope.of(plan.result()), List.of("*", "coalesce(n, 7) AS seven",
                "array_append(a, 2) AS more", "size(m) AS none", "to_json(struct(*)) AS json",
                "hash(n, two) = hash(NULL, two) AS alike"));
        List<Object> values = Packets.apply(on, made);
        assertEquals(List.of(7, 0, s("{\"a\":[],\"m\":{},\"two\":[null,null],\"s\":{\"y\":1}}"), true),
                List.of(values.get(5), values.get(7), values.get(8), values.get(9)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"from_utc_timestamp(ts, 'Foo/Bar')", "to_utc_timestamp(ts, 'Foo/Bar')", "date_format(ts, 'bbb')",
            "from_unixtime(index, 'bbb')", "to_timestamp(name, 'qqq')", "name RLIKE '('", "name LIKE 'a!b' ESCAPE '!'"})
    void constantsThatSparkWorksOutWithItsCodeAreRefusedWhenChecked(String text) {
        Scope scope = Scope.of(READING);
        assertEquals(1, assertThrows(ExpressionException.class, () -> ANSI.project(scope, List.of("name", text + " AS x")))
                .problems().get(0).text());
        assertThrows(ExpressionException.class, () -> ANSI.predicate(scope, "isnotnull(" + text + ")"));
        assertThrows(ExpressionException.class, () -> ANSI.hash(scope, List.of(text)));
        assertThrows(ExpressionException.class, () -> ANSI.aggregate(READING, List.of(text), List.of("count(*) AS n"), false,
                WindowNames.NONE, List.of()));
        assertThrows(ExpressionException.class, () -> ANSI.aggregate(READING, List.of(), List.of("max(" + text + ") AS n"), false,
                WindowNames.NONE, List.of()));
        assertThrows(ExpressionException.class, () -> ANSI.aggregate(READING, List.of(),
                List.of("count(*) FILTER (WHERE isnull(" + text + ")) AS n"), false, WindowNames.NONE, List.of()));
    }

    @Test
    void settingsDoNotMix() throws Exception {
        ExpressionCompiler plain = new CatalystCompiler(false, "Asia/Tokyo");
        Schema schema = Packets.schema("t TIMESTAMP, s STRING");
        List<String> select = List.of("hour(t) AS h", "cast(s AS INT) AS n");
        Packet good = Packets.of(schema, 0L, "7");
        Packet bad = Packets.of(schema, 0L, "x");
        CompletableFuture<Void> tokyo = CompletableFuture.runAsync(() -> repeat(() ->
                assertEquals(java.util.Arrays.asList(9, null), Packets.apply(plain.project(Scope.of(schema), select), bad))));
        repeat(() -> {
            ProjectionPlan plan = ANSI.project(Scope.of(schema), select);
            assertEquals(List.of(0, 7), Packets.apply(plan, good));
            assertThrows(RuntimeException.class, () -> Packets.apply(plan, bad));
        });
        tokyo.join();
    }

    @Test
    void whatWasAskedIsNotWorkedOutAgain() throws Exception {
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        List<Callable<?>> questions = List.of(() -> compiler.project(Scope.of(READING), List.of("mf01 + 1 AS n")),
                () -> compiler.project(Scope.of(READING), List.of("mf02 + 1 AS n")),
                () -> compiler.predicate(Scope.of(READING), "mf01 > 1"), () -> compiler.hash(Scope.of(READING), List.of("mf01")),
                () -> compiler.aggregate(READING, List.of("name"), List.of("name", "sum(mf01) AS n"), false, WindowNames.NONE,
                        List.of()),
                () -> compiler.aggregate(READING, List.of("name"), List.of("name", "sum(mf01) AS n"), true, WindowNames.NONE,
                        List.of()));
        Set<Object> answers = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Callable<?> question : questions) {
            Object first = question.call();
            assertSame(first, question.call());
            assertTrue(answers.add(first));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"now()", "current_timestamp", "current_date()", "localtimestamp()", "unix_timestamp()", "rand()",
            "uuid()", "shuffle(array(1, 2))", "cast('yesterday' AS DATE)", "cast(concat('to', 'day') AS DATE)",
            "hex(aes_encrypt('a', '0000111122223333'))"})
    void timeAndChanceAreAskedForAnew(String text) throws Exception {
        List<String> select = List.of("name", text + " AS r");
        assertNotSame(ANSI.project(Scope.of(READING), select), ANSI.project(Scope.of(READING), select));
        List<String> sums = List.of("max(" + text + ") AS r");
        if (!text.startsWith("rand") && !text.startsWith("shuffle") && !text.startsWith("uuid")) {
            assertNotSame(ANSI.aggregate(READING, List.of(), sums, false, WindowNames.NONE, List.of()),
                    ANSI.aggregate(READING, List.of(), sums, false, WindowNames.NONE, List.of()));
        }
    }

    private interface Body {
        void run() throws Exception;
    }

    private static void repeat(Body body) {
        for (int k = 0; k < 40; k++) {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void tellsEveryProblemWithItsPlace() {
        ExpressionException e = assertThrows(ExpressionException.class, () -> ANSI.project(Scope.of(READING),
                List.of("mf01 + mf1 AS a", "uper(name) AS b", "mf02 + 1", "name +", "cast(ts AS DATE) + true AS c", "index")));
        List<Problem> p = e.problems();
        assertEquals(List.of(0, 1, 2, 3, 4), p.stream().map(Problem::text).toList());
        assertEquals("unknown_column", p.get(0).rule());
        assertEquals("did you mean `mf01`?", p.get(0).hint());
        assertEquals(7, p.get(0).from());
        assertEquals(10, p.get(0).to());
        assertEquals("did you mean `upper`?", p.get(1).hint());
    }

    @Test
    void splitsEqualities() throws Exception {
        Schema left = Packets.schema("id INT, ts TIMESTAMP, v STRING");
        Schema right = Packets.schema("key BIGINT, ts TIMESTAMP, w STRING");
        Scope scope = new Scope(List.of(new Scope.Input("left", left), new Scope.Input("right", right)));
        Equalities e = ANSI.equalities(scope,
                "right.key = left.id + 1 AND (upper(left.v) = w) AND (left.id > 3 OR right.w = 'a') AND left.v = 'x'"
                + " AND left.ts <= right.ts");
        assertEquals(List.of("CAST(left.id + 1 AS BIGINT)", "upper(left.v)"), e.left());
        assertEquals(List.of("right.key", "w"), e.right());
        assertEquals("(left.id > 3 OR right.w = 'a') AND (left.v = 'x') AND (left.ts <= right.ts)", e.rest());
        assertEquals(new Equalities(List.of("left.id"), List.of("right.key % 2"), null),
                new CatalystCompiler(true, "UTC").equalities(new Scope(List.of(
                        new Scope.Input("left", Packets.schema("id BIGINT")), new Scope.Input("right", right))),
                        "left.id = right.key % 2"));
        assertEquals("unknown_column", assertThrows(ExpressionException.class,
                () -> ANSI.equalities(scope, "left.idd = right.key")).problems().get(0).rule());
    }

    @Test
    void anEqualityThatCastsATextEachTimeIsRefused() throws Exception {
        Scope scope = new Scope(List.of(new Scope.Input("left", Packets.schema("id INT, v STRING, b BINARY")),
                new Scope.Input("right", Packets.schema("key BIGINT, w STRING"))));
        String on = "left.id = right.key AND left.v = right.key AND right.w = left.id + 1";
        List<Problem> found = assertThrows(ExpressionException.class, () -> ANSI.equalities(scope, on)).problems();
        assertEquals(List.of("`left.v = right.key` compares STRING with BIGINT",
                "`right.w = left.id + 1` compares STRING with INT"), found.stream().map(Problem::message).toList());
        assertEquals("write `try_cast(left.v AS BIGINT)`, which is NULL where it cannot be cast, or `CAST(right.key AS STRING)`",
                found.get(0).hint());
        assertEquals(List.of("type_mismatch", "left.v = right.key"),
                List.of(found.get(0).rule(), on.substring(found.get(0).from(), found.get(0).to())));
        assertEquals(3, new CatalystCompiler(false, "UTC").equalities(scope, on).left().size());
        for (String fits : List.of("try_cast(left.v AS INT) = right.key", "left.b = right.w", "left.v = right.w",
                "left.id = right.key AND (left.id < 3 OR left.v = right.key)")) {
            ANSI.equalities(scope, fits);
        }
    }

    private static String refusal(String text) {
        Problem p = assertThrows(ExpressionException.class, () -> ANSI.project(Scope.of(READING), List.of(text)), text)
                .problems().get(0);
        return p.rule() + " @" + p.from() + "-" + p.to() + ": " + p.hint();
    }

    @Test
    void refusesClearly() {
        assertEquals("aggregate_function @-1--1: use the operator `aggregate`", refusal("sum(mf01) AS s"));
        assertEquals("subquery @0-10: join streams with a `join` operator", refusal("(SELECT 1) AS s"));
        assertTrue(refusal("row_number() OVER (ORDER BY ts) AS r").startsWith("window_function @0-3"));
        assertTrue(refusal("explode(array(1, 2)) AS r").startsWith("generator"));
        assertTrue(refusal("parse_json(name) AS n").startsWith("unsupported_type"));
        assertEquals("forbidden_function @7-51: look for another built-in function",
                refusal("concat(reflect('java.lang.System', 'lineSeparator'), 'x') AS n"));
        assertTrue(refusal("system.builtin.Java_Method('java.lang.System', 'nanoTime') AS n").startsWith("forbidden_function"));
        assertTrue(refusal("try_reflect('java.lang.System', 'nanoTime') AS n").startsWith("forbidden_function"));
        assertTrue(refusal("upper(input_file_name()) AS n").startsWith("forbidden_function @6-"));
        assertTrue(refusal("IDENTIFIER('reflect')('java.lang.System', 'nanoTime') AS n").startsWith("forbidden_function @0-"));
        assertTrue(refusal("make_interval(1) AS n").startsWith("unsupported_type"));
        assertTrue(refusal("current_date").startsWith("missing_alias"));
        assertTrue(refusal("mf01 + 'x' + array(1) AS n").startsWith("type_mismatch"));
        assertEquals("duplicate_column", assertThrows(ExpressionException.class, () -> ANSI.project(Scope.of(READING),
                List.of("mf01 AS a", "mf02 AS A"))).problems().get(0).rule());
    }

    @Test
    void refusesWrongConditions() {
        Problem type = problem("mf01 + 1");
        assertEquals("type_mismatch", type.rule());
        assertEquals("a condition must be BOOLEAN: compare with something, or cast", type.hint());
        assertEquals("aggregate_function", problem("sum(mf01) > 3").rule());
        assertEquals("subquery", problem("mf01 IN (SELECT 1)").rule());
        assertEquals("expression_syntax", problem("mf01 >").rule());
        assertFalse(problem("sum(mf01) > 3").message().contains("\n"));
    }

    @Test
    void refusesConstantsThatFailEachInItsText() throws Exception {
        List<String> select = List.of("1 / 0 AS a", "mf01 AS b", "make_date(2020, 13, mf01 - mf01 + 1) AS c",
                "CAST('x' AS INT) AS d");
        List<Problem> p = assertThrows(ExpressionException.class, () -> ANSI.project(Scope.of(READING), select)).problems();
        assertEquals(List.of(0, 3), p.stream().map(Problem::text).toList());
        assertEquals(List.of("division_by_zero", "bad_cast"), p.stream().map(Problem::rule).toList());
        assertEquals("division by zero: `try_divide` gives NULL instead", p.get(0).message() + ": " + p.get(0).hint());
        assertEquals(List.of(0, 5), List.of(p.get(0).from(), p.get(0).to()));
        assertEquals("bad_cast", problem("mf01 > 1 AND 'a' = true").rule());
        assertEquals("division_by_zero", assertThrows(ExpressionException.class,
                () -> ANSI.aggregate(READING, List.of("mf01"), List.of("sum(1 / 0) AS s"), false, WindowNames.NONE, List.of()))
                .problems().get(0).rule());
        new CatalystCompiler(false, "UTC").project(Scope.of(READING), List.of("1 / 0 AS a"));
    }

    private static Problem problem(String condition) {
        return assertThrows(ExpressionException.class, () -> ANSI.predicate(Scope.of(READING), condition), condition)
                .problems().get(0);
    }

    @Test
    void wideListsStayWithinJitLimits() throws Exception {
        List<String> select = java.util.stream.IntStream.range(0, 300).mapToObj(k -> "CASE WHEN mf01 > " + k
                + " THEN concat(name, '-', mf02 + " + k + ") ELSE upper(name) END AS c" + k).toList();
        ProjectionPlan plan = ANSI.project(Scope.of(READING), select);
        assertFalse(plan.compiled().instance(0) instanceof Interpreted);
        assertEquals(300, Packets.apply(plan, reading(5L, 9L, 100, 4, "ab")).size());
        assertTrue(ANSI.largestMethod(Scope.of(READING), select) < 8000);
    }

    @Test
    @Tag("optimized")
    void numericFunctionsAllocateNothing() throws Exception {
        ProjectionPlan plan = ANSI.project(Scope.of(READING), List.of("ts", "index * 2 AS i", "mf01 / 3 AS d", "name",
                "mf02 BETWEEN 1 AND 9 AS b"));
        io.despina.expr.Projection projection = plan.compiled().instance(0);
        Predicate predicate = ANSI.predicate(Scope.of(READING), "mf01 > 2 AND abs(mf02) < 100").instance(0);
        io.despina.expr.Hash hash = ANSI.hash(Scope.of(READING), List.of("index", "mf01")).instance(0);
        Packet[] in = {reading(5L, 9L, 3, 4, "ab")};
        byte[] region = new byte[8192];
        io.despina.packet.PacketWriter out = Packets.writer(plan.result());
        CatalystAggregationTest.assertAllocatesNothing(() -> {
            out.open(region, 0, region.length);
            for (int k = 0; k < 64; k++) {
                if (predicate.test(in) && hash.hash(in) != 0) {
                    out.begin();
                    projection.apply(in, out);
                    out.commit();
                }
            }
        });
        assertEquals(64, out.packets());
    }

    private static UTF8String s(String text) {
        return UTF8String.fromString(text);
    }
}
