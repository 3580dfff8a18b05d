package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.packet.Type.Simple;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TopTest {
    private static final long LAST = Long.MAX_VALUE;

    /** By the text {@code k}, ties by event order. */
    static PacketRanks ranks(boolean descending, boolean nullsLast) {
        Schema schema = Schema.of(new Column("by_0", Simple.STRING, true), new Column("tie_1", Simple.TIMESTAMP, false),
                new Column("tie_2", Simple.INT, true));
        return new PacketRanks(schema, Timed.columns(2), List.of(0, 1),
                List.of(new SortKey(0, descending, nullsLast), SortKey.ascending(1), SortKey.ascending(2)));
    }

    private static Comparator<List<Object>> order(boolean descending, boolean nullsLast) {
        Comparator<String> values = descending ? Comparator.reverseOrder() : Comparator.naturalOrder();
        Comparator<String> nulls = nullsLast ? Comparator.nullsLast(values) : Comparator.nullsFirst(values);
        return Comparator.<List<Object>, String>comparing(row -> (String) row.get(2), nulls).thenComparing(Timed.IN_ORDER);
    }

    private static OperatorHarness.Setup harness(Windows windows, Keys keys, int n, PacketRanks ranks) {
        return harness(new Top.Options(windows, keys, n, ranks, null));
    }

    private static OperatorHarness.Setup harness(Top.Options options) {
        return OperatorHarness.of(() -> new Top(0, options)).inputs(Timed.SCHEMA).outputs(Timed.SCHEMA, Timed.SCHEMA);
    }

    /** Keys of their own: a number of few values. */
    private static final Keys BY_ORD = new Keys(Schema.of(new Column("ord", Simple.INT, true)), Timed.columns(1), 256);

    @Property(tries = 400)
    void anyWindowsOfAnyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(40);
        Windows windows = new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size),
                random.nextInt(100) - 50);
        Keys keys = random.nextInt(3) == 0 ? Keys.none() : BY_ORD;
        int n = 1 + random.nextInt(6);
        boolean descending = random.nextBoolean();
        boolean nullsLast = random.nextBoolean();
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(windows, keys, n, ranks(descending, nullsLast)), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> late = new ArrayList<>();
            Map<Long, Map<Object, List<List<Object>>>> expected = oracle(windows, keys, steps, late);
            List<List<Object>> rows = harness.rows(0);
            int at = 0;
            for (long end : expected.keySet().stream().sorted().toList()) {
                List<List<Object>> cut = new ArrayList<>();
                for (List<List<Object>> group : expected.get(end).values()) {
                    group.sort(order(descending, nullsLast));
                    cut.addAll(group.subList(0, Math.min(n, group.size())));
                }
                List<List<Object>> window = rows.subList(at, Math.min(rows.size(), at + cut.size()));
                // After a restart groups may leave in another order; within each it stays.
                assertEquals(byKey(cut, keys), byKey(window, keys), () -> n + " of " + windows + " " + steps);
                at += cut.size();
            }
            assertEquals(at, rows.size());
            assertEquals(late, harness.rows(1));
            assertEquals(late.size(), harness.lateCount);
        }
    }

    private static Object key(List<Object> row, Keys keys) {
        return keys.isNone() ? "all" : String.valueOf(row.get(1));
    }

    private static Map<Object, List<List<Object>>> byKey(List<List<Object>> rows, Keys keys) {
        Map<Object, List<List<Object>>> groups = new LinkedHashMap<>();
        rows.forEach(row -> groups.computeIfAbsent(key(row, keys), of -> new ArrayList<>()).add(row));
        return groups;
    }

    private static Map<Long, Map<Object, List<List<Object>>>> oracle(Windows windows, Keys keys, List<Step> steps,
            List<List<Object>> late) {
        Map<Long, Map<Object, List<List<Object>>>> byEnd = new LinkedHashMap<>();
        long watermark = Long.MIN_VALUE;
        for (Step step : steps) {
            if (step.row() == null) {
                watermark = step.watermark();
                continue;
            }
            long time = Timed.time(step.row());
            boolean taken = false;
            for (long end = time + 1; end <= time + windows.size(); end++) {
                boolean isWindow = Math.floorMod(end - windows.size() - windows.offset(), windows.slide()) == 0;
                if (isWindow && end > watermark) {
                    byEnd.computeIfAbsent(end, of -> new LinkedHashMap<>())
                            .computeIfAbsent(key(step.row(), keys), of -> new ArrayList<>()).add(step.row());
                    taken = true;
                }
            }
            if (!taken) {
                late.add(step.row());
            }
        }
        return byEnd;
    }

    @Test
    void whereAllIsEqualTheFirstToArriveIsFirst() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Keys.none(), 3, ranks(true, true)).open()) {
            for (long v = 0; v < 20; v++) {
                harness.feedRow(0, 5L, 1, "a", v);
            }
            harness.restart().feedRow(0, 5L, 1, "a", 20L).watermark(10);
            assertEquals(List.of(0L, 1L, 2L), harness.rows(0).stream().map(row -> row.get(3)).toList());
        }
    }

    @Test
    void withoutWindowsTheLaterOfEqualsLeavesAtTheEnd() throws Exception {
        Top.Options newest = new Top.Options(null, Timed.BY_K, 1, ranks(true, true), true, null);
        try (OperatorHarness harness = harness(newest).room(1, 1).open()) {
            for (long v = 0; v < 6; v++) {
                harness.feedRow(0, 5L, 1, v % 2 == 0 ? "a" : "b", v);
            }
            harness.watermark(1_000);
            assertEquals(List.of(), harness.rows(0));
            harness.restart().feedRow(0, 8L, 1, "a", 6L).feedRow(0, 5L, 1, "b", 7L).end();
            assertEquals(List.of(4L, 7L), harness.rows(0).stream().map(row -> row.get(3)).sorted().toList());
            assertEquals(0, harness.lateCount);
        }
    }

    @Test
    void theRowIsOverThePacketAndItsWindow() throws Exception {
        Schema row = Schema.of(new Column("v", Simple.BIGINT, false), new Column("start", Simple.TIMESTAMP, false),
                new Column("end", Simple.TIMESTAMP, false), new Column("window_time", Simple.TIMESTAMP, false));
        Compiled<Projection> select = partition -> (inputs, out) -> {
            out.setColumn(0, inputs[0], 3);
            out.setColumn(1, inputs[1], 0);
            out.setColumn(2, inputs[1], 1);
            out.setColumn(3, inputs[2], 0);
        };
        Top.Options options = new Top.Options(new Windows(10, 5, 0), Keys.none(), 1, ranks(false, false), select);
        try (OperatorHarness harness = OperatorHarness.of(() -> new Top(0, options)).inputs(Timed.SCHEMA)
                .outputs(row, Timed.SCHEMA).open()) {
            harness.feedRow(0, 5L, 1, "b", 1L).feedRow(0, 12L, 1, "a", 2L).end();
            assertEquals(List.of(List.of(1L, 0L, 10L, 9L), List.of(2L, 5L, 15L, 14L), List.of(2L, 10L, 20L, 19L)),
                    harness.rows(0));
        }
    }

    @Test
    void aRowThatFailsIsABadRecord() throws Exception {
        Compiled<Projection> select = partition -> (inputs, out) -> {
            if (inputs[0].getLong(3) == 1) {
                throw new IllegalArgumentException("not this one");
            }
            for (int k = 0; k < 4; k++) {
                out.setColumn(k, inputs[0], k);
            }
        };
        Top.Options options = new Top.Options(Windows.tumbling(10, 0), Keys.none(), 2, ranks(false, false), select);
        try (OperatorHarness harness = harness(options).skippingBadRecords().open()) {
            harness.feedRow(0, 5L, 1, "a", 1L).feedRow(0, 6L, 1, "b", 2L).end();
            assertEquals(List.of("not this one"), harness.badRecords);
            assertEquals(List.of(2L), harness.rows(0).stream().map(each -> each.get(3)).toList());
        }
    }

    @Test
    void aTimeBeyondWindowsIsABadRecord() throws Exception {
        try (OperatorHarness harness = harness(new Windows(10, 3, 0), Keys.none(), 2, ranks(false, false))
                .skippingBadRecords().open()) {
            harness.feedRow(0, LAST, 1, "a", 1L).feedRow(0, Long.MIN_VALUE, 1, "a", 2L).feedRow(0, 0L, 1, "a", 3L).end();
            assertEquals(2, harness.badRecords.size());
            assertEquals(4, harness.rows(0).size());
        }
    }

    @Test
    void whatIsKeptDoesNotGrowWithTheStream() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(1_000_000, 0), Timed.BY_K, 5, ranks(true, true)).open()) {
            long held = 0;
            for (long v = 0; v < 5000; v++) {
                harness.feedRow(0, v, 1, "key " + v % 7, v);
                if (v == 100) {
                    held = harness.stateBytes;
                }
            }
            long before = held;
            assertTrue(before > 0);
            assertEquals(before, harness.stateBytes);
            harness.watermark(1_000_000);
            assertEquals(35, harness.rows(0).size());
            assertTrue(harness.stateBytes < before);
        }
    }
}
