package io.despina.operator.keyed;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.operator.window.Timed.Step;
import io.despina.state.KeyFilter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class DeduplicateTest {

    private static OperatorHarness.Setup harness(boolean timed, Keys keys, long within, boolean last) {
        return OperatorHarness
                .of(() -> new Deduplicate(timed ? Timed.ORDER : null, new Deduplicate.Options(keys, within, last)))
                .inputs(Timed.SCHEMA).outputs(Timed.SCHEMA, Timed.SCHEMA);
    }

    @Property(tries = 400)
    void anyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextInt(4) == 0 ? Keys.none() : Timed.BY_K;
        boolean last = random.nextBoolean();
        long within = !last && random.nextInt(4) == 0 ? NEVER : 1 + random.nextInt(30);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(true, keys, within, last), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> inOrder = new ArrayList<>(Timed.packets(steps, 0, false));
            inOrder.sort(Timed.IN_ORDER);
            // Those that began at one time may leave in any order after a restart.
            assertEquals(sorted(oracle(inOrder, keys, within, last)), sorted(harness.rows(0)), within + " " + steps);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
        }
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    private static List<List<Object>> oracle(List<List<Object>> packets, Keys keys, long within, boolean last) {
        Map<Object, Integer> places = new HashMap<>();
        Map<Object, Long> since = new HashMap<>();
        List<List<Object>> rows = new ArrayList<>();
        for (List<Object> row : packets) {
            Object key = keys.isNone() ? "all" : Timed.key(row);
            Long began = since.get(key);
            if (began == null || within != NEVER && Timed.time(row) - began >= within) {
                since.put(key, Timed.time(row));
                places.put(key, rows.size());
                rows.add(row);
            } else if (last) {
                rows.set(places.get(key), row);
            }
        }
        return rows;
    }

    @Test
    void withoutEventTimeTheFirstToArriveIsKept() throws Exception {
        try (OperatorHarness harness = harness(false, Timed.BY_K, NEVER, false).open()) {
            harness.feedRow(0, 9L, 0, "a", 1L).feedRow(0, 3L, 0, "a", 2L).feedRow(0, 3L, 0, null, 3L).feedRow(0, 1L, 0, null, 4L);
            assertEquals(List.of(1L, 3L), harness.rows(0).stream().map(row -> row.get(3)).toList());
        }
    }

    @Test
    void aFirstLeavesWhenTheWatermarkHasPassedIt() throws Exception {
        try (OperatorHarness harness = harness(true, Timed.BY_K, 10, false).open()) {
            harness.feedRow(0, 5L, 0, "a", 1L).watermark(5);
            assertEquals(0, harness.rows(0).size());
            harness.watermark(6);
            assertEquals(1, harness.rows(0).size());
        }
    }

    @Test
    void aLastLeavesWhenNoOtherCanCome() throws Exception {
        try (OperatorHarness harness = harness(true, Timed.BY_K, 10, true).open()) {
            harness.feedRow(0, 5L, 0, "a", 1L).feedRow(0, 14L, 0, "a", 2L).watermark(14);
            assertEquals(0, harness.rows(0).size());
            harness.feedRow(0, 14L, 1, "a", 3L).watermark(15);
            assertEquals(List.of(3L), harness.rows(0).stream().map(row -> row.get(3)).toList());
        }
    }

    @Test
    void keysWhoseTimeHasPassedAreForgotten() throws Exception {
        for (boolean last : new boolean[] {false, true}) {
            try (OperatorHarness harness = harness(true, Timed.BY_K, 10, last).open()) {
                for (long v = 0; v < 2000; v++) {
                    harness.feedRow(0, v, null, "key " + v, v);
                }
                harness.watermark(2000);
                long held = harness.stateBytes;
                for (long v = 2000; v < 20000; v++) {
                    harness.feedRow(0, v, null, "key " + v, v).watermark(v);
                }
                long later = harness.stateBytes;
                assertTrue(later <= held, () -> held + " bytes have become " + later);
            }
        }
    }

    @Test
    void timesAtTheirEndsDoNotWrap() throws Exception {
        try (OperatorHarness harness = harness(true, Timed.BY_K, 10, false).open()) {
            harness.feedRow(0, Long.MIN_VALUE, 0, "a", 1L).feedRow(0, Long.MAX_VALUE - 2, 0, "a", 2L)
                    .feedRow(0, Long.MAX_VALUE - 1, 0, "a", 3L).end();
            assertEquals(List.of(1L, 2L), harness.rows(0).stream().map(row -> row.get(3)).toList());
        }
    }

    @Property(tries = 200)
    void approximatelyNoDuplicateLeavesAndWithBitsEnoughAllOthersDo(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long within = random.nextBoolean() ? NEVER : 7 * (1 + random.nextInt(4));
        KeyFilter.Options options = new KeyFilter.Options(100, 40, within);
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(OperatorHarness
                .of(() -> new ApproximateDeduplicate(Timed.ORDER, Timed.BY_K, options))
                .inputs(Timed.SCHEMA).outputs(Timed.SCHEMA, Timed.SCHEMA), random).open()) {
            Timed.play(harness, steps, random);
            List<List<Object>> inOrder = new ArrayList<>(Timed.packets(steps, 0, false));
            inOrder.sort(Timed.IN_ORDER);
            List<List<Object>> rows = harness.rows(0);
            Map<Object, Long> since = new HashMap<>();
            int next = 0;
            for (List<Object> row : inOrder) {
                Long began = since.get(Timed.key(row));
                boolean left = next < rows.size() && rows.get(next).equals(row);
                if (began == null || within != NEVER && Timed.time(row) - began >= within + within / 7) {
                    assertTrue(left, () -> "dropped " + row);
                } else if (within == NEVER || Timed.time(row) - began < within) {
                    assertFalse(left, () -> "left " + row);
                }
                if (left) {
                    since.put(Timed.key(row), Timed.time(row));
                    next++;
                }
            }
            assertEquals(rows.size(), next);
            assertEquals(Timed.packets(steps, 0, true), harness.rows(1));
        }
    }

    @Test
    void approximatelyWithoutEventTimeTheFirstToArriveIsKept() throws Exception {
        KeyFilter.Options options = new KeyFilter.Options(100, 40, NEVER);
        try (OperatorHarness harness = OperatorHarness.of(() -> new ApproximateDeduplicate(null, Timed.BY_K, options))
                .inputs(Timed.SCHEMA).outputs(Timed.SCHEMA, Timed.SCHEMA).open()) {
            harness.feedRow(0, 9L, 0, "a", 1L).feedRow(0, 3L, 0, "a", 2L).feedRow(0, 3L, 0, null, 3L).feedRow(0, 1L, 0, null, 4L);
            assertEquals(List.of(1L, 3L), harness.rows(0).stream().map(row -> row.get(3)).toList());
        }
    }
}
