package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorHarness;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class SortTest {

    private static OperatorHarness.Setup harness(Windows windows, Keys keys, PacketRanks ranks) {
        return harness(new Sort.Options(windows, keys, ranks, null));
    }

    private static OperatorHarness.Setup harness(Sort.Options options) {
        return OperatorHarness.of(() -> new Sort(0, options)).inputs(Timed.SCHEMA).outputs(Timed.SCHEMA, Timed.SCHEMA);
    }

    private static Comparator<List<Object>> order(boolean descending, boolean nullsLast) {
        Comparator<String> values = descending ? Comparator.reverseOrder() : Comparator.naturalOrder();
        Comparator<String> nulls = nullsLast ? Comparator.nullsLast(values) : Comparator.nullsFirst(values);
        return Comparator.<List<Object>, String>comparing(row -> (String) row.get(2), nulls).thenComparing(Timed.IN_ORDER);
    }

    @Property(tries = 400)
    void anyWindowsOfAnyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Windows windows = Windows.tumbling(1 + random.nextInt(40), random.nextInt(30));
        boolean descending = random.nextBoolean();
        boolean nullsLast = random.nextBoolean();
        Keys keys = random.nextBoolean() ? Keys.none() : Timed.BY_K;
        List<Step> steps = Timed.stream(random, 1);
        List<List<Object>> taken = new ArrayList<>();
        List<List<Object>> late = new ArrayList<>();
        long watermark = Long.MIN_VALUE;
        for (Step step : steps) {
            if (step.row() == null) {
                watermark = step.watermark();
            } else {
                (end(windows, step.row()) <= watermark ? late : taken).add(step.row());
            }
        }
        taken.sort(Comparator.<List<Object>>comparingLong(row -> end(windows, row)).thenComparing(order(descending, nullsLast)));
        try (OperatorHarness harness = Timed.room(harness(windows, keys, TopTest.ranks(descending, nullsLast)), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(taken, harness.rows(0));
            assertEquals(late, harness.rows(1));
            assertEquals(late.size(), harness.lateCount);
        }
    }

    private static long end(Windows windows, List<Object> row) {
        return Math.floorDiv(Timed.time(row) - windows.offset(), windows.size()) * windows.size() + windows.offset()
                + windows.size();
    }

    @Property(tries = 50)
    void withoutAWindowAllLeaveAtTheEnd(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        List<Step> steps = Timed.stream(random, 1);
        List<List<Object>> all = new ArrayList<>(steps.stream().map(Step::row).filter(row -> row != null).toList());
        all.sort(order(true, false));
        try (OperatorHarness harness = Timed.room(harness(null, Keys.none(), TopTest.ranks(true, false)), random).open()) {
            Timed.play(harness, steps, random);
            assertEquals(all, harness.rows(0));
            assertEquals(0, harness.lateCount);
        }
    }

    @Test
    void whatIsKeptIsCountedAndGivenBack() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Keys.none(), TopTest.ranks(false, false))
                .memory(9_000_000).open()) {
            fill(harness, 5, 100);
            long before = harness.stateBytes;
            assertTrue(before > 4_000_000);
            harness.watermark(10);
            assertTrue(harness.stateBytes < before / 2);
            assertThrows(IllegalStateException.class, () -> fill(harness, 15, 300));
        }
    }

    private static void fill(OperatorHarness harness, long time, int packets) throws Exception {
        for (long v = 0; v < packets; v++) {
            harness.feedRow(0, time, 1, "x".repeat(40_000), v);
        }
    }

    @Test
    void aRankOrARowThatFailsIsABadRecord() throws Exception {
        PacketRanks good = TopTest.ranks(false, false);
        PacketRanks ranks = new PacketRanks(good.schema(), failsFor(1, 2), good.ties(), good.order());
        Sort.Options options = new Sort.Options(Windows.tumbling(10, 0), Keys.none(), ranks, failsFor(2, 0, 1, 2, 3));
        try (OperatorHarness harness = harness(options).skippingBadRecords().open()) {
            for (long v = 1; v <= 3; v++) {
                harness.feedRow(0, 5L, 1, "a", v);
            }
            harness.feedRow(0, Long.MAX_VALUE, 1, "a", 4L).end();
            assertEquals(3, harness.badRecords.size());
            assertEquals(List.of(3L), harness.rows(0).stream().map(row -> row.get(3)).toList());
        }
    }

    private static Compiled<Projection> failsFor(long v, int... columns) {
        Projection all = Timed.columns(columns).instance(0);
        return partition -> (inputs, out) -> {
            if (inputs[0].getLong(3) == v) {
                throw new IllegalArgumentException("not this one");
            }
            all.apply(inputs, out);
        };
    }
}
