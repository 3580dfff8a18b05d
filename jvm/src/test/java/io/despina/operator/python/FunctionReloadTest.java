package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.FunctionSpec;
import io.despina.python.StandInProcess;
import io.despina.python.WorkerEvent;
import io.despina.spec.ControlCommand;
import io.despina.wake.Waker;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A function that is read anew: each process multiplies by what the file said when it was started. */
@Timeout(60)
class FunctionReloadTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Schema OUT = Schema.of(new Column("m", Simple.BIGINT, false));
    private static final long OPEN_MS = 1_000;
    private static final long BATCH_MS = 10;

    private final List<Fake> started = new ArrayList<>();
    private long factor = 10;
    private boolean opens = true;
    private List<String> methods = List.of();
    private long memory = -1;

    private final class Fake extends StandInProcess {
        private final long by = factor;
        private final Deque<List<Long>> batches = new ArrayDeque<>();
        private final Deque<Long> numbers = new ArrayDeque<>();
        private String killed;
        private boolean closed;

        Fake(Waker waker) {
            super(waker);
            memory = FunctionReloadTest.this.memory;
            started.add(this);
            if (opens) {
                sayOpened();
            }
        }

        void sayOpened() {
            say(new WorkerEvent.Opened(List.of("n"), methods));
        }

        @Override
        public void send(long number, byte[] message) {
            batches.add(Batches.decode(IN, message).stream().map(row -> (Long) row.get(0)).toList());
            numbers.add(number);
        }

        void answer() {
            List<List<Object>> rows = batches.remove().stream().map(n -> Rows.row(by * n)).toList();
            say(new WorkerEvent.Rows(numbers.remove(), Batches.encode(OUT, rows), true));
        }

        @Override
        public void kill(String why) {
            killed = why;
            super.kill(why);
        }

        @Override
        public void close() throws IOException {
            super.close();
            closed = true;
        }
    }

    private OperatorHarness open(int count, boolean spare, long most) throws Exception {
        FunctionSpec function = FunctionSpec.of("mine:f", "row", List.of(), new FunctionSpec.Calls(true, true, 1, Map.of()),
                IN, OUT);
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function,
                new BatchLimits(4, 1 << 20, BatchLimits.AT_ONCE, count),
                new FunctionUpkeep((of, log, waker) -> new Fake(waker), OPEN_MS, BATCH_MS, spare, most)))).inputs(IN)
                .outputs(IN.plus(OUT)).room(1 << 12, 4).skippingBadRecords().open();
    }

    private static CompletableFuture<String> tell(OperatorHarness harness, String step) throws Exception {
        return ((Commanded) harness.operator()).command(ControlCommand.RELOAD, step);
    }

    /** Of each loop: the time-out of a test interrupts its thread. */
    private static void checkTime() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("what is waited for does not come");
        }
    }

    private static void ring(OperatorHarness harness) throws Exception {
        checkTime();
        while (!harness.operator().timer(harness.now / 1_000)) {
            checkTime();
            harness.release();
        }
        harness.release();
    }

    /** The processes are started on another thread. */
    private void await(OperatorHarness harness, int processes) throws Exception {
        while (started.size() < processes) {
            checkTime();
            Thread.onSpinWait();
        }
        ring(harness);
    }

    private static void awaitDone(OperatorHarness harness, CompletableFuture<String> done) throws Exception {
        while (!done.isDone()) {
            ring(harness);
        }
    }

    private static String whyNot(CompletableFuture<String> done) {
        return assertThrows(ExecutionException.class, done::get).getCause().getMessage();
    }

    private List<Fake> living() {
        return started.stream().filter(each -> !each.closed).toList();
    }

    private static List<List<Object>> fed(long from, long to) {
        return LongStream.range(from, to).mapToObj(Rows::row).toList();
    }

    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "3, false", "3, true"})
    void theNewOnesTakeOverBehindWhatIsInFlight(int count, boolean spare) throws Exception {
        try (OperatorHarness harness = open(count, spare, FunctionUpkeep.ANY)) {
            await(harness, count + (spare ? 1 : 0));
            List<Fake> old = living();
            harness.feed(0, fed(0, 1));
            factor = 100;
            opens = false;
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            await(harness, old.size() + count);
            assertFalse(opened.isDone());
            harness.feed(0, fed(1, 2));
            List<Fake> fresh = List.copyOf(started.subList(old.size(), old.size() + count));
            assertTrue(fresh.stream().allMatch(each -> each.batches.isEmpty()), "not before all instances can");
            opens = true;
            fresh.forEach(Fake::sayOpened);
            awaitDone(harness, opened);
            CompletableFuture<String> taken = tell(harness, ControlCommand.TAKE);
            harness.feed(0, fed(2, 3));
            assertFalse(taken.isDone());
            assertTrue(fresh.stream().allMatch(each -> each.batches.isEmpty()), "rows are in flight");
            while (old.stream().anyMatch(each -> !each.batches.isEmpty())) {
                old.stream().filter(each -> !each.batches.isEmpty()).forEach(Fake::answer);
                ring(harness);
            }
            awaitDone(harness, taken);
            assertTrue(old.stream().allMatch(each -> each.closed), "the spare too");
            await(harness, 2 * old.size());
            for (Fake each : fresh) {
                while (!each.batches.isEmpty()) {
                    each.answer();
                }
            }
            ring(harness);
            assertEquals(List.of(Rows.row(0L, 0L), Rows.row(1L, 10L), Rows.row(2L, 200L)), harness.rows(0));
            assertEquals(old.size(), living().size());
            assertEquals(List.of(), harness.badRecords);
        }
        assertEquals(List.of(), living());
    }

    private void answersAsBefore(OperatorHarness harness, CompletableFuture<String> opened, String why) throws Exception {
        awaitDone(harness, opened);
        assertEquals(why, whyNot(opened));
        assertThrows(IOException.class, () -> tell(harness, ControlCommand.TAKE));
        assertEquals(1, living().size());
        harness.feed(0, fed(1, 2));
        living().get(0).answer();
        ring(harness);
        assertEquals(List.of(Rows.row(1L, 10L)), harness.rows(0));
    }

    @Test
    void oneThatCannotBeUsedLeavesTheOldOne() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            opens = false;
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            await(harness, 2);
            started.get(1).say(new WorkerEvent.Refused("ValueError: no unit (mine.py:12 in f)"));
            answersAsBefore(harness, opened, "ValueError: no unit (mine.py:12 in f)");
        }
    }

    @Test
    void oneThatEndsLeavesTheOldOne() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            opens = false;
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            await(harness, 2);
            started.get(1).say(new WorkerEvent.Gone("was killed by signal 11"));
            answersAsBefore(harness, opened, "a worker of `mine:f` was killed by signal 11");
        }
    }

    @Test
    void oneThatHangsWhileItIsImportedIsEnded() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            opens = false;
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            await(harness, 2);
            ring(harness);
            harness.passTo(2 * BATCH_MS * 1_000);
            ring(harness);
            assertNull(started.get(1).killed);
            harness.passTo(2 * OPEN_MS * 1_000);
            ring(harness);
            answersAsBefore(harness, opened, "a worker of `mine:f` did not import and open it within open_timeout_ms=1000");
            assertEquals("did not import and open it within open_timeout_ms=1000", started.get(1).killed);
        }
    }

    @Test
    void oneThatNeedsTooMuchMemoryLeavesTheOldOne() throws Exception {
        try (OperatorHarness harness = open(1, false, 1 << 20)) {
            memory = 2 << 20;
            answersAsBefore(harness, tell(harness, ControlCommand.OPEN), "a worker of `mine:f` uses 2097152 bytes when it has "
                    + "opened the function, more than memory_bytes=1048576");
        }
    }

    @Test
    void aClassThatIsToldOfEndsFromNowOnNeedsAnotherStart() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            methods = List.of("end");
            answersAsBefore(harness, tell(harness, ControlCommand.OPEN),
                    "the class of `mine:f` has `end` now: start the job again for that");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatDiesWhenAllHaveOpenedIsReplacedSinceOtherInstancesMayHaveTakenOver(boolean isTold) throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            factor = 100;
            awaitDone(harness, tell(harness, ControlCommand.OPEN));
            CompletableFuture<String> taken = isTold ? tell(harness, ControlCommand.TAKE) : null;
            opens = false;
            started.get(1).say(new WorkerEvent.Gone("was killed by signal 9"));
            taken = isTold ? taken : tell(harness, ControlCommand.TAKE);
            ring(harness);
            await(harness, 3);
            harness.feed(0, fed(1, 2));
            started.get(0).answer();
            ring(harness);
            assertEquals(List.of(Rows.row(1L, 10L)), harness.rows(0), "rows go on");
            assertFalse(taken.isDone());
            started.get(2).sayOpened();
            awaitDone(harness, taken);
            assertEquals("a new process has taken over", taken.get());
            assertEquals(List.of(started.get(2)), living());
            harness.feed(0, fed(2, 3));
            started.get(2).answer();
            ring(harness);
            assertEquals(List.of(Rows.row(1L, 10L), Rows.row(2L, 200L)), harness.rows(0));
        }
    }

    @Test
    void thoseThatDieAgainAndAgainLeaveTheOldOne() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            awaitDone(harness, tell(harness, ControlCommand.OPEN));
            opens = false;
            CompletableFuture<String> taken = tell(harness, ControlCommand.TAKE);
            for (int k = 1; k <= 4; k++) {
                assertFalse(taken.isDone());
                started.get(k).say(new WorkerEvent.Gone("was killed by signal " + k));
                ring(harness);
                await(harness, Math.min(k + 2, 5));
            }
            answersAsBefore(harness, taken, "a worker of `mine:f` was killed by signal 4");
            assertEquals(5, started.size());
        }
    }

    @Test
    void thoseThatAreNotWantedLeave() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            awaitDone(harness, tell(harness, ControlCommand.OPEN));
            CompletableFuture<String> again = tell(harness, ControlCommand.OPEN);
            assertTrue(started.get(1).closed, "another begins anew");
            awaitDone(harness, again);
            assertEquals("", tell(harness, ControlCommand.DROP).get());
            assertEquals(1, living().size());
        }
    }

    /** @param step at which the job ends */
    @ParameterizedTest
    @ValueSource(strings = {ControlCommand.OPEN, ControlCommand.TAKE})
    void theEndOfTheJobIsAnswered(String step) throws Exception {
        CompletableFuture<String> asked;
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            harness.feed(0, fed(0, 1));
            opens = step.equals(ControlCommand.TAKE);
            asked = tell(harness, ControlCommand.OPEN);
            await(harness, 2);
            if (opens) {
                awaitDone(harness, asked);
                asked = tell(harness, ControlCommand.TAKE);
            }
        }
        assertEquals("its input has ended", asked.get(), "no other instance is kept from it");
        assertEquals(List.of(), living());
    }

    /** With a state, its instance is closed only when the whole job has ended. */
    @Test
    void theEndOfTheInputIsAnswered() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            opens = false;
            CompletableFuture<String> asked = tell(harness, ControlCommand.OPEN);
            await(harness, 2);
            harness.end();
            assertEquals("its input has ended", asked.get());
            assertEquals(1, living().size());
        }
    }

    /** Whatever dies meanwhile. */
    @Test
    void anOldOneThatDiesMeanwhileLosesNothing() throws Exception {
        try (OperatorHarness harness = open(1, false, FunctionUpkeep.ANY)) {
            harness.feed(0, fed(0, 3));
            factor = 100;
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            awaitDone(harness, opened);
            CompletableFuture<String> taken = tell(harness, ControlCommand.TAKE);
            started.get(0).say(new WorkerEvent.Gone("was killed by signal 9"));
            awaitDone(harness, taken);
            Fake now = living().get(0);
            while (harness.rows(0).size() < 3) {
                ring(harness);
                if (!now.batches.isEmpty()) {
                    now.answer();
                }
            }
            assertEquals(List.of(Rows.row(0L, 0L), Rows.row(1L, 100L), Rows.row(2L, 200L)), harness.rows(0));
        }
    }
}
