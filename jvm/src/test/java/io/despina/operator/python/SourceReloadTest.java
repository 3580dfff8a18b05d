package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionRole;
import io.despina.python.FunctionSpec;
import io.despina.python.Request;
import io.despina.python.StandInProcess;
import io.despina.python.WorkerEvent;
import io.despina.spec.ControlCommand;
import io.despina.wake.Waker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A source that is read anew: each process brings the numbers behind a position, times what the file said at its start. */
class SourceReloadTest {
    private static final Schema ROWS = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final long MILLIS = 60_000;

    private final List<Fake> started = new ArrayList<>();
    private long factor = 1;
    private List<String> methods = List.of("position");
    /** At once, and not when the test says so. */
    private boolean seeks;

    private final class Fake extends StandInProcess implements FunctionProcess {
        private final long by = factor;
        private final CompletableFuture<Void> settled = new CompletableFuture<>();
        private long position;
        private String sought;
        private int wanted;
        private boolean closed;
        private boolean stays;

        Fake(Waker waker) {
            super(waker);
            started.add(this);
            say(new WorkerEvent.Opened(List.of(), methods));
        }

        /** Two rows, and the position behind them. */
        void bring(long number) {
            say(new WorkerEvent.Position(number, Long.toString(position + 2).getBytes(StandardCharsets.UTF_8)));
            List<List<Object>> two = List.of(Rows.row(by * position), Rows.row(by * (position + 1)));
            say(new WorkerEvent.Rows(number, Batches.encode(ROWS, two), true));
            position += 2;
        }

        @Override
        public void pull(long number) {
            wanted++;
        }

        @Override
        public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
            assertEquals(Request.SEEK, what);
            sought = new String(payload, StandardCharsets.UTF_8);
            position = Long.parseLong(sought);
            return seeks ? CompletableFuture.completedFuture(null) : settled;
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

    /** At once, also beside what runs. */
    private final class Starting implements FunctionStarting {
        @Override
        public FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) {
            return new Fake(waker);
        }

        @Override
        public CompletableFuture<FunctionProcess> startBeside(FunctionSpec function, Consumer<String> log, Waker waker) {
            return CompletableFuture.completedFuture(new Fake(waker));
        }
    }

    private OperatorHarness open() throws Exception {
        FunctionSpec function = FunctionSpec.of("mine:Log", "row", List.of(), new FunctionSpec.Calls(false, false, 1, Map.of()),
                ROWS, ROWS).as(FunctionRole.SOURCE);
        return OperatorHarness.of(() -> new PythonSource(new PythonSource.Options(function, null, MILLIS, MILLIS,
                new Starting()))).outputs(ROWS).open();
    }

    private static CompletableFuture<String> tell(OperatorHarness harness, String step) throws Exception {
        return ((Commanded) harness.operator()).command(ControlCommand.RELOAD, step);
    }

    /** A new process is open, and told to take over. */
    private CompletableFuture<String> taking(OperatorHarness harness) throws Exception {
        factor = 100;
        CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
        harness.produce();
        assertEquals("", opened.get());
        return tell(harness, ControlCommand.TAKE);
    }

    private static long held(OperatorHarness harness) throws Exception {
        long again = ((Source) harness.operator()).held(harness.now);
        harness.drain();
        return again;
    }

    private static List<List<Object>> rows(long... numbers) {
        List<List<Object>> all = new ArrayList<>();
        for (long each : numbers) {
            all.add(Rows.row(each));
        }
        return all;
    }

    private static String whyNot(CompletableFuture<String> done) {
        return assertThrows(ExecutionException.class, done::get).getCause().getMessage();
    }

    @Test
    void aNewProcessGoesOnBehindWhatHasLeft() throws Exception {
        try (OperatorHarness harness = open()) {
            Fake old = started.get(0);
            old.bring(1);
            harness.produce();
            CompletableFuture<String> taken = taking(harness);
            Fake fresh = started.get(1);
            old.bring(2);
            assertEquals(Source.WHEN_WOKEN, harness.produce());
            assertEquals("2", fresh.sought);
            assertEquals(rows(0, 1), harness.rows(0), "what the old one brings waits");
            assertTrue(harness.operator().release(), "a barrier does not");
            assertFalse(taken.isDone() || old.closed);
            int wakes = harness.wakes.get();
            fresh.settled.complete(null);
            assertTrue(harness.wakes.get() > wakes);
            harness.produce();
            assertEquals("a new process has taken over", taken.get());
            assertTrue(old.closed);
            assertEquals(2, fresh.wanted);
            fresh.bring(1);
            harness.produce();
            assertEquals(rows(0, 1, 200, 300), harness.rows(0));
            seeks = true;
            harness.restart(harness.snapshot());
            assertEquals("4", started.get(2).sought);
        }
    }

    @Test
    void itTakesOverBehindThePositionOfABatchThatHasLeftInPart() throws Exception {
        try (OperatorHarness harness = open()) {
            Fake old = started.get(0);
            old.say(new WorkerEvent.Rows(1, Batches.encode(ROWS, List.of(Rows.row(-1L))), true));
            harness.produce();
            taking(harness);
            harness.produce();
            Fake fresh = started.get(1);
            assertEquals(null, fresh.sought, "the old one's row has no position yet");
            old.bring(2);
            harness.produce();
            assertEquals("2", fresh.sought);
            assertEquals(rows(-1, 0, 1), harness.rows(0));
        }
    }

    @Test
    void oneThatIsHeldGoesOnBehindTheRestOfItsBatch() throws Exception {
        try (OperatorHarness harness = open()) {
            Fake old = started.get(0);
            old.say(new WorkerEvent.Rows(1, Batches.encode(ROWS, List.of(Rows.row(-1L))), true));
            harness.produce();
            factor = 100;
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            old.bring(2);
            assertEquals(Source.WHEN_WOKEN, held(harness));
            assertEquals("", opened.get());
            assertEquals(rows(-1), harness.rows(0));
            CompletableFuture<String> taken = tell(harness, ControlCommand.TAKE);
            held(harness);
            Fake fresh = started.get(1);
            assertEquals(rows(-1, 0, 1), harness.rows(0), "its position lies behind them");
            assertEquals("2", fresh.sought);
            fresh.settled.complete(null);
            held(harness);
            assertEquals("a new process has taken over", taken.get());
            fresh.bring(1);
            held(harness);
            assertEquals(rows(-1, 0, 1), harness.rows(0));
            harness.produce();
            assertEquals(rows(-1, 0, 1, 200, 300), harness.rows(0));
        }
    }

    @Test
    void oneThatIsHeldBetweenAPositionAndItsRowsTakesThese() throws Exception {
        try (OperatorHarness harness = open()) {
            Fake old = started.get(0);
            old.say(new WorkerEvent.Position(1, "1".getBytes(StandardCharsets.UTF_8)));
            harness.produce();
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            held(harness);
            assertEquals("", opened.get());
            tell(harness, ControlCommand.TAKE);
            assertEquals(Source.WHEN_WOKEN, held(harness));
            assertEquals(null, started.get(1).sought);
            old.say(new WorkerEvent.Rows(1, Batches.encode(ROWS, List.of(Rows.row(7L))), true));
            held(harness);
            assertEquals("1", started.get(1).sought);
            assertEquals(rows(7), harness.rows(0));
        }
    }

    @Test
    void oneThatDiesBehindItsSeekIsFollowedByOneThatSeeks() throws Exception {
        try (OperatorHarness harness = open()) {
            started.get(0).bring(1);
            harness.produce();
            CompletableFuture<String> taken = taking(harness);
            harness.produce();
            started.get(1).settled.complete(null);
            started.get(1).say(new WorkerEvent.Gone("was killed by signal 9"));
            harness.produce();
            harness.produce();
            assertFalse(taken.isDone());
            assertEquals("2", started.get(2).sought);
            started.get(2).settled.complete(null);
            harness.produce();
            assertEquals("a new process has taken over", taken.get());
        }
    }

    @Test
    void beforeTheFirstRowItBeginsAnew() throws Exception {
        try (OperatorHarness harness = open()) {
            CompletableFuture<String> taken = taking(harness);
            harness.produce();
            assertEquals("a new process has taken over", taken.get());
            assertEquals(null, started.get(1).sought);
            started.get(1).bring(1);
            harness.produce();
            assertEquals(rows(0, 100), harness.rows(0));
        }
    }

    @Test
    void oneThatCannotSeekLeavesTheOldOne() throws Exception {
        try (OperatorHarness harness = open()) {
            Fake old = started.get(0);
            old.bring(1);
            harness.produce();
            CompletableFuture<String> taken = taking(harness);
            old.bring(2);
            harness.produce();
            started.get(1).settled.completeExceptionally(new IllegalStateException("`seek` of `mine:Log`: OSError: gone"));
            harness.produce();
            assertEquals("`seek` of `mine:Log`: OSError: gone", whyNot(taken));
            assertTrue(started.get(1).closed);
            assertFalse(old.closed);
            assertEquals(rows(0, 1, 2, 3), harness.rows(0));
        }
    }

    @Test
    void oneThatIsToldToLeaveWhileItSeeksLeavesTheOldOne() throws Exception {
        try (OperatorHarness harness = open()) {
            started.get(0).bring(1);
            harness.produce();
            CompletableFuture<String> taken = taking(harness);
            harness.produce();
            tell(harness, ControlCommand.DROP).get();
            assertTrue(taken.isCompletedExceptionally() && started.get(1).closed);
            started.get(0).bring(2);
            harness.produce();
            assertEquals(rows(0, 1, 2, 3), harness.rows(0));
            started.get(1).settled.complete(null);
            harness.produce();
            assertFalse(started.get(0).closed);
        }
    }

    @Test
    void aSourceThatEndsNeedsNoOther() throws Exception {
        try (OperatorHarness harness = open()) {
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            started.get(0).say(new WorkerEvent.Ended(null));
            assertEquals(Source.ENDED, harness.produce());
            assertTrue(List.of("", "its input has ended").contains(opened.get()));
            assertTrue(started.get(1).closed);
        }
    }

    @Test
    void oneThatHasLostItsPositionLeavesTheOldOne() throws Exception {
        try (OperatorHarness harness = open()) {
            methods = List.of();
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            harness.produce();
            assertEquals("the class of `mine:Log` has no `position` any more: start the job again for that", whyNot(opened));
            assertTrue(started.get(1).closed);
        }
    }

    @Test
    void withoutAPositionItIsNotReadAnew() throws Exception {
        methods = List.of();
        try (OperatorHarness harness = open()) {
            IOException no = assertThrows(IOException.class, () -> tell(harness, ControlCommand.OPEN));
            assertEquals("`mine:Log` has no `position()` and `seek(position)`, so nobody knows where a new process would go on: "
                    + "stop the job and start it again", no.getMessage());
            assertEquals("", tell(harness, ControlCommand.DROP).get());
        }
    }

    @Test
    void theNewOneIsNotLostWhereTheOldOneCannotBeClosed() throws Exception {
        OperatorHarness harness = open();
        started.get(0).stays = true;
        taking(harness);
        assertEquals("its folder cannot be removed", assertThrows(IOException.class, harness::produce).getMessage());
        harness.close();
        assertTrue(started.get(1).closed);
    }

    @Test
    void noProcessIsLeftThatSeeksWhenItIsClosed() throws Exception {
        OperatorHarness harness = open();
        started.get(0).bring(1);
        harness.produce();
        CompletableFuture<String> taken = taking(harness);
        harness.produce();
        harness.close();
        assertTrue(started.stream().allMatch(each -> each.closed));
        assertTrue(taken.isDone());
    }
}
