package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed.Step;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FiringAggregateTest {

    private static OperatorHarness.Setup harness(Window.Fired fired, Keys keys) {
        return OperatorHarness.of(() -> new FiringAggregate(0, fired, keys, partition -> new Collected(true)))
                .inputs(Timed.SCHEMA).outputs(Collected.RESULT, Timed.SCHEMA);
    }

    private static List<List<Object>> sorted(List<List<Object>> rows) {
        return rows.stream().sorted(Comparator.comparing(Object::toString)).toList();
    }

    @Property(tries = 500)
    void anyFiringOfAnyStream(@ForAll long seed) throws Exception {
        Random random = new Random(seed);
        long size = 1 + random.nextInt(25);
        Windows windows = new Windows(size, random.nextBoolean() ? size : 1 + random.nextInt((int) size),
                random.nextInt(100) - 50);
        Window.Fired fired = new Window.Fired(windows, random.nextBoolean() ? NEVER : 1 + random.nextInt(10),
                random.nextInt(3) == 0, random.nextBoolean() ? 0 : random.nextInt(20));
        Keys keys = random.nextInt(3) == 0 ? Keys.none() : Timed.BY_K;
        List<Step> steps = Timed.stream(random, 1);
        try (OperatorHarness harness = Timed.room(harness(fired, keys), random).open()) {
            Timed.playWhole(harness, steps, random);
            Oracle oracle = new Oracle(fired, keys);
            steps.forEach(oracle::take);
            oracle.watermark(Long.MAX_VALUE);
            assertEquals(sorted(oracle.rows), sorted(harness.rows(0)), () -> fired + " " + steps);
            assertEquals(oracle.late, harness.rows(1));
            assertEquals(oracle.late.size(), harness.lateCount);
        }
    }

    /** Follows the words of the reference, a list of packets for each group and window. */
    private static final class Oracle {
        private final Window.Fired fired;
        private final Keys keys;
        private final Windows windows;
        private final Map<Long, Map<Object, Group>> open = new TreeMap<>();
        private final List<List<Object>> rows = new ArrayList<>();
        private final List<List<Object>> late = new ArrayList<>();
        private long watermark = Long.MIN_VALUE;

        private static final class Group {
            private final List<Object> values = new ArrayList<>();
            private long revision;
            private boolean changed;
        }

        Oracle(Window.Fired fired, Keys keys) {
            this.fired = fired;
            this.keys = keys;
            windows = fired.windows();
        }

        void take(Step step) {
            if (step.row() == null) {
                watermark(step.watermark());
                return;
            }
            long time = Timed.time(step.row());
            boolean taken = false;
            for (long start = windows.lastStart(time); start + windows.size() > time; start -= windows.slide()) {
                long end = start + windows.size();
                if (end + fired.lateWithin() > watermark) {
                    taken = true;
                    String key = keys.isNone() ? "" : "" + Timed.key(step.row());
                    Group group = open.computeIfAbsent(start, none -> new LinkedHashMap<>())
                            .computeIfAbsent(key, none -> new Group());
                    group.values.add(step.row().get(3));
                    group.changed = true;
                    if (fired.onChange() || end <= watermark) {
                        leave(start, key, group, false);
                    }
                }
            }
            if (!taken) {
                late.add(step.row());
            }
        }

        void watermark(long grown) {
            boolean now = fired.every() != NEVER && (watermark == Long.MIN_VALUE
                    || Math.floorDiv(grown, fired.every()) > Math.floorDiv(watermark, fired.every()));
            long before = watermark;
            watermark = grown;
            for (long start : List.copyOf(open.keySet())) {
                long end = start + windows.size();
                if (end + fired.lateWithin() <= watermark) {
                    open.remove(start).forEach((key, group) -> leave(start, key, group, true));
                } else if (now || end <= watermark && end > before) {
                    open.get(start).forEach((key, group) -> {
                        if (group.changed) {
                            leave(start, key, group, false);
                        }
                    });
                }
            }
        }

        private void leave(long start, Object key, Group group, boolean last) {
            group.changed = false;
            rows.add(Rows.row(keys.isNone() || key.equals("null") ? null : key, start, start + windows.size(),
                    2 * group.revision++ + (last ? 1 : 0), (long) group.values.size(), group.values.toString()));
        }
    }

    @Test
    void aLatePacketGivesARowAtOnceAndTheLastOneComesAfterTheTime() throws Exception {
        Window.Fired fired = new Window.Fired(Windows.tumbling(10, 0), NEVER, false, 5);
        try (OperatorHarness harness = harness(fired, Keys.none()).open()) {
            harness.feedRow(0, 1L, 1, "a", 1L).watermark(10).feedRow(0, 2L, 1, "a", 2L);
            assertEquals(List.of(Rows.row(null, 0L, 10L, 0L, 1L, "[1]"), Rows.row(null, 0L, 10L, 2L, 2L, "[1, 2]")),
                    harness.rows(0));
            harness.watermark(14).feedRow(0, 3L, 1, "a", 3L).watermark(15).feedRow(0, 4L, 1, "a", 4L);
            assertEquals(Rows.row(null, 0L, 10L, 7L, 3L, "[1, 2, 3]"), harness.rows(0).get(3));
            assertEquals(4, harness.rows(0).size());
            assertEquals(1, harness.lateCount);
        }
    }

    @Test
    void windowsGiveTheirMemoryBack() throws Exception {
        Window.Fired fired = new Window.Fired(new Windows(20, 10, 0), 5, false, 10);
        try (OperatorHarness harness = harness(fired, Timed.BY_K).open()) {
            long most = 0;
            for (long t = 0; t < 20_000; t++) {
                harness.feedRow(0, t, 1, "key " + t % 7, t % 10);
                if (t % 10 == 9) {
                    harness.watermark(t);
                    most = t < 1_000 ? Math.max(most, harness.stateBytes) : most;
                }
            }
            assertTrue(harness.stateBytes <= most, harness.stateBytes + " bytes, and at first " + most);
        }
    }
}
