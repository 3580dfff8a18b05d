package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.operator.Source;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.FunctionRole;
import io.despina.python.FunctionSpec;
import io.despina.python.InstancePlace;
import io.despina.python.Request;
import io.despina.python.StandInProcess;
import io.despina.python.WorkerEvent;
import io.despina.spec.EventTime;
import io.despina.wake.Waker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** With a process that says what the test lets it say. */
class PythonSourceTest {
    private static final Schema ROWS = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Schema TIMES = Schema.of(new Column("ts", Simple.TIMESTAMP, false));
    private static final long OPEN_MS = 20;
    private static final long TIMEOUT_MS = 60_000;

    private final List<Fake> workers = new ArrayList<>();
    private List<String> methods = List.of();
    private boolean opens = true;
    private String cannotSeek;

    private final class Fake extends StandInProcess {
        private final Schema schema;
        private final InstancePlace place;
        private final List<Long> wanted = new ArrayList<>();
        private final List<String> asked = new ArrayList<>();
        private boolean closed;

        Fake(FunctionSpec function, Waker waker) {
            super(waker);
            schema = function.output();
            place = function.user().place();
            if (opens) {
                say(new WorkerEvent.Opened(List.of(), methods));
            }
            workers.add(this);
        }

        void bring(long number, long... values) {
            say(new WorkerEvent.Rows(number, Batches.encode(schema, rows(values)), true));
        }

        void position(long number, String json) {
            say(new WorkerEvent.Position(number, json.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public void pull(long number) {
            wanted.add(number);
        }

        @Override
        public CompletableFuture<Void> ask(Request what, long epoch, byte[] payload) {
            asked.add(what + " " + new String(payload, StandardCharsets.UTF_8));
            return cannotSeek == null ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new IllegalStateException(cannotSeek));
        }

        @Override
        public void kill(String why) {
            say(new WorkerEvent.Gone(why));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static List<List<Object>> rows(long... values) {
        return LongStream.of(values).mapToObj(Rows::row).toList();
    }

    @Test
    void whatItCountsCountsWithItsRows() throws Exception {
        try (OperatorHarness harness = setup(ROWS, null).open()) {
            Fake worker = workers.get(0);
            worker.say(new WorkerEvent.Counted(1, Map.of("made", 2L)));
            worker.bring(1, 1, 2);
            assertEquals(Map.of(), harness.counts);
            harness.produce();
            assertEquals(Map.of("made", 2L), harness.counts);
            worker.say(new WorkerEvent.Counted(0, Map.of("made", 1L, "closed", 1L)));
            worker.say(new WorkerEvent.Ended(null));
            harness.produce();
            assertEquals(Map.of("made", 3L, "closed", 1L), harness.counts);
        }
    }

    private OperatorHarness.Setup setup(Schema schema, EventTime time) {
        FunctionSpec function = FunctionSpec.of("mine:rows", "row", List.of(), new FunctionSpec.Calls(false, false, 1, Map.of()),
                schema, schema).as(FunctionRole.SOURCE);
        return OperatorHarness.of(() -> new PythonSource(new PythonSource.Options(function, time, OPEN_MS, TIMEOUT_MS,
                (spec, log, waker) -> new Fake(spec, waker)))).outputs(schema).skippingBadRecords();
    }

    private OperatorHarness.Setup setup() {
        return setup(ROWS, null);
    }

    private Fake worker() {
        return workers.get(workers.size() - 1);
    }

    @Test
    void twoBatchesAreWantedUntilOneHasLeft() throws Exception {
        try (OperatorHarness harness = setup().open()) {
            assertEquals(Source.WHEN_WOKEN, harness.produce());
            assertEquals(List.of(1L, 2L), worker().wanted);
            int wakes = harness.wakes.get();
            worker().bring(1, 1, 2, 3);
            assertTrue(harness.wakes.get() > wakes);
            assertEquals(Source.WHEN_WOKEN, harness.produce());
            assertEquals(rows(1, 2, 3), harness.rows(0));
            assertEquals(List.of(1L, 2L, 3L), worker().wanted);
        }
    }

    @Test
    void rowsThatFindNoRoomStayAndNoMoreAreWanted() throws Exception {
        try (OperatorHarness harness = setup().room(64, 1).open()) {
            harness.produce();
            worker().bring(1, LongStream.range(0, 200).toArray());
            assertTrue(harness.produce() <= harness.now);
            int first = harness.rows(0).size();
            assertTrue(first > 0 && first < 200, () -> first + " rows left at once");
            assertEquals(List.of(1L, 2L), worker().wanted);
            while (harness.produce() != Source.WHEN_WOKEN) {
                assertTrue(harness.rows(0).size() <= 200);
            }
            assertEquals(rows(LongStream.range(0, 200).toArray()), harness.rows(0));
            assertEquals(List.of(1L, 2L, 3L), worker().wanted);
        }
    }

    @Test
    void whatIsNoRowIsABadRecord() throws Exception {
        try (OperatorHarness harness = setup().open()) {
            worker().say(new WorkerEvent.Errors(1, List.of(new WorkerEvent.Error(0, "no BIGINT", "('x',)"),
                    new WorkerEvent.Error(0, "no BIGINT", "('y',)"))));
            worker().bring(1, 7);
            harness.produce();
            assertEquals(List.of("no BIGINT: ('x',)", "no BIGINT: ('y',)"), harness.badRecords);
            assertEquals(rows(7), harness.rows(0));
        }
    }

    @Test
    void badRecordsWaitForRoomToo() throws Exception {
        try (OperatorHarness harness = setup().outputs(ROWS, OperatorHarness.LETTERS).room(64, 1).writingDeadLetters().open()) {
            List<WorkerEvent.Error> many = LongStream.range(0, 100).mapToObj(k -> new WorkerEvent.Error(0, "no BIGINT", "x" + k))
                    .toList();
            worker().say(new WorkerEvent.Errors(1, many));
            worker().bring(1, 7);
            assertTrue(harness.produce() <= harness.now);
            assertTrue(harness.badRecords.size() < 100);
            while (harness.produce() != Source.WHEN_WOKEN) {
                assertTrue(harness.badRecords.size() <= 100);
            }
            assertEquals(100, harness.badRecords.size());
            assertEquals(rows(7), harness.rows(0));
        }
    }

    @Test
    void aWatermarkGoesBeforeALateRow() throws Exception {
        try (OperatorHarness harness = setup(TIMES, new EventTime(0, List.of(), 0, NEVER)).open()) {
            worker().bring(1, 10, 5);
            harness.produce();
            assertEquals(List.of(Event.of(10L), Event.watermark(10, true), Event.of(5L)), harness.events(0).subList(0, 3));
        }
    }

    @Test
    void aBarrierWaitsUntilTheRowsBeforeItHaveAPosition() throws Exception {
        methods = List.of("position");
        try (OperatorHarness harness = setup().open()) {
            worker().bring(1, 1);
            harness.produce();
            assertFalse(harness.operator().release());
            assertTrue(harness.operator().waits());
            worker().position(2, "{\"line\":2}");
            worker().bring(2, 2);
            harness.release();
            assertEquals(rows(1, 2), harness.rows(0));
            Map<String, byte[]> snapshot = harness.snapshot();
            harness.restart(snapshot);
            assertTrue(workers.get(0).closed);
            assertEquals(List.of("SEEK {\"line\":2}"), worker().asked);
        }
    }

    @Test
    void rowsBehindTheBarrierAreNotInItsPosition() throws Exception {
        methods = List.of("position");
        try (OperatorHarness harness = setup().open()) {
            worker().position(1, "1");
            worker().bring(1, 1);
            worker().position(2, "2");
            worker().bring(2, 2);
            assertTrue(harness.operator().release());
            assertEquals(List.of(), harness.rows(0));
            harness.restart(harness.snapshot());
            assertEquals(List.of(), worker().asked);
        }
    }

    @Test
    void withoutPositionABarrierPasses() throws Exception {
        try (OperatorHarness harness = setup().open()) {
            worker().bring(1, 1);
            harness.produce();
            assertTrue(harness.operator().release());
        }
    }

    @Test
    void oneThatCannotSeekFailsTheJob() throws Exception {
        methods = List.of("position");
        try (OperatorHarness harness = setup().open()) {
            worker().position(1, "1");
            worker().bring(1, 1);
            harness.produce();
            Map<String, byte[]> snapshot = harness.snapshot();
            cannotSeek = "`seek` of `mine:rows`: OSError: gone";
            IllegalStateException failed = assertThrows(IllegalStateException.class, () -> harness.restart(snapshot));
            assertEquals(cannotSeek, failed.getMessage());
            cannotSeek = null;
            methods = List.of();
            failed = assertThrows(IllegalStateException.class, () -> harness.restart(snapshot));
            assertEquals("`mine:rows` had a position, 1, and has no `seek` now", failed.getMessage());
        }
    }

    @Test
    void itEndsBehindItsLastRow() throws Exception {
        try (OperatorHarness harness = setup().open()) {
            worker().bring(1, 1);
            worker().say(new WorkerEvent.Ended(null));
            assertEquals(Source.ENDED, harness.produce());
            assertEquals(rows(1), harness.rows(0));
        }
    }

    @Test
    void whatItRaisesFailsTheJobBehindTheRowsBefore() throws Exception {
        try (OperatorHarness harness = setup().open()) {
            worker().bring(1, 1);
            worker().say(new WorkerEvent.Ended("`mine:rows`: KeyError: 'a' (mine.py:3 in rows)"));
            IllegalStateException failed = assertThrows(IllegalStateException.class, harness::produce);
            assertEquals("`mine:rows`: KeyError: 'a' (mine.py:3 in rows)", failed.getMessage());
            harness.release();
            assertEquals(rows(1), harness.rows(0));
        }
    }

    @Test
    void aProcessThatDiesFailsTheJob() throws Exception {
        try (OperatorHarness harness = setup().open()) {
            worker().say(new WorkerEvent.Gone("was killed by signal 9"));
            IllegalStateException failed = assertThrows(IllegalStateException.class, harness::produce);
            assertEquals("the worker of `mine:rows` was killed by signal 9", failed.getMessage());
        }
    }

    @Test
    void oneThatDoesNotOpenInTimeIsKilled() {
        opens = false;
        IllegalStateException failed = assertThrows(IllegalStateException.class, () -> setup().open());
        assertEquals("the worker of `mine:rows` did not import and open it within open_timeout_ms=20", failed.getMessage());
    }

    @Test
    void eachInstanceKnowsWhichItIs() throws Exception {
        try (OperatorHarness harness = setup().instance(2, 3).open()) {
            harness.produce();
            assertEquals(2, worker().place.instance());
            assertEquals(3, worker().place.instances());
        }
    }
}
