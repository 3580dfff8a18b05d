package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.ArrowException;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.BatchSlots;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.Request;
import io.despina.python.SummingProcess;
import io.despina.python.WorkerEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With workers that keep sums by key, and answer when the test says so. */
class PythonStateTest {
    private static final Schema IN = Schema.of(new Column("id", Simple.BIGINT, false), new Column("k", Simple.STRING, true));
    private static final Schema KEY = Schema.of(new Column("k", Simple.STRING, true));
    private static final Keys BY_K = new Keys(KEY, Timed.columns(1), 256);
    private static final List<Object> NONE = Arrays.asList(null, null);
    private static final int BATCH = 4;

    private final List<SummingProcess> workers = new ArrayList<>();

    private static FunctionSpec function(boolean adds, boolean pure) {
        return FunctionSpec.of("mine:sum", "row", List.of(), new FunctionSpec.Calls(adds, pure, 1, Map.of()), IN,
                SummingProcess.STATE).keeping(new FunctionSpec.Kept(KEY, SummingProcess.STATE));
    }

    private OperatorHarness.Setup setup(boolean adds, boolean pure) {
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function(adds, pure),
                new BatchLimits(BATCH, 1 << 20), 1_000,
                (spec, log, waker) -> {
                    workers.add(new SummingProcess(spec, waker, false));
                    return worker();
                }, BY_K, null))).inputs(IN).outputs(adds ? IN.plus(SummingProcess.STATE) : SummingProcess.STATE).room(1 << 10, 2)
                .skippingBadRecords();
    }

    private SummingProcess worker() {
        return workers.get(workers.size() - 1);
    }

    private static List<Object> packet(long id) {
        return Rows.row(id, id % 4 == 3 ? null : "key" + id % 4);
    }

    /** What leaves for these packets, whatever happens in between. */
    private static List<List<Object>> oracle(boolean adds, long... ids) {
        Map<Object, List<Object>> states = new HashMap<>();
        List<List<Object>> rows = new ArrayList<>();
        for (long id : ids) {
            if (!SummingProcess.isRefused(id)) {
                List<Object> key = packet(id);
                List<Object> after = SummingProcess.next(states.getOrDefault(key.get(1), NONE), id);
                states.put(key.get(1), SummingProcess.clears(id) ? NONE : after);
                rows.add(adds ? Stream.concat(key.stream(), after.stream()).toList() : after);
            }
        }
        return rows;
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

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rowsGoOnFromASnapshotAfterEveryFewPackets(boolean adds) throws Exception {
        long[] ids = LongStream.range(0, 60).toArray();
        for (int every = 1; every < 8; every++) {
            List<List<Object>> left = new ArrayList<>();
            try (OperatorHarness harness = setup(adds, true).open()) {
                for (long id : ids) {
                    harness.feed(0, List.of(packet(id)));
                    if (id % 3 == 1) {
                        answer(harness);
                    }
                    if (id % every == 0) {
                        left = harness.rows(0);
                        harness.restart();
                    }
                }
                answerAll(harness);
                assertEquals(oracle(adds, ids), harness.rows(0), "every " + every + ", after " + left.size());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void workersThatDieLoseNothingAndCountNothingTwice(boolean adds) throws Exception {
        long[] ids = LongStream.range(0, 80).toArray();
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            int deaths = 0;
            int inARow = 0;         // the third would be blamed on a packet
            try (OperatorHarness harness = setup(adds, true).open()) {
                for (long id : ids) {
                    harness.feed(0, List.of(packet(id)));
                    int what = random.nextInt(10);
                    if (what < 4) {
                        inARow = worker().waiting() > 0 ? 0 : inARow;
                        answer(harness);
                    } else if (what == 4 && inARow < 2) {
                        worker().dieAnswering(random.nextInt(3 * BATCH));     // what it said whole is taken, and all else lost
                        ring(harness);
                        deaths++;
                        inARow++;
                    } else if (what == 5) {
                        harness.restart();
                    }
                    if (worker().waiting() == 2) {
                        inARow = 0;
                        answer(harness);
                    }
                }
                answerAll(harness);
                assertEquals(oracle(adds, ids), harness.rows(0), "seed " + seed);
                assertTrue(deaths > 0);
            }
        }
    }

    @Test
    void aStateGoesOnceWhileTheWorkerLives() throws Exception {
        try (OperatorHarness harness = setup(true, true).open()) {
            for (long id = 0; id < 40; id++) {
                harness.feed(0, List.of(packet(id)));
                answerAll(harness);
            }
            assertEquals(4, worker().learned);
            worker().die();
            ring(harness);
            for (long id = 40; id < 44; id++) {
                harness.feed(0, List.of(packet(id)));
                answerAll(harness);
            }
            assertEquals(4, worker().learned);
            assertEquals(oracle(true, LongStream.range(0, 44).toArray()), harness.rows(0));
        }
    }

    @Test
    void theSlotsOfAWorkerAreBounded() throws Exception {
        int keys = (1 << 14) + 5;
        try (OperatorHarness harness = setup(false, true).open()) {
            for (int round = 0; round < 2; round++) {
                for (long id = 0; id < keys; id += BATCH) {
                    harness.feed(0, LongStream.range(id, id + BATCH).mapToObj(k -> Rows.row(10L, "key" + k)).toList());
                    answerAll(harness);
                }
            }
            long fed = (keys + BATCH - 1) / BATCH * BATCH;
            assertEquals(2 * fed, worker().learned);
            assertEquals(2 * fed, harness.rows(0).size());
            assertEquals(List.of(Rows.row(10L, ",10"), Rows.row(20L, ",10,10")), harness.rows(0).stream().distinct().toList());
            assertEquals(Rows.row(20L, ",10,10"), harness.rows(0).get((int) fed));
        }
    }

    @Test
    void slotsAreEmptiedOnlyWithNothingInFlight() throws Exception {
        try (OperatorHarness harness = setup(false, true).open()) {
            for (int id = 0; id < 1 << 14; id += BATCH) {
                harness.feed(0, LongStream.range(id, id + BATCH).mapToObj(k -> Rows.row(10L, "key" + k)).toList());
                answerAll(harness);
            }
            harness.feed(0, List.of(Rows.row(15L, "key0"))).feed(0, List.of(Rows.row(30L, "new"), Rows.row(40L, "key0")));
            assertEquals(1, worker().waiting());
            answerAll(harness);
            assertEquals(List.of(Rows.row(25L, ",10,15"), Rows.row(30L, ",30"), Rows.row(65L, ",10,15,40")),
                    harness.rows(0).subList(1 << 14, (1 << 14) + 3));
            assertEquals((1 << 14) + 2, worker().learned);
        }
    }

    @Test
    void aBatchIsAsLargeAsItsStates() throws Exception {
        try (OperatorHarness harness = OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(
                function(false, true), new BatchLimits(1_000, 1 << 10), 1_000, (spec, log, waker) -> {
                    workers.add(new SummingProcess(spec, waker, false));
                    return worker();
                }, BY_K, null))).inputs(IN).outputs(SummingProcess.STATE).open()) {
            int keys = 30;
            int many = 300;
            for (int round = 0; round < many; round++) {
                harness.feed(0, IntStream.range(0, keys).mapToObj(k -> Rows.row(10L, "key" + k)).toList());
                answerAll(harness);
            }
            harness.feed(0, IntStream.range(0, keys).mapToObj(k -> Rows.row(10L, "key" + k)).toList());
            assertEquals(2, worker().waiting());
            assertTrue(answers(harness) > 10, () -> "two states of 900 bytes are more than a batch may have");
            assertEquals(Rows.row(10L * (many + 1), ",10".repeat(many + 1)), harness.rows(0).get(keys * (many + 1) - 1));
            harness.feed(0, Collections.nCopies(20, Rows.row(10L, "key1")));
            assertTrue(answers(harness) < 5, () -> "the state of one key comes back once");
            assertEquals(Rows.row(10L * (many + 21), ",10".repeat(many + 21)), harness.rows(0).get(keys * (many + 1) + 19));
        }
    }

    /** Has all batches answered, and counts them. */
    private int answers(OperatorHarness harness) throws Exception {
        int batches = 0;
        for (; worker().waiting() > 0; batches++) {
            answer(harness);
        }
        return batches;
    }

    @Test
    void anImpureFunctionsLostRowsLeaveTheState() throws Exception {
        try (OperatorHarness harness = setup(true, false).open()) {
            harness.feed(0, List.of(packet(0)));
            answerAll(harness);
            harness.feed(0, List.of(packet(8), packet(12)));
            worker().die();
            ring(harness);
            assertEquals(2, harness.badRecords.size());
            harness.feed(0, List.of(packet(16)));
            answerAll(harness);
            assertEquals(oracle(true, 0, 16), harness.rows(0));
        }
    }

    /** What a worker says wrongly of changes fails the job. */
    @Test
    void changesThatCannotBeAreRefused() throws Exception {
        List<UnaryOperator<WorkerEvent.Changes>> wrong = List.of(
                changes -> new WorkerEvent.Changes(changes.batch(), new int[] {changes.slots()[0] + 7}, changes.message()),
                changes -> new WorkerEvent.Changes(changes.batch(), new int[] {-1}, changes.message()),
                changes -> new WorkerEvent.Changes(changes.batch() + 1, changes.slots(), changes.message()),
                changes -> new WorkerEvent.Changes(changes.batch(), new int[] {0, 1}, changes.message()));
        for (UnaryOperator<WorkerEvent.Changes> change : wrong) {
            try (OperatorHarness harness = OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(
                    function(true, true), new BatchLimits(BATCH, 1 << 20), 1_000, (spec, log, waker) -> {
                        workers.add(new SummingProcess(spec, waker, false));
                        return new Lying(worker(), change);
                    }, BY_K, null))).inputs(IN).outputs(IN.plus(SummingProcess.STATE)).open()) {
                harness.feed(0, List.of(packet(0)));
                assertThrows(ArrowException.class, () -> answer(harness));
            }
        }
    }

    private record Lying(SummingProcess of, UnaryOperator<WorkerEvent.Changes> change) implements FunctionProcess {
        @Override
        public WorkerEvent poll() {
            WorkerEvent event = of.poll();
            return event instanceof WorkerEvent.Changes changes ? change.apply(changes) : event;
        }

        @Override
        public void send(long number, BatchSlots slots) {
            of.send(number, slots);
        }

        @Override
        public void send(long number, byte[] message) {
            of.send(number, message);
        }

        @Override
        public void sendAlone(long number) {
            of.sendAlone(number);
        }

        @Override
        public void sendTimers(long number, long until, int most) {
            of.sendTimers(number, until, most);
        }

        @Override
        public void sendEnds(long number) {
            of.sendEnds(number);
        }

        @Override
        public void pull(long number) {
            of.pull(number);
        }

        @Override
        public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
            return of.ask(what, epoch, payload);
        }

        @Override
        public long memoryBytes() {
            return of.memoryBytes();
        }

        @Override
        public void kill(String why) {
            of.kill(why);
        }

        @Override
        public void close() throws IOException {
            of.close();
        }
    }
}
