package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.window.Timed;
import io.despina.python.FunctionSpec;
import io.despina.python.TimedProcess;
import io.despina.spec.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** With workers whose keys have timers, and which answer when the test says so. */
class PythonTimersTest {
    private static final int BATCH = 4;
    private static final int SEEDS = 60;

    private final List<TimedProcess> workers = new ArrayList<>();

    private OperatorHarness.Setup setup(Clock clock, boolean atOnce) {
        return setup(clock, atOnce, new BatchLimits(BATCH, 1 << 20));
    }

    private OperatorHarness.Setup paced() {
        return setup(Clock.EVENT, true, new BatchLimits(1 << 12, 1 << 20, BatchLimits.AT_ONCE, 1, true));
    }

    private OperatorHarness.Setup setup(Clock clock, boolean atOnce, BatchLimits limits) {
        FunctionSpec function = FunctionSpec.of("mine:quiet", "row", List.of(), new FunctionSpec.Calls(false, true, 1, Map.of()),
                Timed.SCHEMA, TimedProcess.OUT).keeping(new FunctionSpec.Kept(Timed.KEY, TimedProcess.STATE).timedBy(clock));
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function, limits, 1_000,
                (spec, log, waker) -> {
                    workers.add(new TimedProcess(spec, waker, atOnce));
                    return worker();
                }, Timed.BY_K, clock == Clock.EVENT ? Timed.ORDER : null))).inputs(Timed.SCHEMA)
                .outputs(TimedProcess.OUT, Timed.SCHEMA).room(1 << 10, 2).skippingBadRecords();
    }

    private TimedProcess worker() {
        return workers.get(workers.size() - 1);
    }

    /** By key, the times and counts of its timers: all rows in event order, and before each the timers of earlier times. */
    private static Map<Object, List<List<Object>>> oracle(List<List<Object>> taken) {
        Map<Object, List<List<Object>>> rows = new HashMap<>();
        Map<Object, long[]> states = new LinkedHashMap<>();     // count and timer
        List<List<Object>> sorted = new ArrayList<>(taken);
        sorted.sort(Timed.IN_ORDER);
        for (List<Object> row : sorted) {
            long v = (Long) row.get(3);
            long[] state = states.computeIfAbsent(Timed.key(row), key -> new long[] {0, Long.MAX_VALUE});
            fire(rows, Timed.key(row), state, Timed.time(row), false);
            if (v % 5 != 4) {
                state[0]++;
                state[1] = v % 7 == 6 ? Long.MAX_VALUE : Timed.time(row) + TimedProcess.GAP;
            }
        }
        long last = sorted.isEmpty() ? Long.MIN_VALUE : Timed.time(sorted.get(sorted.size() - 1));
        states.forEach((key, state) -> fire(rows, key, state, last, false));
        states.forEach((key, state) -> fire(rows, key, state, Long.MAX_VALUE, true));
        return rows;
    }

    private static void fire(Map<Object, List<List<Object>>> rows, Object key, long[] state, long before, boolean once) {
        while (state[1] < before) {
            rows.computeIfAbsent(key, of -> new ArrayList<>()).add(Rows.row(state[1], key, state[0]));
            state[1] = state[0] == 0 || once ? Long.MAX_VALUE : state[1] + TimedProcess.GAP;
            state[0] = 0;
        }
    }

    private static Map<Object, List<List<Object>>> byKey(List<List<Object>> rows) {
        Map<Object, List<List<Object>>> found = new HashMap<>();
        rows.forEach(row -> found.computeIfAbsent(row.get(1), key -> new ArrayList<>()).add(row));
        return found;
    }

    private static void ring(OperatorHarness harness) throws Exception {
        while (!harness.operator().timer(harness.now / 1_000)) {
            harness.release();
        }
        harness.release();
    }

    private void answer(OperatorHarness harness) throws Exception {
        if (worker().waiting() > 0) {
            worker().answer();
            ring(harness);
        }
    }

    private void answerAll(OperatorHarness harness) throws Exception {
        while (worker().waiting() > 0) {
            answer(harness);
        }
    }

    private void end(OperatorHarness harness) throws Exception {
        assertTrue(harness.tryWatermark(Long.MAX_VALUE));
        for (int round = 0; !harness.operator().end(); round++) {
            assertTrue(round < 1 << 12 && worker().waiting() > 0, "it waits for nothing");
            answer(harness);
        }
        harness.release();
    }

    /** Whatever the batches, the answers, the kills and the snapshots are. */
    @Test
    void timersAreCalledBetweenRowsByEventTime() throws Exception {
        int called = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<List<Object>> taken = new ArrayList<>();
            long watermark = Long.MIN_VALUE;
            BatchLimits limits = new BatchLimits(BATCH, seed % 2 == 0 ? 1 << 20 : 20);
            try (OperatorHarness harness = setup(Clock.EVENT, false, limits).open()) {
                for (Timed.Step step : Timed.stream(random, 1)) {
                    if (step.row() == null) {
                        watermark = Math.max(watermark, step.watermark());
                        assertTrue(harness.tryWatermark(step.watermark()));
                    } else {
                        while (harness.operator().waits()) {
                            answer(harness);
                        }
                        harness.feed(0, List.of(step.row()));
                        if (Timed.time(step.row()) >= watermark) {
                            taken.add(step.row());
                        }
                    }
                    disturb(harness, random);
                }
                end(harness);
                Map<Object, List<List<Object>>> oracle = oracle(taken);
                assertEquals(oracle, byKey(harness.rows(0)), "seed " + seed);
                assertInTime(harness.events(0), seed);
                called += harness.rows(0).size();
            }
        }
        assertTrue(called > SEEDS);
    }

    private void disturb(OperatorHarness harness, Random random) throws Exception {
        int what = random.nextInt(12);
        if (what < 5) {
            answer(harness);
        } else if (what == 5 && worker().waiting() > 0) {
            worker().die();
            ring(harness);
            answer(harness);        // else the third death in a row would be blamed on a packet
        } else if (what == 6) {
            harness.restart();
        }
        if (worker().waiting() == 2) {
            answer(harness);
        }
    }

    private static void assertInTime(List<OperatorHarness.Event> events, int seed) {
        long passed = Long.MIN_VALUE;
        for (OperatorHarness.Event event : events) {
            if (event.watermark() != null) {
                passed = event.watermark();
            } else if (event.row() != null) {
                assertTrue((Long) event.row().get(0) >= passed, "seed " + seed + ": a row behind its watermark");
            }
        }
    }

    @Test
    void theWatermarkWaitsForTimers() throws Exception {
        try (OperatorHarness harness = setup(Clock.EVENT, false).open()) {
            harness.feedRow(0, 100L, 1, "a", 1L);
            assertTrue(harness.tryWatermark(105));
            answerAll(harness);
            assertEquals(List.of(OperatorHarness.Event.watermark(105, false)), harness.events(0));
            assertTrue(harness.tryWatermark(200));
            answer(harness);
            assertEquals(List.of(OperatorHarness.Event.watermark(105, false), OperatorHarness.Event.of(110L, "a", 1L),
                    OperatorHarness.Event.of(120L, "a", 0L), OperatorHarness.Event.watermark(200, false)), harness.events(0));
            assertEquals(2, worker().rung, "once beside the row, which might have set one");
            assertTrue(harness.tryWatermark(300));
            assertEquals(0, worker().waiting(), "no timer is set");
        }
    }

    @Test
    void ofMoreKeysThanAWorkerKnowsAllTimersAreCalled() throws Exception {
        int keys = (1 << 14) + (1 << 13);
        try (OperatorHarness harness = setup(Clock.EVENT, true).open()) {
            for (int k = 0; k < keys; k++) {
                harness.feedRow(0, (long) k % 3, 1, "key" + k, 1L);
            }
            assertTrue(harness.tryWatermark(5));
            harness.feedRow(0, 500L, 1, "last", 1L);
            assertTrue(harness.tryWatermark(501));
            while (!((PythonOperator) harness.operator()).isAnswered()) {
                ring(harness);
            }
            assertEquals(2 * keys, harness.rows(0).size());
            assertEquals(2 * keys, harness.rows(0).stream().distinct().count());
            assertTrue(worker().rung > 1);
        }
    }

    /** Ten seconds of work, where a second ends a process. */
    @Test
    void slowTimersGoSomeAtATimeThoughAllAreDueAtOnce() throws Exception {
        int keys = 1_000;
        try (OperatorHarness harness = paced().open()) {
            worker().timerNanos = 10_000_000;
            for (int k = 0; k < keys; k++) {
                harness.feedRow(0, 0L, 1, "key" + k, 1L);
            }
            assertTrue(harness.tryWatermark(TimedProcess.GAP + 1));
            while (!((PythonOperator) harness.operator()).isAnswered()) {
                ring(harness);
            }
            assertEquals(keys, harness.rows(0).stream().distinct().count());
            assertEquals(keys, harness.rows(0).size());
            assertTrue(worker().mostCalled <= 4, () -> worker().mostCalled + " at once");
        }
    }

    @Test
    void lightTimersBetweenRowsEndNoBatch() throws Exception {
        int rows = 2_000;
        try (OperatorHarness harness = paced().open()) {
            worker().timerNanos = 1_000;
            for (long k = 0; k < rows; k++) {
                harness.feedRow(0, 2 * k * TimedProcess.GAP, 1, "key", 1L);
            }
            assertTrue(harness.tryWatermark(2 * rows * TimedProcess.GAP));
            while (!((PythonOperator) harness.operator()).isAnswered()) {
                ring(harness);
            }
            assertEquals(rows, harness.rows(0).size());
            assertTrue(worker().answered < 30, () -> worker().answered + " batches");
        }
    }

    /** By the wall clock they go between batches, though packets never cease. */
    @Test
    void timersDoNotWaitForPacketsToCease() throws Exception {
        try (OperatorHarness harness = setup(Clock.PROCESSING, false).open()) {
            for (long k = 0; k < 40; k++) {
                while (harness.operator().waits()) {
                    answer(harness);
                }
                harness.now += 1_000_000;
                harness.feed(0, List.of(Rows.row(0L, 1, "key" + k, 1L), Rows.row(0L, 1, "key" + k, 1L)));
            }
            assertTrue(worker().waiting() > 0);
            assertTrue(harness.rows(0).size() > 20, () -> harness.rows(0).size() + " rows");
        }
    }

    @Test
    void byTheWallClockTimersAreCalledWhenItHasCome() throws Exception {
        try (OperatorHarness harness = setup(Clock.PROCESSING, true).open()) {
            harness.feedRow(0, 100L, 1, "a", 1L).feedRow(0, 100L, 1, "b", 6L);     // both at 0, by the clock of this process
            ring(harness);
            assertEquals(TimedProcess.GAP, harness.wakeAt);
            harness.restart();
            ring(harness);
            assertEquals(List.of(), harness.rows(0));
            harness.now = 15_000;
            ring(harness);
            ring(harness);
            assertEquals(List.of(Rows.row(10L, "a", 1L)), harness.rows(0));
            harness.now = 95_000;
            ring(harness);
            ring(harness);
            assertEquals(List.of(Rows.row(10L, "a", 1L), Rows.row(20L, "a", 0L)), harness.rows(0));
        }
    }
}
