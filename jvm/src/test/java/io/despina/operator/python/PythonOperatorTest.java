package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.OpeningException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.FunctionSpec;
import io.despina.python.StandInProcess;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** With workers that answer when the test says so: each row by ten times its number, of a row that is negative an error. */
class PythonOperatorTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.BIGINT, false), new Column("text", Simple.STRING, true));
    private static final Schema TENS = Schema.of(new Column("tens", Simple.BIGINT, false));
    private static final long DEADLY = 13;

    private final List<Fake> workers = new ArrayList<>();
    private boolean deadly;
    private boolean opens = true;
    private boolean counts;
    /** What a row takes. */
    private long rowNanos;

    /** So many workers die before they have opened the function. */
    private int stillborn;

    private final class Fake extends StandInProcess {
        private final boolean adds;
        private final Deque<List<Long>> batches = new ArrayDeque<>();
        private final Deque<Long> numbers = new ArrayDeque<>();
        private final List<Integer> sizes = new ArrayList<>();
        private String killed;
        private boolean closed;

        Fake(Waker waker, boolean adds) {
            super(waker);
            this.adds = adds;
            if (stillborn-- > 0) {
                say(new WorkerEvent.Gone("was killed by signal 9"));
            } else if (opens) {
                say(new WorkerEvent.Opened(List.of("N")));
            }
            workers.add(this);
        }

        @Override
        public void send(long number, byte[] message) {
            batches.add(Batches.decode(Schema.of(IN.column(0)), message).stream().map(row -> (Long) row.get(0)).toList());
            numbers.add(number);
            sizes.add(batches.getLast().size());
        }

        /** Answers the batch that came first, in parts of so many rows; with rows of their own each comes twice. */
        void answer(int part) {
            List<Long> batch = batches.remove();
            long number = numbers.remove();
            if (deadly && batch.contains(DEADLY)) {
                say(new WorkerEvent.Gone("was killed by signal 9"));
                return;
            }
            if (counts) {
                say(new WorkerEvent.Counted(number, Map.of("rows", (long) batch.size())));
            }
            List<WorkerEvent.Error> errors = new ArrayList<>();
            List<List<Object>> rows = new ArrayList<>();
            for (int k = 0; k < batch.size(); k++) {
                if (batch.get(k) < 0) {
                    errors.add(new WorkerEvent.Error(k, "ValueError: negative"));
                } else {
                    rows.add(Rows.row(10 * batch.get(k)));
                    if (!adds) {
                        rows.add(Rows.row(10 * batch.get(k)));
                    }
                }
            }
            if (!errors.isEmpty()) {
                say(new WorkerEvent.Errors(number, errors));
            }
            int from = 0;
            for (; rows.size() - from > part; from += part) {
                say(new WorkerEvent.Rows(number, Batches.encode(TENS, rows.subList(from, from + part)), false));
            }
            say(new WorkerEvent.Rows(number, Batches.encode(TENS, rows.subList(from, rows.size())), true,
                    rowNanos * batch.size()));
        }

        @Override
        public void kill(String why) {
            killed = why;
            super.kill(why);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private OperatorHarness.Setup setup(boolean adds, boolean pure) {
        return setup(adds, pure, new BatchLimits(8, 1 << 20));
    }

    private OperatorHarness.Setup setup(boolean adds, boolean pure, BatchLimits limits) {
        FunctionSpec function = FunctionSpec.of("mine:f", "row", List.of(),
                new FunctionSpec.Calls(adds, pure, 1, Map.of()), IN, TENS);
        FunctionUpkeep upkeep = new FunctionUpkeep((spec, log, waker) -> new Fake(waker, adds), 1_000);
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function, limits, upkeep))).inputs(IN)
                .outputs(adds ? IN.plus(TENS) : TENS).room(1 << 12, 4).skippingBadRecords();
    }

    private Fake worker() {
        return workers.get(workers.size() - 1);
    }

    private static List<List<Object>> rows(long... numbers) {
        return LongStream.of(numbers).mapToObj(n -> Rows.row(n, "t" + n)).toList();
    }

    private static List<List<Object>> added(long... numbers) {
        return LongStream.of(numbers).mapToObj(n -> Rows.row(n, "t" + n, 10 * n)).toList();
    }

    /** Answers whatever is in flight, and calls the operator as the runtime does when it is woken. */
    private void answerAll(OperatorHarness harness) throws Exception {
        for (boolean more = true; more;) {
            more = !worker().batches.isEmpty();
            if (more) {
                worker().answer(3);
            }
            ring(harness);
        }
    }

    private static void ring(OperatorHarness harness) throws Exception {
        while (!harness.operator().timer(harness.now / 1_000)) {
            harness.release();
        }
        harness.release();
    }

    @Test
    void oneThatDiesBeforeItHasOpenedTheFunctionIsReplacedTwice() throws Exception {
        stillborn = 2;
        try (OperatorHarness harness = setup(true, true).open()) {
            assertEquals(3, workers.size());
            harness.feed(0, rows(1));
            answerAll(harness);
            assertEquals(added(1), harness.rows(0));
        }
        stillborn = 3;
        Exception died = assertThrows(OpeningException.class, () -> setup(true, true).open());
        assertEquals("the worker of `mine:f` was killed by signal 9", died.getMessage());
    }

    @Test
    void whatGathersWhileTheWorkerIsBusyIsTheNextBatch() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1)).feed(0, rows(2, 3)).feed(0, rows(4)).feed(0, rows(5, 6));
            assertEquals(List.of(1, 2), worker().sizes);
            answerAll(harness);
            assertEquals(List.of(1, 2, 3), worker().sizes);
            assertEquals(added(1, 2, 3, 4, 5, 6), harness.rows(0));
        }
    }

    @Test
    void errorsLeaveTheirRowsOutAndKeepTheOrder() throws Exception {
        for (boolean adds : new boolean[] {true, false}) {
            try (OperatorHarness harness = setup(adds, true).open()) {
                harness.feed(0, rows(-1, 2, 3, -4, -5)).feed(0, rows(6, -7));
                answerAll(harness);
                assertEquals(adds ? added(2, 3, 6) : List.of(Rows.row(20L), Rows.row(20L), Rows.row(30L), Rows.row(30L),
                        Rows.row(60L), Rows.row(60L)), harness.rows(0));
                assertEquals(4, harness.badRecords.size());
                assertTrue(harness.badRecords.get(0).contains("negative"), harness.badRecords.get(0));
            }
        }
    }

    /** So the latency at a sink has the time in the worker. */
    @Test
    void anAnswerIsAsOldAsThePacketsOfItsBatch() throws Exception {
        for (boolean adds : new boolean[] {true, false}) {
            try (OperatorHarness harness = setup(adds, true).open()) {
                harness.now = 10;
                harness.feed(0, rows(1));
                harness.now = 20;
                harness.feed(0, rows(2, 3));
                harness.now = 30;
                harness.feed(0, rows(4));
                harness.now = 99_000;
                answerAll(harness);
                assertEquals(adds ? List.of(10L, 20L, 20L, 30L) : List.of(10L, 10L, 20L, 20L, 20L, 20L, 30L, 30L),
                        harness.dues(0));
            }
        }
    }

    @Test
    void watermarksKeepTheirPlace() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.watermark(5).feed(0, rows(1)).watermark(7).feed(0, rows(2)).watermark(9);
            answerAll(harness);
            assertEquals(List.of(Event.watermark(5, false), Event.of(1L, "t1", 10L), Event.watermark(7, true),
                    Event.of(2L, "t2", 20L), Event.watermark(9, false)), harness.events(0));
        }
    }

    @Test
    void withRowsOfTheirOwnABatchEndsWhereTheWatermarkMoves() throws Exception {
        try (OperatorHarness harness = setup(false, true).open()) {
            harness.feed(0, rows(1)).feed(0, rows(2)).feed(0, rows(3)).watermark(7).feed(0, rows(4));
            answerAll(harness);
            assertEquals(List.of(1, 1, 1, 1), worker().sizes);
            assertEquals(List.of(Event.of(30L), Event.watermark(7, true), Event.of(40L), Event.of(40L)),
                    harness.events(0).subList(5, 9));
        }
    }

    @Test
    void itTakesNoMoreThanThreeBatches() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1, 2, 3, 4, 5, 6, 7, 8)).feed(0, rows(9, 10, 11, 12, 13, 14, 15, 16))
                    .feed(0, rows(17, 18, 19, 20, 21, 22, 23));
            assertTrue(!harness.operator().waits());
            harness.feed(0, rows(24));
            assertTrue(harness.operator().waits());
            worker().answer(100);
            assertTrue(!harness.operator().waits() || harness.rows(0).isEmpty());
            ring(harness);
            assertTrue(!harness.operator().waits());
        }
    }

    @Test
    void batchesEndByTimeOfWork() throws Exception {
        rowNanos = 15_000_000;
        try (OperatorHarness harness = setup(true, true, new BatchLimits(4_096, 1 << 20, BatchLimits.AT_ONCE, 1, true)).open()) {
            long given = 0;
            for (int k = 0; k < 100; k++) {
                while (!harness.operator().waits()) {
                    harness.feed(0, rows(given++));
                }
                worker().answer(100);
                ring(harness);
            }
            assertTrue(worker().sizes.stream().allMatch(size -> size <= 2), worker().sizes::toString);
            assertTrue(given < 130, "what waits is some batches of work too");
            rowNanos = 1_000_000;
            for (int k = 0; k < 20; k++) {
                while (!harness.operator().waits()) {
                    harness.feed(0, rows(given++));
                }
                worker().answer(100);
                ring(harness);
            }
            assertEquals(20, worker().sizes.get(worker().sizes.size() - 1), 5);
            worker().say(new WorkerEvent.Gone("was killed by signal 9"));
            ring(harness);
            assertEquals(List.of(1), worker().sizes, "of a new process nothing is known");
            answerAll(harness);
            assertEquals(added(LongStream.range(0, given).toArray()), harness.rows(0));
        }
    }

    @Test
    void aSnapshotHasWhatIsInFlight() throws Exception {
        for (boolean adds : new boolean[] {true, false}) {
            try (OperatorHarness harness = setup(adds, true).open()) {
                harness.watermark(3).feed(0, rows(1, 2)).feed(0, rows(3)).feed(0, rows(4, 5));
                worker().answer(1);
                ring(harness);
                Map<String, byte[]> snapshot = harness.snapshot();
                List<List<Object>> before = List.copyOf(harness.rows(0));
                harness.restart(snapshot);
                answerAll(harness);
                List<List<Object>> all = adds ? added(1, 2, 3, 4, 5) : List.of(Rows.row(10L), Rows.row(10L), Rows.row(20L),
                        Rows.row(20L), Rows.row(30L), Rows.row(30L), Rows.row(40L), Rows.row(40L), Rows.row(50L), Rows.row(50L));
                assertEquals(all, harness.rows(0), () -> "after " + before);
            }
        }
    }

    @Test
    void whatWasInFlightGoesToTheNextWorker() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1, 2, 3)).feed(0, rows(4));
            worker().kill("was killed by signal 9");
            ring(harness);
            assertEquals(2, workers.size());
            assertTrue(workers.get(0).closed);
            answerAll(harness);
            assertEquals(added(1, 2, 3, 4), harness.rows(0));
            assertEquals(List.of("the worker of `mine:f` was killed by signal 9; another takes its place"), harness.warnings);
        }
    }

    @Test
    void aRowThatKillsThreeWorkersIsABadRecord() throws Exception {
        deadly = true;
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(10, 11, 12, DEADLY, 14, 15)).feed(0, rows(16, 17));
            answerAll(harness);
            assertEquals(added(10, 11, 12, 14, 15, 16, 17), harness.rows(0));
            assertEquals(1, harness.badRecords.size());
            assertTrue(harness.badRecords.get(0).contains("was killed by signal 9"), harness.badRecords.get(0));
        }
    }

    @Test
    void anImpureFunctionIsNeverCalledTwice() throws Exception {
        deadly = true;
        try (OperatorHarness harness = setup(true, false).open()) {
            harness.feed(0, rows(1)).feed(0, rows(DEADLY, 2)).feed(0, rows(3));
            answerAll(harness);
            assertEquals(added(1), harness.rows(0));
            assertEquals(3, harness.badRecords.size());
            assertEquals(List.of(), worker().sizes);
            harness.feed(0, rows(4));
            answerAll(harness);
            assertEquals(added(1, 4), harness.rows(0));
        }
    }

    @Test
    void oneThatDoesNotAnswerIsKilled() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1));
            harness.passTo(999_000);
            assertEquals(null, worker().killed);
            harness.passTo(1_001_000);
            assertEquals("did not answer within timeout_ms=1000", workers.get(0).killed);
            answerAll(harness);
            assertEquals(added(1), harness.rows(0));
            assertEquals(Map.of("timeouts", 1L), harness.counts);
        }
    }

    @Test
    void oneThatTakesAnothersPlaceMustOpenInTimeToo() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1));
            opens = false;
            worker().say(new WorkerEvent.Gone("was killed by signal 9"));
            ring(harness);
            harness.passTo(999_000);
            assertEquals(null, worker().killed);
            IllegalStateException late = assertThrows(IllegalStateException.class, () -> {
                harness.passTo(1_001_000);
                ring(harness);
            });
            assertEquals("the worker of `mine:f` did not import and open it within open_timeout_ms=1000", late.getMessage());
        }
    }

    @Test
    void theTimeForABatchBeginsWhenTheOneBeforeIsAnswered() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1)).feed(0, rows(2));
            assertEquals(List.of(1, 1), worker().sizes);
            harness.passTo(900_000);
            harness.now = 900_000_000;
            worker().answer(100);
            ring(harness);
            harness.passTo(1_899_000);
            assertEquals(null, worker().killed);
            harness.passTo(1_901_000);
            assertEquals("did not answer within timeout_ms=1000", workers.get(0).killed);
        }
    }

    @Test
    void whileItsAnswerWaitsForRoomItIsNotLate() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            List<List<Object>> wide = LongStream.range(0, 8).mapToObj(n -> Rows.row(n, "x".repeat(3_000))).toList();
            harness.feed(0, wide);
            worker().answer(100);
            harness.passTo(5_000_000);
            assertEquals(null, worker().killed);
            ring(harness);
            assertEquals(8, harness.rows(0).size());
        }
    }

    @Test
    void whatItCountsCountsWithTheAnswer() throws Exception {
        counts = true;
        deadly = true;
        for (boolean adds : new boolean[] {true, false}) {
            try (OperatorHarness harness = setup(adds, true).open()) {
                harness.feed(0, rows(10, 11, -1, DEADLY, 14)).feed(0, rows(16, 17));
                assertEquals(Map.of(), harness.counts);
                answerAll(harness);
                assertEquals(Map.of("rows", 6L), harness.counts);
            }
        }
    }

    @Test
    void noBarrierPassesBetweenAPacketAndItsCount() throws Exception {
        counts = true;
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, LongStream.range(0, 8).mapToObj(n -> Rows.row(n, "x".repeat(3_000))).toList());
            worker().answer(100);
            assertTrue(!harness.operator().release());
            assertEquals(Map.of(), harness.counts);
            ring(harness);
            assertTrue(harness.operator().release());
            assertTrue(!harness.operator().waits());
            assertEquals(8, harness.rows(0).size());
            assertEquals(Map.of("rows", 8L), harness.counts);
        }
    }

    @Test
    void whatDiesBetweenTwoPartsLeavesNothingUncounted() throws Exception {
        counts = true;
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1, 2, 3));
            Fake worker = worker();
            worker.batches.clear();
            worker.say(new WorkerEvent.Counted(1, Map.of("rows", 3L)));
            worker.say(new WorkerEvent.Rows(1, Batches.encode(TENS, List.of(Rows.row(10L))), false));
            assertTrue(harness.operator().release());
            assertEquals(List.of(), harness.rows(0));
            worker.say(new WorkerEvent.Gone("was killed by signal 9"));
            ring(harness);
            answerAll(harness);
            assertEquals(added(1, 2, 3), harness.rows(0));
            assertEquals(Map.of("rows", 3L), harness.counts);
        }
    }

    private OperatorHarness.Setup fixed(int rows) {
        return setup(true, true, new BatchLimits(rows, 1 << 10, 50));
    }

    @Test
    void aBatchWaitsUntilItHasJustSoManyRows() throws Exception {
        try (OperatorHarness harness = fixed(3).open()) {
            harness.feed(0, rows(1, 2)).feed(0, rows(3, 4, 5)).feed(0, rows(6, 7));
            answerAll(harness);
            assertEquals(List.of(3, 3), worker().sizes);
            assertEquals(added(1, 2, 3, 4, 5, 6), harness.rows(0));
            harness.feed(0, rows(8, 9));
            answerAll(harness);
            assertEquals(List.of(3, 3, 3), worker().sizes);
        }
    }

    @Test
    void noPacketWaitsLongerForOthersThanItMay() throws Exception {
        try (OperatorHarness harness = fixed(3).open()) {
            harness.feed(0, rows(1));
            harness.passTo(20_000);
            harness.feed(0, rows(2));
            harness.passTo(49_999);
            assertEquals(List.of(), worker().sizes);
            harness.passTo(50_000);
            assertEquals(List.of(2), worker().sizes);
            answerAll(harness);
            harness.feed(0, rows(3));
            harness.passTo(100_000);
            assertEquals(List.of(2, 1), worker().sizes);
            answerAll(harness);
            assertEquals(added(1, 2, 3), harness.rows(0));
        }
    }

    @Test
    void atTheEndOrWithManyBytesFewerRowsGo() throws Exception {
        try (OperatorHarness harness = fixed(8).open()) {
            harness.feed(0, List.of(Rows.row(1L, "x".repeat(1_000)), Rows.row(2L, "x".repeat(100)), Rows.row(3L, "t3")));
            assertEquals(List.of(2), worker().sizes);
            assertTrue(!harness.operator().end());
            assertEquals(List.of(2, 1), worker().sizes);
            answerAll(harness);
            assertTrue(harness.operator().end());
            assertEquals(3, harness.rows(0).size());
        }
    }

    @Test
    void thoseThatWaitAreInSnapshotsAndGoWithTheNext() throws Exception {
        try (OperatorHarness harness = fixed(3).open()) {
            harness.feed(0, rows(1, 2));
            harness.restart(harness.snapshot());
            assertEquals(List.of(), worker().sizes);
            harness.feed(0, rows(3));
            answerAll(harness);
            assertEquals(List.of(3), worker().sizes);
            assertEquals(added(1, 2, 3), harness.rows(0));
        }
    }

    @Test
    void whereARowIsLookedForFewerGo() throws Exception {
        deadly = true;
        try (OperatorHarness harness = fixed(4).open()) {
            harness.feed(0, rows(10, 11, DEADLY, 14)).feed(0, rows(15, 16, 17, 18));
            answerAll(harness);
            assertEquals(added(10, 11, 14, 15, 16, 17), harness.rows(0).subList(0, 6));
            assertEquals(1, harness.badRecords.size());
        }
    }

    @Test
    void theEndWaitsForTheAnswers() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            harness.feed(0, rows(1, 2));
            assertTrue(!harness.operator().end());
            answerAll(harness);
            assertTrue(harness.operator().end());
        }
    }

    @Test
    void aFunctionThatIsRefusedFailsTheJob() {
        opens = false;
        FunctionSpec function = FunctionSpec.of("mine:f", "row", List.of(),
                new FunctionSpec.Calls(true, true, 1, Map.of()), IN, TENS);
        OpeningException refused = assertThrows(OpeningException.class, () -> OperatorHarness.of(
                () -> new PythonOperator(new PythonOperator.Options(function,
                        new BatchLimits(8, 1 << 20), new FunctionUpkeep((spec, log, waker) -> {
                    Fake fake = new Fake(waker, true);
                    fake.say(new WorkerEvent.Refused("module `mine` has no `f`"));
                    return fake;
                }, 1_000)))).inputs(IN).outputs(IN.plus(TENS)).open());
        assertEquals("module `mine` has no `f`", refused.getMessage());
    }
}
