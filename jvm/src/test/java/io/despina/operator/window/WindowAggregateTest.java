package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.AggregationPlan;
import io.despina.expr.Expressions;
import io.despina.expr.WindowNames;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.spec.Windows;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class WindowAggregateTest {

    @Property(tries = 400)
    void anyWindowsOfAnyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(40);
        long slide = switch (random.nextInt(6)) {
            case 0, 1 -> size;
            case 2 -> 1;    // panes enough for blocks
            default -> 1 + random.nextInt((int) size);
        };
        Windows windows = new Windows(size, slide, random.nextInt(41) - 20);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(windows, keys), random).open()) {
            Timed.play(harness, steps, random);

            List<List<Object>> late = new ArrayList<>();
            List<List<Object>> expected = oracle(windows, keys, steps, late);
            List<List<Object>> rows = harness.rows(0);
            if (!windows.hasPanes()) {
                assertEquals(expected, rows, windows + " " + steps);
            }
            assertEquals(sorted(expected), sorted(rows), windows + " " + steps);
            assertTrue(rows.stream().map(row -> (Long) row.get(2)).sorted().toList()
                    .equals(rows.stream().map(row -> (Long) row.get(2)).toList()), "windows are not in order of their end");
            assertEquals(late, harness.rows(1));
            assertEquals(late.size(), harness.lateCount);
        }
    }

    /** The same with accumulators that are bytes alone. */
    @Property(tries = 200)
    void countsAndSumsOfAnyWindows(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(40);
        long slide = random.nextBoolean() ? size : 1 + random.nextInt((int) size);
        Windows windows = new Windows(size, slide, random.nextInt(41) - 20);
        AggregationPlan plan = Expressions.compiler(true, "UTC").aggregate(Timed.SCHEMA, List.of("k"), List.of("k",
                "window.start AS s", "window.end AS e", "count(*) AS n", "sum(v) AS total"), false, WindowNames.BOUNDS,
                List.of());
        Keys keys = Keys.of(plan.keys(), 256);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(OperatorHarness.of(() -> new WindowAggregate(0, windows, keys, plan.compiled()))
                .inputs(Timed.SCHEMA).outputs(plan.result(), Timed.SCHEMA), random).open()) {
            Timed.play(harness, steps, random);

            List<List<Object>> late = new ArrayList<>();
            List<List<Object>> expected = oracle(windows, keys, steps, late).stream().map(row -> Rows.row(row.get(0), row.get(1),
                    row.get(2), row.get(4), numbers(row.get(5)).mapToLong(Long::longValue).sum())).toList();
            assertEquals(expected.stream().map(Object::toString).sorted().toList(),
                    harness.rows(0).stream().map(Object::toString).sorted().toList(), windows + " " + steps);
            assertEquals(late, harness.rows(1));
        }
    }

    private static Stream<Long> numbers(Object list) {
        return Arrays.stream(list.toString().replaceAll("[\\[\\] ]", "").split(",")).map(Long::valueOf);
    }

    private static OperatorHarness.Setup harness(Windows windows, Keys keys) {
        return OperatorHarness.of(() -> new WindowAggregate(0, windows, keys, partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    /** Rows by window end, then by the first packet of the group in that window. */
    private static List<List<Object>> oracle(Windows windows, Keys keys, List<Step> steps, List<List<Object>> late) {
        Map<Long, Map<Object, List<Object>>> open = new TreeMap<>();
        long watermark = Long.MIN_VALUE;
        for (Step step : steps) {
            if (step.row() == null) {
                watermark = step.watermark();
                continue;
            }
            boolean taken = false;
            for (long end = -500; end < 500; end++) {
                boolean isWindow = Math.floorMod(end - windows.size() - windows.offset(), windows.slide()) == 0;
                long time = Timed.time(step.row());
                if (isWindow && end - windows.size() <= time && time < end && end > watermark) {
                    taken = true;
                    open.computeIfAbsent(end, e -> new LinkedHashMap<>())
                            .computeIfAbsent(keys.isNone() ? null : Timed.key(step.row()), k -> new ArrayList<>())
                            .add(step.row().get(3));
                }
            }
            if (!taken) {
                late.add(step.row());
            }
        }
        List<List<Object>> rows = new ArrayList<>();
        open.forEach((end, groups) -> groups.forEach((key, all) -> rows.add(
                Rows.row(key, end - windows.size(), end, null, (long) all.size(), all.toString()))));
        return rows;
    }

    /** Panes bring a window's packets together pane by pane. */
    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(row -> {
            return row.subList(0, 5).toString() + numbers(row.get(5)).sorted().toList();
        }).sorted().toList();
    }

    @Test
    void panesWhereTheyPay() {
        assertTrue(new Windows(60, 20, 0).hasPanes());
        assertTrue(new Windows(60, 40, 0).hasPanes());
        assertEquals(20, new Windows(60, 40, 0).pane());
        assertTrue(!new Windows(60, 60, 0).hasPanes());
        assertTrue(!new Windows(1000, 999, 0).hasPanes());
        assertThrows(IllegalArgumentException.class, () -> new Windows(10, 11, 0));
    }

    @Test
    void boundsAreAlignedBefore1970Too() {
        Windows windows = Windows.tumbling(10, 3);
        assertEquals(-7, windows.lastStart(-1));
        assertEquals(-7, windows.lastStart(2));
        assertEquals(3, windows.lastStart(3));
    }

    /** What Spark's window() works out, on numbers without an end. */
    private static boolean sparkHasWindows(Windows windows, BigInteger time) {
        BigInteger sinceOffset = time.subtract(BigInteger.valueOf(windows.offset()));
        BigInteger lastStart = time.subtract(sinceOffset.mod(BigInteger.valueOf(windows.slide())));
        BigInteger firstStart = lastStart.subtract(BigInteger.valueOf((windows.overlap() - 1) * windows.slide()));
        return Stream.of(time, sinceOffset, lastStart, firstStart, lastStart.add(BigInteger.valueOf(windows.size())))
                .allMatch(number -> number.bitLength() < Long.SIZE);
    }

    @Property(tries = 500)
    void theTimesThatHaveWindowsAreSparks(@ForAll long seed) {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(3000);
        long slide = random.nextBoolean() ? size : 1 + random.nextLong(size);
        Windows windows = new Windows(size, slide, random.nextInt(9000) - 4500);
        BigInteger earliest = BigInteger.valueOf(windows.earliest());
        BigInteger latest = BigInteger.valueOf(windows.latest());
        assertTrue(sparkHasWindows(windows, earliest));
        assertFalse(sparkHasWindows(windows, earliest.subtract(BigInteger.ONE)));
        assertTrue(sparkHasWindows(windows, latest));
        assertFalse(sparkHasWindows(windows, latest.add(BigInteger.ONE)));
    }

    @Property(tries = 100)
    void windowsAtTheEndsOfTimeAreWhole(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        for (Windows windows : List.of(Windows.tumbling(10, 3), new Windows(60, 20, -7), new Windows(60, 2, 5),
                new Windows(1000, 999, 0))) {
            TreeMap<Long, List<Long>> expected = new TreeMap<>();
            int bad = 0;
            try (OperatorHarness harness = harness(windows, Keys.none()).skippingBadRecords().open()) {
                for (long v = 0; v < 30; v++) {
                    long time = random.nextBoolean() ? Long.MIN_VALUE + random.nextInt(3000)
                            : Long.MAX_VALUE - random.nextInt(3000);
                    boolean has = time >= windows.earliest() && time <= windows.latest();
                    bad += has ? 0 : 1;
                    for (long back = 0; has && back < windows.size(); back += windows.slide()) {
                        long start = windows.lastStart(time) - back;
                        if (time - start < windows.size()) {
                            expected.computeIfAbsent(start, s -> new ArrayList<>()).add(v);
                        }
                    }
                    harness.feedRow(0, time, null, "a", v);
                }
                List<List<Object>> rows = harness.end().rows(0);
                assertEquals(List.copyOf(expected.keySet()), rows.stream().map(row -> row.get(1)).toList());
                assertEquals(expected.values().stream().map(all -> (long) all.size()).toList(),
                        rows.stream().map(row -> row.get(4)).toList());
                assertEquals(bad, harness.badRecords.size());
            }
        }
    }

    @Test
    void timesMayLieFurtherApartThanANumberTells() throws Exception {
        long far = 6_000_000_000_000_000_000L;
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K).open()) {
            harness.feedRow(0, -far, null, "a", 1L).feedRow(0, far, null, "a", 2L).feedRow(0, -far, null, "a", 3L).end();
            assertEquals(List.of(Rows.row("a", -far, 10 - far, null, 2L, "[1, 3]"),
                    Rows.row("a", far, far + 10, null, 1L, "[2]")), harness.rows(0));
        }
    }

    @Test
    void aWindowIsDoneWhenTheWatermarkReachesItsEnd() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K).open()) {
            harness.feedRow(0, 9L, null, "a", 1L).watermark(9);
            assertEquals(List.of(), harness.rows(0));
            harness.feedRow(0, 5L, null, "a", 2L).watermark(10).feedRow(0, 9L, null, "a", 3L);
            assertEquals(List.of(Rows.row("a", 0L, 10L, null, 2L, "[1, 2]")), harness.rows(0));
            assertEquals(1, harness.lateCount);
        }
    }

    @Test
    void latePacketsWaitForRoom() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K).room(1, 1).open()) {
            harness.watermark(10).feed(0, LongStream.range(0, 50).mapToObj(v -> Rows.row(v % 10, null, "a", v)).toList());
            assertEquals(50, harness.rows(1).size());
            assertEquals(50, harness.lateCount);
        }
    }

    @Test
    void manyGroupsFireOneByOneAndMemoryGoes() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K).room(1, 1).open()) {
            for (long v = 0; v < 3000; v++) {
                harness.feedRow(0, 1L, null, "group " + v, v);
            }
            long held = harness.stateBytes;
            assertTrue(held > 3000 * 24, () -> held + " bytes");
            int calls = 1;
            while (!harness.tryWatermark(10)) {
                calls++;
                if (calls % 500 == 0) {
                    harness.restart();
                }
            }
            assertTrue(calls >= 3000);
            assertEquals(3000, harness.rows(0).size());
            assertEquals("group 2999", harness.rows(0).get(2999).get(0));
        }
    }

    @Test
    void aPacketWithoutTimeFallsIntoNoWindow() throws Exception {
        Schema nullable = new Schema(Timed.SCHEMA.columns().stream()
                .map(c -> new Column(c.name(), c.type(), true)).toList());
        try (OperatorHarness harness = OperatorHarness
                .of(() -> new WindowAggregate(0, Windows.tumbling(10, 0), Timed.BY_K, partition -> new Collected()))
                .inputs(nullable).outputs(Collected.RESULT, nullable).open()) {
            harness.feedRow(0, null, null, "a", 1L).feedRow(0, 1L, null, "a", 2L).end();
            assertEquals(List.of(Rows.row("a", 0L, 10L, null, 1L, "[2]")), harness.rows(0));
            assertEquals(0, harness.lateCount);
        }
    }

    @Test
    void badPacketsLeaveNoGroup() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K).skippingBadRecords().open()) {
            harness.feedRow(0, 1L, null, "a", Collected.BAD).feedRow(0, 1L, null, "b", 1L).end();
            assertEquals(List.of("a bad packet"), harness.badRecords);
            assertEquals(List.of(Rows.row("b", 0L, 10L, null, 1L, "[1]")), harness.rows(0));
        }
    }
}
