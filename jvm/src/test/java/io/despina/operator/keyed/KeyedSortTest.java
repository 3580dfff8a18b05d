package io.despina.operator.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.KeysAlone;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.packet.Type.Simple;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What {@code sort} makes with time per key: {@link KeyedTop}, where all packets are kept and each key is one group. */
class KeyedSortTest {
    /** By {@code ord} alone: of those that are equal the first to come is the first. */
    private static final PacketRanks BY_ORD = new PacketRanks(Schema.of(new Column("by_0", Simple.INT, true)),
            Timed.columns(1), List.of(), List.of(new SortKey(0, false, false)));

    private static Operator sort(Windows windows, Keys keys) {
        return keys.clocks() == null ? new Sort(0, new Sort.Options(windows, keys, BY_ORD, null))
                : new KeyedTop(0, new Top.Options(windows, Timed.BY_K.with(keys.clocks()), Top.ALL, BY_ORD, null));
    }

    private static OperatorHarness.Setup harness(Windows windows, Keys keys) {
        return OperatorHarness.of(() -> sort(windows, keys)).inputs(Timed.SCHEMA).outputs(Timed.SCHEMA, Timed.SCHEMA);
    }

    private static Keys clocked(long delay) {
        return Timed.BY_K.with(new Clocks(Timed.BY_K, List.of(0), delay));
    }

    private static Windows anyWindows(Random random) {
        return Windows.tumbling(1 + random.nextInt(30), random.nextInt(30));
    }

    @Property(tries = 400)
    void anyWindowsOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Windows windows = anyWindows(random);
        KeysAlone.compare(keys -> harness(windows, keys), 2, windows.size(), random);
    }

    @Property(tries = 400)
    void packetsOfAKeyLeaveWindowByWindowInOrder(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Windows windows = anyWindows(random);
        long delay = random.nextInt(12);
        List<Step> steps = Timed.perKey(random, delay);
        try (OperatorHarness harness = Timed.room(harness(windows, clocked(delay)), random).open()) {
            Timed.playWhole(harness, steps, random);
            assertEquals(oracle(windows, delay, steps), byKey(harness.rows(0)));
        }
    }

    private static Map<Object, List<List<Object>>> byKey(List<List<Object>> rows) {
        Map<Object, List<List<Object>>> keys = new HashMap<>();
        rows.forEach(row -> keys.computeIfAbsent(Timed.key(row), key -> new ArrayList<>()).add(row));
        return keys;
    }

    private static Map<Object, List<List<Object>>> oracle(Windows windows, long delay, List<Step> steps) {
        Map<Object, Long> watermarks = new HashMap<>();
        List<List<Object>> taken = new ArrayList<>();
        for (Step step : steps) {
            long watermark = watermarks.getOrDefault(Timed.key(step.row()), Long.MIN_VALUE);
            if (windows.lastStart(Timed.time(step.row())) + windows.size() > watermark) {
                taken.add(step.row());
            }
            watermarks.put(Timed.key(step.row()), Math.max(watermark, Timed.time(step.row()) - delay));
        }
        taken.sort(Comparator.<List<Object>>comparingLong(row -> windows.lastStart(Timed.time(row)))
                .thenComparing(row -> (Integer) row.get(1), Comparator.nullsFirst(Comparator.naturalOrder())));
        return byKey(taken);
    }

    @Test
    void aWindowClosesByItsOwnKeyAndGivesItsMemoryBack() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(1_000, 0), clocked(0)).open()) {
            harness.feedRow(0, 0L, 3, "a", 0L).feedRow(0, 5_000L, 1, "b", 1L);
            long before = harness.stateBytes;
            for (long v = 2; v < 500; v++) {
                harness.feedRow(0, v, (int) (v % 7), "a", v);
            }
            assertTrue(harness.stateBytes > before + 500 * 32, harness.stateBytes + " bytes");
            assertEquals(List.of(), harness.rows(0));
            harness.restart().feedRow(0, 1_000L, 1, "a", 500L);
            assertEquals(499, harness.rows(0).size());
            assertEquals(Rows.row(7L, 0, "a", 7L), harness.rows(0).get(0));
            assertTrue(harness.stateBytes <= before, harness.stateBytes + " bytes, and before " + before);
        }
    }
}
