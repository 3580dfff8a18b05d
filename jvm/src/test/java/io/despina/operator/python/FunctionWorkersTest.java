package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.OpeningException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.StandInProcess;
import io.despina.python.WorkerEvent;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several workers of one operator, a spare and their memory. Each answers by ten times the number when the test says so. */
class FunctionWorkersTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Schema TENS = Schema.of(new Column("tens", Simple.BIGINT, false));
    private static final long MIB = 1 << 20;
    private static final long OPEN_MS = 3_000;
    private static final long MEMORY = 100 * MIB;
    /** In microseconds, longer than between two looks at the memory. */
    private static final long LATER = 250_000;

    private final List<Fake> workers = new ArrayList<>();
    /** Whether those that are started open the function at once. */
    private boolean opens = true;
    /** Whether none can be started. */
    private boolean missing;
    /** The spare that is being started, where the test says when it is. */
    private CompletableFuture<FunctionProcess> beside;

    private final class Fake extends StandInProcess {
        private final Deque<List<Long>> batches = new ArrayDeque<>();
        private final Deque<Long> numbers = new ArrayDeque<>();
        private int answered;
        private boolean closed;
        private boolean gone;
        private boolean stays;
        private boolean opened;

        Fake(Waker waker) {
            super(waker);
            workers.add(this);
            if (opens) {
                sayOpened();
            }
        }

        void sayOpened() {
            opened = true;
            say(new WorkerEvent.Opened(List.of("n")));
        }

        @Override
        public void send(long number, byte[] message) {
            batches.add(Batches.decode(IN, message).stream().map(row -> (Long) row.get(0)).toList());
            numbers.add(number);
        }

        void answer() {
            List<List<Object>> rows = batches.remove().stream().map(n -> Rows.row(10 * n)).toList();
            say(new WorkerEvent.Rows(numbers.remove(), Batches.encode(TENS, rows), true));
            answered++;
        }

        void die() {
            gone = true;
            batches.clear();
            say(new WorkerEvent.Gone("was killed by signal 9"));
        }

        @Override
        public void kill(String why) {
            gone = true;
            batches.clear();
            super.kill(why);
        }

        @Override
        public void close() throws IOException {
            super.close();
            closed = true;
            if (stays) {
                throw new IOException("its folder cannot be removed");
            }
        }
    }

    /** All on the thread of the test. */
    private final class Starting implements FunctionStarting {
        @Override
        public FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) {
            if (missing) {
                throw new OpeningException("there is no Python", null);
            }
            return new Fake(waker);
        }

        @Override
        public CompletableFuture<FunctionProcess> startBeside(FunctionSpec function, Consumer<String> log, Waker waker) {
            return beside == null ? CompletableFuture.completedFuture(start(function, log, waker)) : beside;
        }
    }

    private OperatorHarness open(int count, boolean spare, long memory) throws Exception {
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function(),
                new BatchLimits(4, 1 << 20, BatchLimits.AT_ONCE, count),
                new FunctionUpkeep(new Starting(), OPEN_MS, 1_000, spare, memory)))).inputs(IN)
                .outputs(IN.plus(TENS)).room(1 << 12, 4).skippingBadRecords().open();
    }

    private static FunctionSpec function() {
        return FunctionSpec.of("mine:f", "row", List.of(), new FunctionSpec.Calls(true, true, 1, Map.of()), IN, TENS);
    }

    private static List<List<Object>> rows(long... numbers) {
        return LongStream.of(numbers).mapToObj(Rows::row).toList();
    }

    private static List<List<Object>> added(int from, int to) {
        return LongStream.range(from, to).mapToObj(n -> Rows.row(n, 10 * n)).toList();
    }

    private static void ring(OperatorHarness harness) throws Exception {
        while (!harness.operator().timer(harness.now / 1_000)) {
            harness.release();
        }
        harness.release();
    }

    /** All that live answer what they have, until nothing is left. */
    private void answerAll(OperatorHarness harness) throws Exception {
        for (boolean more = true; more;) {
            more = false;
            for (Fake each : List.copyOf(workers)) {
                while (!each.batches.isEmpty()) {
                    each.answer();
                    more = true;
                }
            }
            ring(harness);
        }
    }

    @Test
    void batchesGoToThoseThatAreFreeAndRowsKeepTheirOrder() throws Exception {
        try (OperatorHarness harness = open(3, false, FunctionUpkeep.ANY)) {
            assertEquals(3, workers.size());
            for (int n = 0; n < 12; n++) {
                harness.feed(0, rows(n));
            }
            assertEquals(List.of(2, 2, 2), workers.stream().map(each -> each.batches.size()).toList());
            workers.get(2).answer();
            workers.get(1).answer();
            ring(harness);
            assertEquals(List.of(), harness.rows(0));
            workers.get(0).answer();
            ring(harness);
            assertEquals(added(0, 3), harness.rows(0));
            answerAll(harness);
            assertEquals(added(0, 12), harness.rows(0));
        }
    }

    @Test
    void theLongestTimesAreNotOverAtOnce() throws Exception {
        long most = Long.MAX_VALUE / 1_000_000;
        try (OperatorHarness harness = OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function(),
                new BatchLimits(4, 1 << 20, BatchLimits.AT_ONCE, 1), new FunctionUpkeep(new Starting(), most)))).inputs(IN)
                .outputs(IN.plus(TENS)).room(1 << 12, 4).open()) {
            harness.passTo(LATER);
            opens = false;
            workers.get(0).die();
            ring(harness);
            harness.passTo(2 * LATER);
            ring(harness);
            assertEquals(1, living().size());
            living().get(0).sayOpened();
            harness.feed(0, rows(1));
            harness.passTo(3 * LATER);
            ring(harness);
            answerAll(harness);
            assertEquals(added(1, 2), harness.rows(0));
            assertEquals(2, workers.size());
        }
    }

    @Test
    void moreIsHeldForMoreWorkers() throws Exception {
        try (OperatorHarness harness = open(2, false, FunctionUpkeep.ANY)) {
            for (int n = 0; n < 19; n++) {
                harness.feed(0, rows(n));
            }
            assertFalse(harness.operator().waits());
            harness.feed(0, rows(19));
            assertTrue(harness.operator().waits());
            answerAll(harness);
            assertEquals(added(0, 20), harness.rows(0));
        }
    }

    /** Whatever dies, and in whatever order the others answer, also what has gone to another already. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void workersThatDieLoseNothingAndNoAnswerComesTwice(int count) throws Exception {
        for (int seed = 0; seed < 40; seed++) {
            workers.clear();
            Random random = new Random(seed);
            boolean spare = random.nextBoolean();
            int deaths = 0;
            try (OperatorHarness harness = open(count, spare, FunctionUpkeep.ANY)) {
                for (int n = 0; n < 100; n++) {
                    harness.feed(0, rows(n));
                    Fake one = workers.get(random.nextInt(workers.size()));
                    int what = random.nextInt(12);
                    if (what < 6 && !one.batches.isEmpty()) {
                        one.answer();
                    } else if (what == 6 && n % 9 == 0 && !one.gone && !one.closed) {
                        one.die();
                        deaths++;
                    } else if (what == 7) {
                        harness.restart();
                    } else if (what == 8) {
                        answerAll(harness);
                    }
                    ring(harness);
                    if (harness.operator().waits()) {
                        answerAll(harness);
                    }
                }
                answerAll(harness);
                assertEquals(added(0, 100), harness.rows(0), "seed " + seed + ", deaths " + deaths);
                assertEquals(List.of(), harness.badRecords);
            }
            assertTrue(workers.stream().allMatch(each -> each.closed), "seed " + seed);
        }
    }

    private List<Fake> living() {
        return workers.stream().filter(each -> !each.gone && !each.closed).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void allMayDieAtOnceHoweverOften(int count) throws Exception {
        try (OperatorHarness harness = open(count, false, FunctionUpkeep.ANY)) {
            for (int round = 0; round < 4; round++) {
                living().forEach(Fake::die);
                ring(harness);
                assertEquals(count, living().size());
            }
            for (int n = 0; n < 2 * count; n++) {
                harness.feed(0, rows(n));
            }
            living().forEach(Fake::die);
            ring(harness);
            living().forEach(Fake::die);
            ring(harness);
            answerAll(harness);
            assertEquals(added(0, 2 * count), harness.rows(0));
            assertEquals(List.of(), harness.badRecords);
        }
    }

    /** They die at once, and that is heard of one after the other, while a row goes from one to the next. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void aRowIsNotToBlameForThoseThatDieBesideOthers(int count) throws Exception {
        for (int idle : new int[] {0, 2}) {
            workers.clear();
            try (OperatorHarness harness = open(count, false, FunctionUpkeep.ANY)) {
                List<Fake> all = List.copyOf(workers);
                for (Fake each : all.subList(count - idle, count)) {
                    each.die();
                    ring(harness);
                }
                harness.feed(0, rows(1));
                List<Fake> old = all.subList(0, count - idle);
                for (int k = 0; k < old.size(); k++) {
                    old.stream().filter(each -> !each.gone && !each.batches.isEmpty()).findFirst()
                            .or(() -> old.stream().filter(each -> !each.gone).findFirst()).orElseThrow().die();
                    ring(harness);
                }
                living().stream().filter(each -> !each.batches.isEmpty()).findFirst().orElseThrow().die();
                ring(harness);
                answerAll(harness);
                assertEquals(added(1, 2), harness.rows(0));
                assertEquals(List.of(), harness.badRecords);
            }
        }
    }

    /** @param late whether those that take others' places open when all are idle */
    @ParameterizedTest
    @CsvSource({"1, true", "1, false", "4, true", "4, false", "8, true", "8, false"})
    void aRowThatKillsWhateverItGoesToIsABadRecordSoon(int count, boolean late) throws Exception {
        try (OperatorHarness harness = open(count, false, FunctionUpkeep.ANY)) {
            opens = !late;
            harness.feed(0, rows(1));
            int kills = 0;
            while (harness.badRecords.isEmpty()) {
                Fake one = living().stream().filter(each -> !each.batches.isEmpty()).findFirst().orElse(null);
                if (one == null) {
                    living().stream().filter(each -> !each.opened).forEach(Fake::sayOpened);
                } else {
                    one.die();
                    kills++;
                }
                ring(harness);
            }
            assertEquals(late && count > 1 ? 4 : 3, kills);
            living().stream().filter(each -> !each.opened).forEach(Fake::sayOpened);
            harness.feed(0, rows(2));
            answerAll(harness);
            assertEquals(added(2, 3), harness.rows(0));
        }
    }

    @Test
    void thoseThatDoNotComeUpFailTheJobAtTheThirdInOnePlace() throws Exception {
        try (OperatorHarness harness = open(4, false, FunctionUpkeep.ANY)) {
            opens = false;
            for (int round = 0; round < 3; round++) {
                living().forEach(Fake::die);
                ring(harness);
            }
            living().get(0).die();
            assertEquals("the worker of `mine:f` was killed by signal 9",
                    assertThrows(IllegalStateException.class, () -> ring(harness)).getMessage());
        }
    }

    @Test
    void oneThatHangsInWhatNobodyWantsIsEnded() throws Exception {
        try (OperatorHarness harness = open(2, false, FunctionUpkeep.ANY)) {
            harness.feed(0, rows(0)).feed(0, rows(1));
            workers.get(0).die();
            ring(harness);
            harness.passTo(500_000);
            workers.get(2).answer();
            ring(harness);
            workers.get(2).answer();
            ring(harness);
            assertEquals(added(0, 2), harness.rows(0));
            harness.passTo(999_000);
            assertFalse(workers.get(1).gone);
            harness.passTo(1_001_000);
            assertTrue(workers.get(1).gone);
            ring(harness);
            assertEquals(2, living().size());
            assertEquals("the worker of `mine:f` did not answer within timeout_ms=1000; another takes its place",
                    harness.warnings.get(1));
        }
    }

    @Test
    void theTimeToOpenIsNotThatForABatch() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            harness.feed(0, rows(0));
            opens = false;
            workers.get(0).die();
            ring(harness);
            harness.passTo(2_999_000);
            assertFalse(workers.get(1).gone);
            harness.passTo(3_001_000);
            assertTrue(workers.get(1).gone);
            assertEquals("the worker of `mine:f` did not import and open it within open_timeout_ms=3000",
                    assertThrows(IllegalStateException.class, () -> ring(harness)).getMessage());
        }
    }

    @Test
    void allAreClosedAlsoWhenOneCannotBeStartedOrClosed() throws Exception {
        FunctionStarting failing = (spec, log, waker) -> {
            if (workers.size() == 3) {
                throw new IOException("no more processes");
            }
            return new Fake(waker);
        };
        PythonOperator operator = new PythonOperator(new PythonOperator.Options(function(),
                new BatchLimits(4, 1 << 20, BatchLimits.AT_ONCE, 4), new FunctionUpkeep(failing, 1_000)));
        assertEquals("no more processes", assertThrows(IOException.class, () -> OperatorHarness.of(() -> operator).inputs(IN)
                .outputs(IN.plus(TENS)).open()).getMessage());
        workers.get(0).stays = true;
        assertEquals("its folder cannot be removed", assertThrows(IOException.class, operator::close).getMessage());
        assertEquals(List.of(true, true, true), workers.stream().map(each -> each.closed).toList());
    }

    @Test
    void aSpareThatIsOpenTakesOverAtOnce() throws Exception {
        try (OperatorHarness harness = open(1, true, FunctionUpkeep.ANY)) {
            ring(harness);
            assertEquals(2, workers.size());
            opens = false;
            harness.feed(0, rows(1, 2));
            assertEquals(1, workers.get(0).batches.size());
            workers.get(0).die();
            ring(harness);
            assertEquals(3, workers.size(), "another spare is started");
            answerAll(harness);
            assertEquals(added(1, 3), harness.rows(0));
            assertEquals(2, workers.get(1).answered, "the rows of the batch, one by one");
            workers.get(1).die();
            ring(harness);
            harness.feed(0, rows(3));
            assertEquals(3, workers.size(), "the spare is about to open");
            workers.get(2).sayOpened();
            opens = true;
            ring(harness);
            answerAll(harness);
            assertEquals(added(1, 4), harness.rows(0));
            assertEquals(4, workers.size());
        }
    }

    @Test
    void aSpareThatCannotLiveIsToldAndNotStartedAgain() throws Exception {
        try (OperatorHarness harness = open(1, true, FunctionUpkeep.ANY)) {
            ring(harness);
            workers.get(1).die();
            ring(harness);
            harness.feed(0, rows(1));
            answerAll(harness);
            assertEquals(2, workers.size());
            assertTrue(workers.get(1).closed);
            assertEquals(List.of("the spare worker of `mine:f` is no more: was killed by signal 9"), harness.warnings);
        }
    }

    @Test
    void aSpareThatIsBeingStartedIsNotWaitedFor() throws Exception {
        beside = new CompletableFuture<>();
        Fake late;
        try (OperatorHarness harness = open(1, true, FunctionUpkeep.ANY)) {
            harness.feed(0, rows(1));
            workers.get(0).die();
            ring(harness);
            assertEquals(2, workers.size());
            answerAll(harness);
            assertEquals(added(1, 2), harness.rows(0));
            late = new Fake(() -> { });
            beside.complete(late);
            beside = new CompletableFuture<>();
            ring(harness);
            harness.feed(0, rows(2));
            workers.get(1).die();
            ring(harness);
            assertEquals(1, late.batches.size());
            answerAll(harness);
            assertEquals(added(1, 3), harness.rows(0));
        }
        Fake unused = new Fake(() -> { });
        beside.complete(unused);
        assertTrue(unused.closed, "it came up when the job had ended");
        assertTrue(late.closed);
    }

    /** What never opens ends a job at once; this may be there again in its next attempt. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatHasOpenedOnceAndDoesNotAnyMoreFailsTheOperatorAsAnythingElse(boolean isThere) throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            harness.feed(0, rows(1));
            opens = false;
            missing = !isThere;
            workers.get(0).die();
            if (isThere) {
                ring(harness);
                workers.get(1).say(new WorkerEvent.Refused("module `mine` cannot be imported"));
            }
            assertEquals(isThere ? "module `mine` cannot be imported" : "there is no Python",
                    assertThrows(IllegalStateException.class, () -> ring(harness)).getMessage());
        }
    }

    @Test
    void aSpareThatCannotBeStartedIsTold() throws Exception {
        beside = CompletableFuture.failedFuture(new IllegalStateException("no such file"));
        try (OperatorHarness harness = open(1, true, FunctionUpkeep.ANY)) {
            ring(harness);
            assertEquals(List.of("the spare worker of `mine:f` is no more: no such file"), harness.warnings);
        }
    }

    @Test
    void oneThatUsesTooMuchMemoryIsReplacedBetweenTwoBatches() throws Exception {
        try (OperatorHarness harness = open(1, false, MEMORY)) {
            harness.feed(0, rows(0)).feed(0, rows(1));
            workers.get(0).memory = 110 * MIB;
            harness.passTo(LATER);
            harness.feed(0, rows(2));
            assertEquals(1, workers.size(), "it has batches");
            workers.get(0).answer();
            ring(harness);
            assertEquals(1, workers.get(0).batches.size(), "and gets no more");
            workers.get(0).answer();
            ring(harness);
            assertEquals(2, workers.size());
            assertTrue(workers.get(0).closed);
            answerAll(harness);
            assertEquals(added(0, 3), harness.rows(0));
            assertEquals(Map.of("memory_restarts", 1L), harness.counts);
            assertEquals(List.of("a worker of `mine:f` uses 110 MiB, more than memory_bytes=104857600 (100 MiB); another takes "
                    + "its place between two batches"), harness.warnings);
        }
    }

    @Test
    void oneThatHasWorkThatNobodyWantsIsNotOneThatHasJustOpened() throws Exception {
        try (OperatorHarness harness = open(2, false, MEMORY)) {
            harness.feed(0, rows(0)).feed(0, rows(1));
            workers.get(0).die();
            ring(harness);
            workers.get(1).memory = 110 * MIB;
            harness.passTo(LATER);
            ring(harness);
            answerAll(harness);
            assertTrue(workers.get(1).closed, "another took its place when it had answered");
            assertEquals(added(0, 2), harness.rows(0));
            assertEquals(Map.of("memory_restarts", 1L), harness.counts);
        }
    }

    @Test
    void oneThatUsesAQuarterMoreIsKilledAndItsRowsGoAgain() throws Exception {
        try (OperatorHarness harness = open(1, false, MEMORY)) {
            harness.feed(0, rows(0)).feed(0, rows(1));
            workers.get(0).memory = 126 * MIB;
            harness.passTo(LATER);
            ring(harness);
            assertEquals(2, workers.size());
            answerAll(harness);
            assertEquals(added(0, 2), harness.rows(0));
            assertEquals(Map.of("memory_kills", 1L), harness.counts);
            assertEquals(List.of("the worker of `mine:f` uses 126 MiB, more than memory_bytes=104857600 (100 MiB) by a quarter; "
                    + "another takes its place"), harness.warnings);
        }
    }

    @Test
    void oneThatUsesTooMuchFromTheStartFailsTheJob() {
        opens = false;
        IllegalStateException failed = assertThrows(IllegalStateException.class, () -> {
            OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function(), new BatchLimits(4, 1 << 20),
                    new FunctionUpkeep((spec, log, waker) -> {
                        Fake fake = new Fake(waker);
                        fake.memory = 101 * MIB;
                        fake.sayOpened();
                        return fake;
                    }, OPEN_MS, 1_000, false, MEMORY)))).inputs(IN).outputs(IN.plus(TENS)).open();
        });
        assertEquals("a worker of `mine:f` uses 101 MiB, more than memory_bytes=104857600 (100 MiB) when it has opened the "
                + "function: let memory_bytes be greater than what it needs for that", failed.getMessage());
    }
}
