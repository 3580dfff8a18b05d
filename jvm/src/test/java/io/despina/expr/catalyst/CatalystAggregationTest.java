package io.despina.expr.catalyst;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.AggregationPlan;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.ExpressionException;
import io.despina.expr.WindowFacts;
import io.despina.expr.WindowNames;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.expr.catalyst.row.Packets;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CatalystAggregationTest {
    private static final ExpressionCompiler COMPILER = new CatalystCompiler(true, "UTC");
    private static final Schema SCHEMA = Packets.schema("k STRING, a INT, b DOUBLE NOT NULL, ts TIMESTAMP NOT NULL");

    private static AggregationPlan plan(String... select) throws ExpressionException {
        return COMPILER.aggregate(SCHEMA, List.of(), List.of(select), false, WindowNames.BOUNDS, List.of());
    }

    private static Packet row(Object... values) {
        return Packets.of(SCHEMA, values);
    }

    private static List<Packet> rows() {
        return List.of(row("x", 3, 1.5, 10L), row("y", null, -2.0, 11L), row("x", 1, 0.25, 12L), row(null, 3, 8.0, 13L));
    }

    private static Accumulator fed(Aggregation aggregation, List<Packet> packets) {
        Accumulator accumulator = aggregation.create();
        packets.forEach(p -> aggregation.update(accumulator, p));
        return accumulator;
    }

    private static List<Object> result(AggregationPlan plan, Aggregation aggregation, Accumulator accumulator, Packet key,
            Packet current) {
        PacketWriter out = Packets.writer(plan.result());
        out.begin();
        aggregation.evaluate(accumulator, key, current, new WindowFacts().set(100, 200), out);
        out.commit();
        Packet packet = new Packet(plan.result().layout());
        packet.wrap(out.bytes(), 0, out.position());
        return Packets.values(packet, plan.result());
    }

    /** The result fed at once; the same when fed in two halves that are merged, and when written and read in between. */
    private static List<Object> run(AggregationPlan plan) throws Exception {
        Aggregation aggregation = plan.compiled().instance(0);
        List<Object> atOnce = result(plan, aggregation, fed(aggregation, rows()), null, null);
        for (int cut = 0; cut <= rows().size(); cut++) {
            Accumulator first = fed(aggregation, rows().subList(0, cut));
            Accumulator second = fed(aggregation, rows().subList(cut, rows().size()));
            List<Object> before = result(plan, aggregation, second, null, null);
            aggregation.merge(first, second);
            assertNear(atOnce, result(plan, aggregation, first, null, null), "merged at " + cut);
            assertEquals(before, result(plan, aggregation, second, null, null), "merge leaves its source alone");
            Aggregation fresh = plan.compiled().instance(1);
            Accumulator restored = restore(fresh, aggregation, fed(aggregation, rows().subList(0, cut)));
            rows().subList(cut, rows().size()).forEach(p -> fresh.update(restored, p));
            assertEquals(atOnce, result(plan, fresh, restored, null, null), "restored at " + cut);
        }
        return atOnce;
    }

    /** Equal; doubles to the last digits, since a merge adds in another order. */
    private static void assertNear(List<Object> expected, List<Object> found, String when) {
        for (int k = 0; k < expected.size(); k++) {
            if (expected.get(k) instanceof Double d) {
                assertEquals(d, (double) found.get(k), 1e-12 * Math.abs(d), when);
            } else {
                assertEquals(expected.get(k), found.get(k), when);
            }
        }
    }

    private static Accumulator restore(Aggregation into, Aggregation from, Accumulator accumulator) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        from.write(accumulator, new DataOutputStream(bytes));
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
        Accumulator restored = into.read(in);
        assertEquals(0, in.available());
        return restored;
    }

    @Test
    void declarative() throws Exception {
        assertEquals(Arrays.asList(4L, 3L, 7L, 7.0 / 3, 1, 3, 2, s("x"), s("y"), 8.0),
                run(plan("count(*) AS n", "count(a) AS c", "sum(a) AS s", "avg(a) AS m", "min(a) AS lo", "max(a) AS hi",
                        "max(a) - min(a) AS swing", "min(k) AS first", "max(k) AS last", "max_by(b, ts) AS latest")));
    }

    /** k is column 0, a 1, b 2, ts 3. */
    @Test
    void knowsWhatItReads() throws Exception {
        assertEquals(Set.of(), plan("count(*) AS n", "window.start AS t").reads());
        assertEquals(Set.of(1, 2), plan("sum(a) + 1 AS s", "avg(b) AS m").reads());
        assertEquals(Set.of(0, 1, 2), plan("count(*) FILTER (WHERE b < 0) AS n", "max(a) FILTER (WHERE k = 'x') AS m").reads());
        assertEquals(Set.of(0, 1), plan("count(DISTINCT a) FILTER (WHERE k = 'x') AS d").reads());
        assertEquals(Set.of(0), plan("collect_list(k) AS all").reads());
        assertEquals(Set.of(0, 1, 2), plan("percentile(a, 0.5) AS p", "approx_count_distinct(b * 2) AS d",
                "mode(upper(k)) AS m").reads());
        assertEquals(Set.of(2, 3), plan("max_by(b, ts) AS latest").reads());
        assertEquals(Set.of(1, 3), ordered("first(a) AS f").reads());
        assertEquals(Set.of(0, 1), COMPILER.aggregate(SCHEMA, List.of("k"), List.of("upper(k) AS k", "sum(a) AS s"), false,
                WindowNames.BOUNDS,
                List.of()).reads());
        assertEquals(Set.of(0, 2, 3), COMPILER.aggregate(SCHEMA, List.of("lower(k) AS key"),
                List.of("key", "sum(b) AS s", "ts"), true, WindowNames.NONE, List.of()).reads());
    }

    private static AggregationPlan ordered(String... select) throws ExpressionException {
        return COMPILER.aggregate(SCHEMA, List.of(), List.of(select), false, WindowNames.BOUNDS, List.of(3));
    }

    @Test
    void windowsAndTimes() throws Exception {
        AggregationPlan plan = plan("window.start AS second", "window.end", "window_time", "window", "count(*) AS n");
        assertEquals("second TIMESTAMP NOT NULL, end TIMESTAMP NOT NULL, window_time TIMESTAMP NOT NULL, "
                + "window STRUCT<start: TIMESTAMP NOT NULL, end: TIMESTAMP NOT NULL> NOT NULL, n BIGINT NOT NULL",
                plan.result().sql());
        assertEquals(List.of(-1, -1, AggregationPlan.WINDOW_TIME, -1, -1), plan.origins());
        assertEquals(List.of(100L, 200L, 199L, 4L), without(run(plan), 3));
    }

    private static List<Object> without(List<Object> list, int index) {
        List<Object> copy = new ArrayList<>(list);
        copy.remove(index);
        return copy;
    }

    @Test
    void distinctAndFilter() throws Exception {
        assertEquals(Arrays.asList(2L, 2L, 4L, 1L, 9.5, 3, 1L), run(plan("count(DISTINCT a) AS d", "count(DISTINCT k) AS dk",
                "sum(DISTINCT a) AS sd", "count(*) FILTER (WHERE b < 0) AS neg", "sum(b) FILTER (WHERE a = 3) AS s3",
                "max(a) FILTER (WHERE k = 'x') AS mx", "count(DISTINCT a) FILTER (WHERE k = 'x' AND a > 1) AS df")));
        assertEquals(List.of(1.0), run(plan("avg(1 / b) FILTER (WHERE b = 1.5) * 1.5 AS guarded")));
    }

    @Test
    void filterGuardsAgainstErrors() throws Exception {
        assertEquals(List.of(1.0, 1L), run(plan("sum(3 / (a - 0)) FILTER (WHERE a = 3) / 2 AS s",
                "sum(1 div (a - 3)) FILTER (WHERE a = 1) + sum(1 div (a - 3)) FILTER (WHERE a = 1) + 1L AS t")));
    }

    @Test
    void imperative() throws Exception {
        List<Object> r = run(plan("percentile(a, 0.5) AS p", "approx_count_distinct(k) AS acd", "mode(k) AS mo",
                "sort_array(collect_set(a)) AS cs", "collect_list(k) AS cl", "array_agg(DISTINCT k) AS ad"));
        assertEquals(List.of(3.0, 2L, s("x")), r.subList(0, 3));
        assertEquals("[1,3]", r.get(3).toString().replace(" ", ""));
    }

    @Test
    void regressions() throws Exception {
        List<Object> r = run(plan("regr_slope(b, a) AS slope", "regr_avgy(b, a) + slope * (5 - regr_avgx(b, a)) AS trend"));
        double slope = (double) r.get(0);
        double my = (1.5 + 0.25 + 8) / 3;
        double mx = 7.0 / 3;
        double sxy = (3 - mx) * (1.5 - my) + (1 - mx) * (0.25 - my) + (3 - mx) * (8 - my);
        double sxx = 2 * (3 - mx) * (3 - mx) + (1 - mx) * (1 - mx);
        assertEquals(sxy / sxx, slope, 1e-12);
        assertEquals(my + slope * (5 - mx), (double) r.get(1), 1e-12);
    }

    @Test
    void keysAreNormalised() throws Exception {
        AggregationPlan plan = COMPILER.aggregate(SCHEMA, List.of("upper(k) AS u", "b"),
                List.of("u", "b", "lower(u) AS l", "a + max(a) AS am", "ts", "upper(k) AS again"), true, WindowNames.NONE,
                        List.of());
        Packet current = row("x", 5, -0.0, 42L);
        List<Object> key = Packets.apply(plan.keys(), current);
        assertEquals(List.of(s("X"), 0.0), key);
        Aggregation aggregation = plan.compiled().instance(0);
        Accumulator accumulator = fed(aggregation, List.of(current, row("x", 7, 0.0, 43L)));
        Packet keyPacket = Packets.of(plan.keySchema(), "X", 0.0);
        assertEquals(List.of(s("X"), 0.0, s("x"), 12, 42L, s("X")), result(plan, aggregation, accumulator, keyPacket, current));
        assertEquals(List.of(-1, 2, -1, -1, 3, -1), plan.origins());
    }

    @Test
    void refusesWhatIsNoAggregate() {
        assertEquals("missing_aggregate", refusal("a").problems().get(0).rule());
        assertEquals("missing_alias", refusal("count(*)").problems().get(0).rule());
        assertEquals("missing_alias", refusal("sum(a) + 1").problems().get(0).rule());
        assertTrue(refusal("max(window.start) AS m").getMessage().contains("window"));
        assertEquals(List.of(0, 2), refusal("sum(aa) AS s", "max(a) AS m", "summ(a) AS t").problems().stream()
                .map(ExpressionException.Problem::text).toList());
    }

    private static ExpressionException refusal(String... select) {
        return assertThrows(ExpressionException.class, () -> plan(select));
    }

    private static final Schema TEXTS = Packets.schema("a INT, v STRING, w BIGINT");

    private static Packet text(Integer a, String v, Long w) {
        return Packets.of(TEXTS, a, v, w);
    }

    /** Adds the bad packet between good ones: as if it had never come. */
    private static void assertWhole(Packet bad, String... select) throws Exception {
        for (boolean refuses : new boolean[] {false, true}) {
            AggregationPlan plan = COMPILER.aggregate(TEXTS, List.of(), List.of(select), false, WindowNames.BOUNDS, List.of());
            Codegen.REFUSES.set(refuses);
            Aggregation aggregation = plan.compiled().instance(0);
            Codegen.REFUSES.remove();
            List<Packet> good = List.of(text(1, "1", 1L), text(2, "2", Long.MAX_VALUE - 3), text(3, "3", 2L));
            Accumulator accumulator = fed(aggregation, good.subList(0, 2));
            List<Object> before = result(plan, aggregation, accumulator, null, null);
            for (int times = 0; times < 2; times++) {
                assertThrows(RuntimeException.class, () -> aggregation.updateWhole(accumulator, bad));
                assertEquals(before, result(plan, aggregation, accumulator, null, null));
            }
            aggregation.updateWhole(accumulator, good.get(2));
            assertEquals(result(plan, aggregation, fed(aggregation, good), null, null),
                    result(plan, aggregation, accumulator, null, null), List.of(select) + " interpreted: " + refuses);
        }
    }

    @Test
    void aPacketIsAddedWholeOrNotAtAll() throws Exception {
        Packet noNumber = text(4, "x", 3L);
        assertWhole(noNumber, "count(*) AS n", "max(v) AS m", "sum(CAST(v AS INT)) AS s", "max(a) AS a");
        assertWhole(noNumber, "count(*) FILTER (WHERE a > 1) AS n", "sum(CAST(v AS INT)) FILTER (WHERE a > 1) AS s");
        assertWhole(noNumber, "count(*) AS n", "count(*) FILTER (WHERE CAST(v AS INT) > 0) AS s");
        Packet tooMuch = text(4, "4", 4L);
        assertWhole(tooMuch, "count(*) AS n", "max(v) AS m", "sum(w) AS s");
    }

    @Test
    void aPacketIsAddedWholeAlsoToManyAggregates() throws Exception {
        List<String> select = new ArrayList<>();
        for (int k = 0; k < 80; k++) {
            select.add("sum(a + " + k + ") AS s" + k);
            select.add("max(concat(v, '" + k + "')) FILTER (WHERE a <> " + k + ") AS m" + k);
        }
        select.add("sum(CAST(v AS INT)) AS last");
        assertWhole(text(4, "x", 3L), select.toArray(String[]::new));
        select.set(160, "sum(w) AS last");
        assertWhole(text(4, "4", 4L), select.toArray(String[]::new));
    }

    @Test
    void aPacketIsAddedWholeAlsoToBuffersOfTheirOwn() throws Exception {
        Packet noNumber = text(4, "x", 3L);
        assertWhole(noNumber, "count(*) AS n", "collect_list(a) AS l", "count(DISTINCT a) AS d",
                "collect_list(CAST(v AS INT)) AS c");
        assertWhole(noNumber, "count(*) AS n", "collect_list(a) AS l", "count(DISTINCT CAST(v AS INT)) AS d");
        assertWhole(noNumber, "count(*) AS n", "collect_list(a) AS l", "collect_list(v) FILTER (WHERE CAST(v AS INT) > 0) AS c");
        Packet tooMuch = text(4, "4", 4L);
        assertWhole(tooMuch, "count(*) AS n", "collect_list(a) AS l", "max(v) AS m", "count(DISTINCT a) AS d",
                "sum(DISTINCT w) AS s");
        assertWhole(tooMuch, "count(DISTINCT a) AS d", "collect_list(a) AS l", "sum(w) AS s");
        Packet negative = text(4, "4", -1L);
        assertWhole(negative, "count(*) AS n", "collect_list(a) AS l", "count(DISTINCT a) AS d", "percentile(a, 0.5, w) AS p");
        assertWhole(negative, "collect_list(DISTINCT a) AS l", "percentile(a, 0.5, w) AS p", "percentile(a + 1, 0.9, w) AS q");
    }

    @Test
    @Tag("optimized")
    void numericUpdatesAllocateNothing() throws Exception {
        AggregationPlan plan = plan("count(*) AS n", "sum(a) AS s", "avg(b) AS m", "min(a) AS lo", "max(b) AS hi",
                "regr_slope(b, a) AS slope", "regr_avgx(b, a) AS ax", "stddev(b) AS sd", "sum(b) FILTER (WHERE a > 2) AS f");
        Aggregation aggregation = plan.compiled().instance(0);
        Accumulator accumulator = aggregation.create();
        SplittableRandom random = new SplittableRandom(1);
        Packet[] packets = new Packet[64];
        Arrays.setAll(packets, k -> row("x", random.nextInt(9), random.nextDouble(), 5L));
        assertAllocatesNothing(() -> {
            for (Packet p : packets) {
                aggregation.update(accumulator, p);
            }
        });
    }

    /** Less than a byte per packet, once compiled: Spark's exact arithmetic makes a lambda that the JIT compiler removes. */
    static void assertAllocatesNothing(Runnable sixtyFour) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 400 && least >= 64_000; round++) {
            long before = threads.getThreadAllocatedBytes(id);
            for (int k = 0; k < 1000; k++) {
                sixtyFour.run();
            }
            least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
        }
        assertTrue(least < 64_000, least + " bytes for 64,000 packets");
    }

    private static UTF8String s(String text) {
        return UTF8String.fromString(text);
    }
}
