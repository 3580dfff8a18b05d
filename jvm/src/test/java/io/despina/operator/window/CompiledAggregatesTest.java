package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.AggregationPlan;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.Expressions;
import io.despina.expr.WindowNames;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** The operators with Spark's own aggregates: the trend of the manufacturing job, and buffers of every kind in windows. */
class CompiledAggregatesTest {
    private static final Schema SCHEMA = Schema.of(new Column("ts", Simple.TIMESTAMP, false),
            new Column("index", Simple.BIGINT, false), new Column("pair", Simple.STRING, true),
            new Column("delay_us", Simple.BIGINT, false), new Column("x", Simple.DOUBLE, false));
    private static final EventOrder ORDER = EventOrder.by(0, 1);
    private static final long SIZE = 100_000_000;

    private static ExpressionCompiler compiler() {
        return Expressions.compiler(true, "UTC");
    }

    private static List<List<Object>> packets(int n) {
        Random random = new Random(7);
        List<List<Object>> packets = new ArrayList<>();
        long ts = 0;
        for (long k = 0; k < n; k++) {
            ts += random.nextInt(3) == 0 ? 0 : 100_000 + random.nextInt(400_000);
            packets.add(Rows.row(ts, k, random.nextInt(3) == 0 ? "06-09" : "05-08", 50_000L + k + random.nextInt(900),
                    ts / 1e6));
        }
        return packets;
    }

    @Test
    void theTrendOfTheManufacturingJob() throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of("pair"), List.of("ts", "index", "pair", "count(*) AS n",
                "regr_slope(delay_us, x) AS slope",
                "regr_avgy(delay_us, x) + regr_slope(delay_us, x) * (x - regr_avgx(delay_us, x)) AS trend_now",
                "first(delay_us) AS oldest", "min_by(delay_us, struct(ts, index)) AS oldest_too"), true, WindowNames.NONE,
                List.of());
        List<List<Object>> packets = packets(3000);
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new TrailingAggregate(ORDER, SIZE, Keys.of(plan.keys(), 256), plan.compiled()))
                .inputs(SCHEMA).outputs(plan.result(), SCHEMA).open()) {
            for (int k = 0; k < packets.size(); k += 100) {
                harness.feed(0, packets.subList(k, k + 100));
                harness.watermark((Long) packets.get(k + 99).get(0));
                if (k % 700 == 0) {
                    harness.restart();
                }
            }
            List<List<Object>> rows = harness.end().rows(0);
            assertEquals(packets.size(), rows.size());
            for (List<Object> row : rows) {
                assertTrend(row, packets);
            }
        }
    }

    private static void assertTrend(List<Object> row, List<List<Object>> packets) {
        long ts = (Long) row.get(0);
        List<List<Object>> window = packets.stream().filter(p -> p.get(2).equals(row.get(2))
                && (Long) p.get(0) >= ts - SIZE && (Long) p.get(0) <= ts).toList();
        assertEquals((long) window.size(), row.get(3));
        assertEquals(window.get(0).get(3), row.get(6));
        assertEquals(window.get(0).get(3), row.get(7));
        double meanX = window.stream().mapToDouble(p -> (Double) p.get(4)).average().orElseThrow();
        double meanY = window.stream().mapToDouble(p -> (Long) p.get(3)).average().orElseThrow();
        double xx = window.stream().mapToDouble(p -> Math.pow((Double) p.get(4) - meanX, 2)).sum();
        double xy = window.stream().mapToDouble(p -> ((Double) p.get(4) - meanX) * ((Long) p.get(3) - meanY)).sum();
        if (xx == 0) {
            assertEquals(null, row.get(4));
            return;
        }
        double yy = window.stream().mapToDouble(p -> Math.pow((Long) p.get(3) - meanY, 2)).sum();
        double slope = xy / xx;
        assertClose(slope, (Double) row.get(4), Math.sqrt(yy / xx));
        assertClose(meanY + slope * (ts / 1e6 - meanX), (Double) row.get(5), meanY);
    }

    private static void assertClose(double expected, double found, double largest) {
        assertTrue(Math.abs(expected - found) <= 1e-9 * Math.max(Math.abs(expected), largest), expected + " but " + found);
    }

    @Test
    void slidingWindowsWithBuffersOfEveryKind() throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of("pair"), List.of("window.start AS s", "pair",
                "count(DISTINCT index % 7) AS d", "max(pair) AS m", "sum(delay_us) FILTER (WHERE index % 2 = 0) AS even",
                "sort_array(collect_set(index % 5)) AS sets"), false, WindowNames.BOUNDS, List.of());
        List<List<Object>> packets = packets(600);
        Windows windows = new Windows(30_000_000, 10_000_000, 0);
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new WindowAggregate(0, windows, Keys.of(plan.keys(), 256), plan.compiled()))
                .inputs(SCHEMA).outputs(plan.result(), SCHEMA).open()) {
            for (int k = 0; k < packets.size(); k += 50) {
                harness.feed(0, packets.subList(k, k + 50)).watermark((Long) packets.get(k + 49).get(0)).restart();
            }
            List<List<Object>> rows = harness.end().rows(0);
            assertTrue(rows.size() > 20, rows.size() + " rows");
            for (List<Object> row : rows) {
                long start = (Long) row.get(0);
                List<List<Object>> window = packets.stream().filter(p -> p.get(2).equals(row.get(1))
                        && (Long) p.get(0) >= start && (Long) p.get(0) < start + windows.size()).toList();
                assertEquals(window.stream().map(p -> (Long) p.get(1) % 7).distinct().count(), row.get(2));
                assertEquals(row.get(1), row.get(3));
                List<Long> even = window.stream().filter(p -> (Long) p.get(1) % 2 == 0).map(p -> (Long) p.get(3)).toList();
                assertEquals(even.isEmpty() ? null : even.stream().mapToLong(v -> v).sum(), row.get(4));
                assertEquals(window.stream().map(p -> (Long) p.get(1) % 5).distinct().sorted().toList(), row.get(5));
            }
        }
    }

    private static List<List<Object>> skipping(Function<AggregationPlan, Operator> operator, boolean perPacket,
            boolean windowed, String... pairs) throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of("x"),
                List.of("count(*) AS n", "sum(CAST(pair AS INT)) AS s", "count(DISTINCT index) AS d"), perPacket,
                windowed ? WindowNames.BOUNDS : WindowNames.NONE, List.of());
        try (OperatorHarness harness = OperatorHarness.of(() -> operator.apply(plan)).inputs(SCHEMA)
                .outputs(plan.result(), SCHEMA).skippingBadRecords().open()) {
            for (int k = 0; k < pairs.length; k++) {
                harness.feedRow(0, 997L + k, (long) k, pairs[k], 0L, 0.5);
            }
            harness.end();
            assertEquals(1, harness.badRecords.size());
            return harness.rows(0);
        }
    }

    @Test
    void aBadPacketIsInNoAggregateWhereverItComes() throws Exception {
        List<Object> both = Rows.row(2L, 3L, 2L);
        List<List<Object>> one = List.of(Rows.row(1L, 1L, 1L), both);
        for (String[] pairs : new String[][] {{"1", "2", "x"}, {"1", "x", "2"}, {"x", "1", "2"}}) {
            assertEquals(List.of(both), skipping(p -> new FinalAggregate(Keys.of(p.keys(), 256), p.compiled()), false,
                    false, pairs));
            assertEquals(one, skipping(p -> new EachAggregate(ORDER, Keys.of(p.keys(), 256), p.compiled()), true, false, pairs));
            assertEquals(one, skipping(p -> new TrailingAggregate(ORDER, 10, Keys.of(p.keys(), 256), p.compiled()), true,
                    false, pairs));
            Windows twice = new Windows(1000, 997, 0);
            assertEquals(List.of(both, both),
                    skipping(p -> new WindowAggregate(0, twice, Keys.of(p.keys(), 256), p.compiled()), false, true, pairs));
        }
    }

    /** As a packet at a time is added to all its windows, or, if the sum of one would overflow, to none. */
    private static List<List<Object>> sums(Windows windows, long[][] timesAndValues) {
        TreeMap<Long, long[]> sums = new TreeMap<>();
        for (long[] packet : timesAndValues) {
            TreeMap<Long, long[]> changed = new TreeMap<>();
            for (long start = windows.lastStart(packet[0]); start > packet[0] - windows.size(); start -= windows.slide()) {
                long[] before = sums.getOrDefault(start, new long[2]);
                long sum = before[1] + packet[1];
                if (((before[1] ^ sum) & (packet[1] ^ sum)) < 0) {
                    changed.clear();
                    break;
                }
                changed.put(start, new long[] {before[0] + 1, sum});
            }
            sums.putAll(changed);
        }
        List<List<Object>> rows = new ArrayList<>();
        sums.forEach((start, sum) -> rows.add(Rows.row(start, sum[0], sum[1])));
        return rows;
    }

    @Property(tries = 100)
    void aPacketThatOneWindowRefusesIsInNone(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of(),
                List.of("window.start AS s", "count(*) AS n", "sum(delay_us) AS total"), false, WindowNames.BOUNDS, List.of());
        long[][] packets = new long[40][];
        for (int k = 0; k < packets.length; k++) {
            packets[k] = new long[] {random.nextInt(60), random.nextLong() >> 1};
        }
        for (Windows windows : List.of(new Windows(20, 10, 0), new Windows(20, 7, 3), new Windows(12, 4, 0))) {
            try (OperatorHarness harness = OperatorHarness
                    .of(() -> new WindowAggregate(0, windows, Keys.none(), plan.compiled())).inputs(SCHEMA)
                    .outputs(plan.result(), SCHEMA).skippingBadRecords().open()) {
                for (int k = 0; k < packets.length; k++) {
                    harness.feedRow(0, packets[k][0], (long) k, "p", packets[k][1], 0.0);
                }
                assertEquals(sums(windows, packets), harness.end().rows(0), windows.toString());
            }
        }
    }

    @Test
    void whatCannotOverflowIsPutTogetherFromPanes() throws Exception {
        for (String select : List.of("count(*)", "count(pair)", "max(pair)", "min(delay_us)", "sum(x)", "avg(delay_us)",
                "stddev(x)", "regr_slope(delay_us, x)", "collect_list(pair)",
                "approx_count_distinct(pair)", "bool_and(x > 1)", "max_by(delay_us, struct(ts, index))", "first(pair)",
                "count(*) FILTER (WHERE x > 1)")) {
            assertFalse(mayOverflow(select), select);
        }
        for (String select : List.of("sum(delay_us)", "sum(DISTINCT delay_us)", "sum(CAST(delay_us AS DECIMAL(20, 0)))",
                "sum(CAST(x AS INT))")) {
            assertTrue(mayOverflow(select), select);
        }
    }

    private static boolean mayOverflow(String select) throws Exception {
        return compiler().aggregate(SCHEMA, List.of(), List.of(select + " AS v"), false, WindowNames.BOUNDS,
                List.of()).compiled().instance(0)
                .mayOverflow();
    }

    /** Added from the other end a sum may overflow that did not in order: then its packet is bad, and no later row is wrong. */
    @Test
    void aTrailingSumThatCannotBeMadeAnewIsMadeAgain() throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of(), List.of("sum(delay_us) AS s"), true, WindowNames.NONE,
                List.of());
        long[][] timesAndValues = {{0, -10}, {1, Long.MAX_VALUE}, {2, 5}, {11, 1}, {11, -100}, {12, 7}};
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new TrailingAggregate(ORDER, 10, Keys.none(), plan.compiled())).inputs(SCHEMA)
                .outputs(plan.result(), SCHEMA).skippingBadRecords().open()) {
            for (int k = 0; k < timesAndValues.length; k++) {
                harness.feedRow(0, timesAndValues[k][0], (long) k, "p", timesAndValues[k][1], 0.0);
            }
            harness.end();
            assertEquals(List.of(-10L, Long.MAX_VALUE - 10, Long.MAX_VALUE - 5, 12L),
                    harness.rows(0).stream().map(row -> row.get(0)).toList());
            assertEquals(2, harness.badRecords.size());
        }
    }

    /** With a snapshot before the last. */
    private static List<Object> lastSums(int size, int bad, long... values) throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of(), List.of("sum(delay_us) AS s"), true, WindowNames.NONE,
                List.of());
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new TrailingCountAggregate(ORDER, size, Keys.none(), plan.compiled())).inputs(SCHEMA)
                .outputs(plan.result(), SCHEMA).skippingBadRecords().open()) {
            for (int k = 0; k < values.length; k++) {
                if (k == values.length - 1) {
                    harness.restart();
                }
                harness.feedRow(0, (long) k, (long) k, "p", values[k], 0.0).watermark(k + 1);
            }
            assertEquals(bad, harness.badRecords.size());
            return harness.end().rows(0).stream().map(row -> row.get(0)).toList();
        }
    }

    @Test
    void aTrailingCountRefusesNoPacketBecauseOfOneThatLeaves() throws Exception {
        assertEquals(List.of(Long.MAX_VALUE, Long.MAX_VALUE, 5L, 12L), lastSums(2, 0, Long.MAX_VALUE, 0, 5, 7));
    }

    /** As {@link #aTrailingSumThatCannotBeMadeAnewIsMadeAgain}; a snapshot has the packet that had no row, and all after it. */
    @Test
    void aTrailingCountThatCannotBeMadeAnewIsMadeAgain() throws Exception {
        assertEquals(List.of(-10L, Long.MAX_VALUE - 10, Long.MAX_VALUE - 5, -94L, -92L),
                lastSums(3, 1, -10, Long.MAX_VALUE, 5, 1, -100, 7));
    }

    @Test
    void aTrailingWindowCountsWhatEachOfItsAggregatesHolds() throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of(), List.of("size(collect_list(pair)) AS n"), true,
                WindowNames.NONE, List.of());
        int packets = 2000;
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new TrailingAggregate(ORDER, packets, Keys.none(), plan.compiled())).inputs(SCHEMA)
                .outputs(plan.result(), SCHEMA).open()) {
            for (int k = 0; k <= packets + 1; k++) {
                harness.feedRow(0, (long) k, (long) k, "p", 0L, 0.0);
            }
            harness.watermark(packets + 2);
            // each block of 64 holds all from its first packet on: some 16 times what one list of all does
            assertTrue(harness.stateBytes > 8L * packets * 64, harness.stateBytes + " bytes");
        }
    }

    @Test
    void firstAndLastAreByTheOrderThatIsAskedForAndNotByArrival() throws Exception {
        AggregationPlan plan = compiler().aggregate(SCHEMA, List.of(), List.of("first(pair) AS f", "last(pair) AS l"),
                false, WindowNames.NONE, List.of(0, 1));
        try (OperatorHarness harness = OperatorHarness.of(() -> new FinalAggregate(Keys.none(), plan.compiled())).inputs(SCHEMA)
                .outputs(plan.result(), SCHEMA).open()) {
            harness.feedRow(0, 5L, 2L, "z", 0L, 0.0);
            harness.feedRow(0, 2L, 1L, "a", 0L, 0.0);
            harness.feedRow(0, 2L, 2L, "b", 0L, 0.0);
            harness.feedRow(0, 5L, 1L, "y", 0L, 0.0);
            assertEquals(List.of(Rows.row("a", "z")), harness.end().rows(0));
        }
    }
}
