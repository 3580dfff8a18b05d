package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.Sink;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** With processes that write a batch when the test says so; of a negative row an error. */
class PythonSinkTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Schema NONE = Schema.of(new Column("answer", Simple.BOOLEAN, true));
    private static final List<String> EPOCHS = List.of("prepare", "commit", "abort");
    private static final long TIMEOUT_MS = 20;
    private static final long NO_TIME_OUT = 60_000;

    private final List<Fake> workers = new ArrayList<>();
    /** By all processes. */
    private final List<Object> written = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private List<String> methods = List.of();
    private boolean silent;
    /** To what was asked last. */
    private CompletableFuture<Void> answer;

    private final class Fake extends StandInProcess {
        private final Deque<byte[]> batches = new ArrayDeque<>();
        private final Deque<Long> numbers = new ArrayDeque<>();
        private final List<Request> own = new ArrayList<>();

        Fake(Waker waker) {
            super(waker);
            say(new WorkerEvent.Opened(List.of("n"), methods));
            workers.add(this);
        }

        void write() {
            List<WorkerEvent.Error> errors = new ArrayList<>();
            int row = 0;
            for (List<Object> each : Batches.decode(IN, batches.remove())) {
                if ((Long) each.get(0) < 0) {
                    errors.add(new WorkerEvent.Error(row, "ValueError: negative"));
                } else {
                    written.add(each.get(0));
                }
                row++;
            }
            long number = numbers.remove();
            if (!errors.isEmpty()) {
                say(new WorkerEvent.Errors(number, errors));
            }
            say(new WorkerEvent.Rows(number, Batches.encode(NONE, List.of()), true));
        }

        @Override
        public void send(long number, byte[] message) {
            numbers.add(number);
            batches.add(message);
        }

        @Override
        public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
            asked.add(what + " " + epoch);
            own.add(what);
            answer = silent ? new CompletableFuture<>() : CompletableFuture.completedFuture(null);
            return answer;
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
        return open(TIMEOUT_MS, 0);
    }

    /** @param attempt of a job with epochs; 0 for one without */
    private OperatorHarness open(long timeoutMillis, int attempt) throws Exception {
        FunctionSpec function = FunctionSpec.of("mine:Table", "row", List.of(), new FunctionSpec.Calls(false, false, 1, Map.of()),
                IN, NONE).as(FunctionRole.SINK);
        return OperatorHarness.of(() -> new PythonSink(new PythonOperator.Options(function,
                new BatchLimits(8, 1 << 20), new FunctionUpkeep(new Starting(), timeoutMillis)))).inputs(IN).outputs(NONE)
                .attempt(attempt).skippingBadRecords().open();
    }

    private static List<List<Object>> rows(long... numbers) {
        return LongStream.of(numbers).mapToObj(Rows::row).toList();
    }

    private Fake worker() {
        return workers.get(workers.size() - 1);
    }

    private Fake worker(int of) {
        return workers.get(of);
    }

    private void writeAll(OperatorHarness harness) throws Exception {
        while (!worker().batches.isEmpty()) {
            worker().write();
            harness.operator().timer(harness.now / 1_000);
        }
    }

    @Test
    void rowsAreWrittenInOrderAndNoneLeaves() throws Exception {
        try (OperatorHarness harness = open()) {
            harness.feed(0, rows(1, 2)).feed(0, rows(3)).feed(0, rows(4, 5, 6));
            writeAll(harness);
            assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), written);
            assertEquals(List.of(), harness.rows(0));
        }
    }

    @Test
    void aBarrierWaitsUntilAllBeforeItIsWritten() throws Exception {
        try (OperatorHarness harness = open()) {
            harness.feed(0, rows(1)).feed(0, rows(2));
            assertFalse(harness.operator().release());
            assertTrue(harness.operator().waits());
            writeAll(harness);
            assertTrue(harness.operator().release());
            assertEquals(List.of(1L, 2L), written);
        }
    }

    @Test
    void theEndWaitsToo() throws Exception {
        try (OperatorHarness harness = open()) {
            harness.feed(0, rows(1));
            assertFalse(harness.operator().end());
            writeAll(harness);
            assertTrue(harness.operator().end());
        }
    }

    @Test
    void whatItRaisesIsABadRecord() throws Exception {
        try (OperatorHarness harness = open()) {
            harness.feed(0, rows(1, -2, 3));
            writeAll(harness);
            assertEquals(List.of(1L, 3L), written);
            assertEquals(1, harness.badRecords.size());
            assertTrue(harness.badRecords.get(0).contains("negative"), harness.badRecords.get(0));
        }
    }

    @Test
    void aClassIsAskedForWhatItHasMethodsFor() throws Exception {
        try (OperatorHarness harness = open()) {
            Sink sink = (Sink) harness.operator();
            assertTrue(sink.prepare(1).isDone() && sink.commit(1).isDone());
            assertEquals(List.of(), asked);
        }
        methods = List.of("flush");
        try (OperatorHarness harness = open()) {
            Sink sink = (Sink) harness.operator();
            sink.prepare(1);
            sink.commit(1);
            assertEquals(List.of("FLUSH 1"), asked);
        }
        asked.clear();
        methods = EPOCHS;
        try (OperatorHarness harness = open()) {
            Sink sink = (Sink) harness.operator();
            sink.prepare(1);
            sink.commit(1);
            sink.abort();
            assertEquals(List.of("ABORT 0", "PREPARE 1", "COMMIT 1", "ABORT 0"), asked);
        }
    }

    @Test
    void whatWasPreparedBehindTheEpochIsDropped() throws Exception {
        methods = EPOCHS;
        try (OperatorHarness harness = open()) {
            Sink sink = (Sink) harness.operator();
            sink.prepare(4);
            Map<String, byte[]> snapshot = harness.snapshot();
            sink.prepare(5);
            asked.clear();
            harness.restart(snapshot);
            assertEquals(List.of("ABORT 4"), asked);
        }
    }

    @Test
    void oneThatDoesNotPrepareInTimeFailsTheJob() throws Exception {
        methods = List.of("flush");
        try (OperatorHarness harness = open()) {
            silent = true;
            CompletableFuture<Void> prepared = ((Sink) harness.operator()).prepare(1);
            CompletionException late = assertThrows(CompletionException.class, prepared::join);
            assertEquals("the worker of `mine:Table` did not answer `flush` within timeout_ms=20", late.getCause().getMessage());
        }
    }

    @Test
    void aProcessThatDiesLosesTheBatchInFlightAlone() throws Exception {
        try (OperatorHarness harness = open()) {
            harness.feed(0, rows(1));
            writeAll(harness);
            harness.feed(0, rows(2));
            worker().say(new WorkerEvent.Gone("was killed by signal 9"));
            harness.operator().timer(0);
            harness.feed(0, rows(3));
            writeAll(harness);
            assertEquals(List.of(1L, 3L), written);
            assertEquals(1, harness.badRecords.size());
            assertEquals(2, workers.size());
        }
    }

    @Test
    void oneThatGathersAndDiesFailsTheJob() throws Exception {
        methods = List.of("flush");
        try (OperatorHarness harness = open()) {
            harness.feed(0, rows(1));
            writeAll(harness);
            worker().say(new WorkerEvent.Gone("was killed by signal 9"));
            harness.feed(0, rows());
            IllegalStateException failed = assertThrows(IllegalStateException.class, () -> harness.operator().timer(0));
            assertEquals("the worker of `mine:Table` was killed by signal 9", failed.getMessage());
        }
    }

    @Test
    void oneThatHoldsNothingIsReadAnewBetweenTwoBatches() throws Exception {
        try (OperatorHarness harness = open()) {
            CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
            harness.feed(0, rows(1));
            assertEquals("", opened.get());
            CompletableFuture<String> taken = tell(harness, ControlCommand.TAKE);
            harness.feed(0, rows(2));
            assertTrue(workers.get(1).batches.isEmpty());
            workers.get(0).write();
            harness.operator().timer(harness.now / 1_000);
            assertEquals("a new process has taken over", taken.get());
            harness.operator().timer(harness.now / 1_000);
            writeAll(harness);
            assertEquals(List.of(1L, 2L), written);
        }
    }

    @Test
    void oneThatGathersIsReadAnewBehindAFlush() throws Exception {
        methods = List.of("flush");
        try (OperatorHarness harness = open(NO_TIME_OUT, 0)) {
            harness.feed(0, rows(1));
            CompletableFuture<String> taken = taking(harness);
            silent = true;
            assertEquals(List.of(), asked);
            worker(0).write();
            harness.operator().timer(0);
            harness.feed(0, rows(2));
            assertEquals(List.of("FLUSH 0"), asked);
            assertTrue(worker(0).batches.isEmpty() && worker(1).batches.isEmpty() && !taken.isDone());
            answer.complete(null);
            harness.operator().timer(0);
            assertEquals("a new process has taken over", taken.get());
            harness.operator().timer(0);
            writeAll(harness);
            assertEquals(List.of(1L, 2L), written);
        }
    }

    @Test
    void oneThatCannotFlushGoesOn() throws Exception {
        methods = List.of("flush");
        try (OperatorHarness harness = open(NO_TIME_OUT, 0)) {
            CompletableFuture<String> taken = taking(harness);
            silent = true;
            harness.operator().timer(0);
            answer.completeExceptionally(new IllegalStateException("`flush` of `mine:Table`: OSError: full"));
            harness.feed(0, rows(1));
            assertEquals("`flush` of `mine:Table`: OSError: full",
                    assertThrows(ExecutionException.class, taken::get).getCause().getMessage());
            worker(0).write();
            assertEquals(List.of(1L), written);
        }
    }

    @Test
    void oneThatPreparesIsReadAnewBehindAnEpoch() throws Exception {
        methods = EPOCHS;
        try (OperatorHarness harness = open(NO_TIME_OUT, 1)) {
            Sink sink = (Sink) harness.operator();
            harness.feed(0, rows(1));
            CompletableFuture<String> taken = taking(harness);
            worker(0).write();
            harness.operator().timer(0);
            harness.feed(0, rows(2));
            worker(0).write();
            harness.operator().timer(0);
            assertTrue(sink.release() && !taken.isDone(), "its process holds the rows of an epoch");
            silent = true;
            CompletableFuture<Void> prepared = sink.prepare(7);
            harness.feed(0, rows(3));
            assertTrue(worker(0).batches.isEmpty() && worker(1).batches.isEmpty() && !taken.isDone());
            assertFalse(sink.release(), "an epoch waits for its rows");
            answer.complete(null);
            assertTrue(prepared.isDone());
            harness.operator().timer(0);
            assertEquals("a new process has taken over", taken.get());
            silent = false;
            harness.operator().timer(0);
            writeAll(harness);
            assertTrue(sink.commit(7).isDone() && sink.release());
            assertEquals(List.of(1L, 2L, 3L), written);
            assertEquals(List.of("ABORT 0", "PREPARE 7", "COMMIT 7"), asked);
            assertEquals(List.of(Request.COMMIT), worker(1).own, "nothing was prepared behind that epoch");
        }
    }

    @Test
    void oneThatPreparesWaitsForAnEpochThatCommits() throws Exception {
        methods = EPOCHS;
        try (OperatorHarness harness = open(NO_TIME_OUT, 1)) {
            Sink sink = (Sink) harness.operator();
            sink.prepare(1);
            silent = true;
            sink.commit(1);
            CompletableFuture<String> taken = taking(harness);
            harness.operator().timer(0);
            assertFalse(taken.isDone());
            answer.complete(null);
            harness.operator().timer(0);
            assertEquals("a new process has taken over", taken.get());
        }
    }

    @Test
    void inAJobOfOneEpochItIsNot() throws Exception {
        methods = EPOCHS;
        try (OperatorHarness harness = open()) {
            IOException no = assertThrows(IOException.class, () -> tell(harness, ControlCommand.OPEN));
            assertEquals("`mine:Table` has `prepare`, so its process holds the rows of an epoch, and this job has one alone, "
                    + "which ends with it: stop the job and start it again, or run it with a state", no.getMessage());
            assertEquals("", tell(harness, ControlCommand.DROP).get());
            assertEquals(1, workers.size());
        }
    }

    /** A new process is open, and told to take over. */
    private static CompletableFuture<String> taking(OperatorHarness harness) throws Exception {
        CompletableFuture<String> opened = tell(harness, ControlCommand.OPEN);
        harness.operator().timer(0);
        assertEquals("", opened.get());
        return tell(harness, ControlCommand.TAKE);
    }

    private static CompletableFuture<String> tell(OperatorHarness harness, String step) throws Exception {
        return ((Commanded) harness.operator()).command(ControlCommand.RELOAD, step);
    }
}
