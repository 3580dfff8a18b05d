package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Packets in event order key by key, by an aggregate that has a row for each. */
class ClockedInputTest {
    /** Groups within keys: several share a clock. */
    private static final Keys BY_K_AND_ORD = new Keys(Schema.of(Timed.SCHEMA.column(2), Timed.SCHEMA.column(1)),
            Timed.columns(2, 1), 256);

    private static OperatorHarness.Setup harness(Keys keys, long delay) {
        return OperatorHarness.of(() -> new EachAggregate(Timed.ORDER, keys.with(new Clocks(Timed.BY_K, List.of(0), delay)),
                partition -> new Collected())).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    @Property(tries = 300)
    void anyStreamOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        boolean groupsAreKeys = random.nextBoolean();
        long delay = random.nextInt(12);
        List<Step> steps = Timed.perKey(random, delay);
        try (OperatorHarness harness = Timed.room(harness(groupsAreKeys ? Timed.BY_K : BY_K_AND_ORD, delay), random).open()) {
            Timed.playWhole(harness, steps, random);

            List<List<Object>> late = new ArrayList<>();
            Map<Object, List<List<Object>>> taken = taken(steps, delay, late);
            assertEquals(expected(taken, groupsAreKeys), byKey(harness.rows(0)), steps.toString());
            assertEquals(late, harness.rows(1));
            assertEquals(late.size(), harness.lateCount);
        }
    }

    /** The packets of each key that are not late, in event order. */
    private static Map<Object, List<List<Object>>> taken(List<Step> steps, long delay, List<List<Object>> late) {
        Map<Object, Long> watermarks = new HashMap<>();
        Map<Object, List<List<Object>>> taken = new HashMap<>();
        for (Step step : steps) {
            Object key = Timed.key(step.row());
            long watermark = watermarks.getOrDefault(key, Long.MIN_VALUE);
            long time = Timed.time(step.row());
            if (time < watermark) {
                late.add(step.row());
            } else {
                taken.computeIfAbsent(key, k -> new ArrayList<>()).add(step.row());
            }
            watermarks.put(key, Math.max(watermark, time - delay));
        }
        taken.values().forEach(rows -> rows.sort(Timed.IN_ORDER));
        return taken;
    }

    private static Map<Object, List<List<Object>>> expected(Map<Object, List<List<Object>>> taken, boolean groupsAreKeys) {
        Map<Object, List<List<Object>>> expected = new HashMap<>();
        Map<Object, List<Object>> groups = new HashMap<>();
        taken.forEach((key, rows) -> rows.forEach(row -> {
            List<Object> values = groups.computeIfAbsent(groupsAreKeys ? key : Arrays.asList(key, row.get(1)),
                    k -> new ArrayList<>());
            values.add(row.get(3));
            expected.computeIfAbsent(key, k -> new ArrayList<>())
                    .add(Rows.row(key, 0L, 0L, row.get(3), (long) values.size(), values.toString()));
        }));
        return expected;
    }

    private static Map<Object, List<List<Object>>> byKey(List<List<Object>> rows) {
        Map<Object, List<List<Object>>> found = new HashMap<>();
        rows.forEach(row -> found.computeIfAbsent(row.get(0), k -> new ArrayList<>()).add(row));
        return found;
    }

    @Property(tries = 300)
    void sessionsOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        Keys keys = random.nextBoolean() ? Timed.BY_K : BY_K_AND_ORD;
        long delay = random.nextInt(12);
        long gap = 1 + random.nextInt(9);
        List<Step> steps = Timed.perKey(random, delay);
        OperatorHarness.Setup setup = OperatorHarness.of(() -> new SessionAggregate(Timed.ORDER, gap,
                keys.with(new Clocks(Timed.BY_K, List.of(0), delay)), partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
        try (OperatorHarness harness = Timed.room(setup, random).open()) {
            Timed.playWhole(harness, steps, random);

            List<List<Object>> late = new ArrayList<>();
            Map<Object, List<List<Object>>> taken = taken(steps, delay, late);
            assertEquals(sorted(sessions(taken, keys == Timed.BY_K, gap)), sorted(harness.rows(0)), steps.toString());
            assertEquals(late, harness.rows(1));
            byKey(harness.rows(0)).values().forEach(rows -> assertEquals(ends(rows).stream().sorted().toList(), ends(rows)));
        }
    }

    private static List<Long> ends(List<List<Object>> rows) {
        return rows.stream().map(row -> (Long) row.get(2)).toList();
    }

    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(Object::toString).sorted().toList();
    }

    private static List<List<Object>> sessions(Map<Object, List<List<Object>>> taken, boolean groupsAreKeys, long gap) {
        Map<Object, List<List<Object>>> groups = new HashMap<>();
        taken.forEach((key, rows) -> rows.forEach(row -> groups.computeIfAbsent(groupsAreKeys ? key
                : Arrays.asList(key, row.get(1)), k -> new ArrayList<>()).add(row)));
        List<List<Object>> found = new ArrayList<>();
        for (List<List<Object>> rows : groups.values()) {
            int from = 0;
            for (int k = 1; k <= rows.size(); k++) {
                long last = Timed.time(rows.get(k - 1));
                if (k == rows.size() || Timed.time(rows.get(k)) - last >= gap) {
                    List<Object> values = rows.subList(from, k).stream().map(row -> row.get(3)).toList();
                    found.add(Rows.row(Timed.key(rows.get(from)), Timed.time(rows.get(from)), last + gap, null,
                            (long) values.size(), values.toString()));
                    from = k;
                }
            }
        }
        return found;
    }

    @Test
    void aSessionEndsByItsKeysClock() throws Exception {
        try (OperatorHarness harness = OperatorHarness.of(() -> new SessionAggregate(Timed.ORDER, 5,
                BY_K_AND_ORD.with(new Clocks(Timed.BY_K, List.of(0), 2)), partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA).open()) {
            harness.feed(0, List.of(Rows.row(10L, 1, "a", 1L), row(900, "b", 2), Rows.row(17L, 2, "a", 3L)));
            assertEquals(List.of(Rows.row("a", 10L, 15L, null, 1L, "[1]")), harness.rows(0));
        }
    }

    @Test
    void onlyTheKeyThatIsSilentEndsWhatItHasBegun() throws Exception {
        try (OperatorHarness harness = OperatorHarness.of(() -> new SessionAggregate(Timed.ORDER, 5,
                Timed.BY_K.with(new Clocks(Timed.BY_K, List.of(0), 2, 8_000)), partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA).open()) {
            harness.feed(0, List.of(row(10, "a", 1), row(900, "b", 2)));
            harness.passTo(7_000).feed(0, List.of(row(901, "b", 3)));
            assertEquals(List.of(), harness.rows(0));

            harness.passTo(8_000);
            assertEquals(List.of(Rows.row("a", 10L, 15L, null, 1L, "[1]")), harness.rows(0));

            harness.feed(0, List.of(row(14, "a", 4), row(15, "a", 5), row(902, "b", 6)));
            assertEquals(List.of(row(14, "a", 4)), harness.rows(1));

            harness.passTo(40_000);
            assertEquals(List.of(Rows.row("b", 900L, 907L, null, 3L, "[2, 3, 6]"), Rows.row("a", 15L, 20L, null, 1L, "[5]")),
                    harness.rows(0).subList(1, 3).stream().sorted(Comparator.comparing(row -> -(Long) row.get(1))).toList());
        }
    }

    @Test
    void aPacketLeavesWithItsKeysNextTime() throws Exception {
        try (OperatorHarness harness = harness(Timed.BY_K, 2).open()) {
            harness.feed(0, List.of(row(10, "a", 1), row(900, "b", 2), row(9, "a", 3), row(12, "a", 4)));
            assertEquals(List.of(Rows.row("a", 0L, 0L, 3L, 1L, "[3]")), harness.rows(0));

            harness.feed(0, List.of(row(13, "a", 5), row(10, "a", 6)));
            assertEquals(List.of(row(10, "a", 6)), harness.rows(1));
            assertEquals(Rows.row("a", 0L, 0L, 1L, 2L, "[3, 1]"), harness.rows(0).get(1));
        }
    }

    @Test
    void silentKeysHoldLittleMemory() throws Exception {
        try (OperatorHarness harness = OperatorHarness.of(() -> new TrailingCountAggregate(Timed.ORDER, 1,
                Timed.BY_K.with(new Clocks(Timed.BY_K, List.of(0), 0)), partition -> new Collected()))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA).open()) {
            for (int k = 0; k < 400; k++) {
                List<List<Object>> rows = new ArrayList<>(List.of(row(k, "silent" + k, k)));
                for (int j = 0; j < 300; j++) {
                    rows.add(row(1_000L * k + j, "busy", j));
                }
                harness.feed(0, rows);
            }
            assertTrue(harness.stateBytes < 2 << 20, "holds " + harness.stateBytes + " bytes");
            harness.end();
            assertEquals(400 * 301, harness.rows(0).size());
        }
    }

    private static List<Object> row(long time, String key, long v) {
        return Rows.row(time, null, key, v);
    }
}
