package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Clocks;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class KeyedWindowsTest {
    /** Groups within keys: several share a clock. */
    private static final Keys BY_K_AND_ORD = new Keys(Schema.of(Timed.SCHEMA.column(2), new Column("ord", Simple.INT, true)),
            Timed.columns(2, 1), 256);

    @Property(tries = 300)
    void anyWindowsOfAnyClocks(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(24);
        Windows windows = new Windows(size, random.nextInt(3) == 0 ? size : 1 + random.nextInt((int) size),
                random.nextInt(41) - 20);
        boolean groupsAreKeys = random.nextBoolean();
        long delay = random.nextInt(12);
        List<Step> steps = Timed.perKey(random, delay);
        try (OperatorHarness harness = Timed.room(harness(windows, groupsAreKeys ? Timed.BY_K : BY_K_AND_ORD, delay), random)
                .open()) {
            Timed.playWhole(harness, steps, random);

            List<List<Object>> late = new ArrayList<>();
            List<List<Object>> expected = oracle(windows, groupsAreKeys, delay, steps, late);
            List<List<Object>> rows = harness.rows(0);
            assertEquals(sorted(expected), sorted(rows), windows + " " + steps);
            assertEquals(ends(expected), ends(rows), "windows of a key are not in order of their end");
            assertEquals(late, harness.rows(1));
            assertEquals(late.size(), harness.lateCount);
        }
    }

    private static OperatorHarness.Setup harness(Windows windows, Keys keys, long delay) {
        return OperatorHarness.of(() -> new KeyedWindows(0, windows, keys.with(new Clocks(Timed.BY_K, List.of(0), delay)),
                partition -> new Collected())).inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static List<List<Object>> oracle(Windows windows, boolean groupsAreKeys, long delay, List<Step> steps,
            List<List<Object>> late) {
        Map<Object, Long> watermarks = new HashMap<>();
        Map<Long, Map<Object, List<List<Object>>>> open = new TreeMap<>();
        for (Step step : steps) {
            Object key = Timed.key(step.row());
            long watermark = watermarks.getOrDefault(key, Long.MIN_VALUE);
            long time = Timed.time(step.row());
            boolean taken = false;
            for (long end = time + 1; end <= time + windows.size(); end++) {
                if (Math.floorMod(end - windows.size() - windows.offset(), windows.slide()) == 0 && end > watermark) {
                    taken = true;
                    open.computeIfAbsent(end, e -> new LinkedHashMap<>()).computeIfAbsent(groupsAreKeys ? key
                            : Arrays.asList(key, step.row().get(1)), k -> new ArrayList<>()).add(step.row());
                }
            }
            if (!taken) {
                late.add(step.row());
            }
            watermarks.put(key, Math.max(watermark, time - delay));
        }
        List<List<Object>> rows = new ArrayList<>();
        open.forEach((end, groups) -> groups.values().forEach(all -> rows.add(Rows.row(Timed.key(all.get(0)),
                end - windows.size(), end, null, (long) all.size(), all.stream().map(row -> row.get(3)).toList().toString()))));
        return rows;
    }

    /** By key, the ends of its rows as they leave. */
    private static Map<Object, List<Object>> ends(List<List<Object>> rows) {
        Map<Object, List<Object>> ends = new HashMap<>();
        rows.forEach(row -> ends.computeIfAbsent(row.get(0), k -> new ArrayList<>()).add(row.get(2)));
        return ends;
    }

    /** Panes bring a window's packets together pane by pane. */
    private static List<String> sorted(List<List<Object>> rows) {
        return rows.stream().map(row -> {
            String[] all = row.get(5).toString().replaceAll("[\\[\\] ]", "").split(",");
            Arrays.sort(all);
            return row.subList(0, 5) + Arrays.toString(all);
        }).sorted().toList();
    }

    @Test
    void aKeyThatComesBackIsOnTimeAndFiresAtOnce() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K, 2).open()) {
            harness.feed(0, List.of(row(1, "a", 1), row(500, "b", 2), row(11, "a", 3), row(12, "a", 4)));
            assertEquals(List.of(Rows.row("a", 0L, 10L, null, 1L, "[1]")), harness.rows(0));

            harness.feed(0, List.of(row(480, "b", 5), row(9, "a", 6)));
            assertEquals(List.of(row(480, "b", 5), row(9, "a", 6)), harness.rows(1));
        }
    }

    @Test
    void watermarksOfTheStreamDoNotCount() throws Exception {
        try (OperatorHarness harness = harness(Windows.tumbling(10, 0), Timed.BY_K, 0).open()) {
            harness.feed(0, List.of(row(1, "a", 1)));
            harness.tryWatermark(100);
            assertEquals(List.of(), harness.rows(0));

            harness.feed(0, List.of(row(2, "a", 2)));
            harness.tryWatermark(Long.MAX_VALUE);
            assertEquals(List.of(Rows.row("a", 0L, 10L, null, 2L, "[1, 2]")), harness.rows(0));
        }
    }

    private static List<Object> row(long time, String key, long v) {
        return Rows.row(time, null, key, v);
    }
}
