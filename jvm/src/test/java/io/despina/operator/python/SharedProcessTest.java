package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.Batches;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.StandInProcess;
import io.despina.python.WorkerEvent;
import io.despina.spec.ControlCommand;
import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two operators whose functions one process calls: the first adds ten times a number, an error where that is negative; the second
 * one more than that, an error for {@link #BAD}. Each function counts its rows.
 */
class SharedProcessTest {
    private static final Schema IN = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Schema TENS = Schema.of(new Column("tens", Simple.BIGINT, false));
    private static final Schema NEXT = Schema.of(new Column("next", Simple.BIGINT, false));
    private static final long BAD = 40;
    private static final BatchLimits LIMITS = new BatchLimits(8, 1 << 20);

    private final List<Fake> processes = new ArrayList<>();
    /** Of these, a function ends its process. */
    private final Set<Long> deadly = new HashSet<>();
    private boolean counts;
    /** How many of the functions behind can be opened. */
    private int openable = 1;
    /** Whether the second gives its rows in the packets' place: each twice. */
    private boolean replaces;
    /** Of outputs, four of which may be full. */
    private int regionBytes = 1 << 12;
    private Crossings crossings;
    private OperatorHarness first;
    private OperatorHarness second;
    /** How many rows of the first have come to the second. */
    private int moved;

    private final class Fake extends StandInProcess {
        private final FunctionSpec function;
        private final boolean isSecond;
        private final Deque<List<Long>> batches = new ArrayDeque<>();
        private final Deque<Long> numbers = new ArrayDeque<>();
        private final Set<Long> alone = new HashSet<>();
        private boolean closed;
        private int place;

        private final Consumer<String> log;

        Fake(FunctionSpec function, Waker waker, Consumer<String> log) {
            super(waker);
            this.log = log;
            this.function = function;
            isSecond = function.name().equals("mine:second");
            processes.add(this);
            int behind = Math.min(openable, function.user().behind().size());
            say(new WorkerEvent.Opened(List.of(isSecond ? "tens" : "n"), List.of(), behind,
                    behind < function.user().behind().size() ? "no second" : null));
        }

        @Override
        public int place() {
            return place;
        }

        @Override
        public void sendAlone(long number) {
            alone.add(number);
        }

        @Override
        public void send(long number, byte[] message) {
            batches.add(Batches.decode(isSecond ? TENS : IN, message).stream().map(row -> (Long) row.get(0)).toList());
            numbers.add(number);
        }

        /** Answers the batch that came first, its own function's rows in parts of so many. */
        void answer(int part) {
            List<Long> batch = batches.remove();
            long number = numbers.remove();
            List<Long> tens = isSecond ? batch : batch.stream().filter(n -> n >= 0).map(n -> 10 * n).toList();
            boolean calls = !alone.contains(number) && !function.user().behind().isEmpty() && openable > 0;
            if ((isSecond || calls) && tens.stream().anyMatch(deadly::contains)) {
                die();
                return;
            }
            if (calls && !tens.isEmpty()) {
                say(new WorkerEvent.Ahead(number, tens.size()));
                sayAll(number, tens, true, tens.size());
            }
            sayAll(number, batch, isSecond, part);
        }

        private void sayAll(long number, List<Long> batch, boolean second, int part) {
            List<WorkerEvent.Error> errors = new ArrayList<>();
            List<List<Object>> rows = new ArrayList<>();
            for (int k = 0; k < batch.size(); k++) {
                long value = batch.get(k);
                if (second ? value == BAD : value < 0) {
                    errors.add(new WorkerEvent.Error(k, "ValueError: of " + value));
                    continue;
                }
                rows.add(Rows.row(second ? value + 1 : 10 * value));
                if (second && replaces) {
                    rows.add(Rows.row(value + 1));
                }
            }
            if (counts) {
                say(new WorkerEvent.Counted(number, Map.of("rows", (long) batch.size())));
            }
            if (!errors.isEmpty()) {
                say(new WorkerEvent.Errors(number, errors));
            }
            Schema schema = second ? NEXT : TENS;
            int from = 0;
            for (; rows.size() - from > part; from += part) {
                say(new WorkerEvent.Rows(number, Batches.encode(schema, rows.subList(from, from + part)), false));
            }
            say(new WorkerEvent.Rows(number, Batches.encode(schema, rows.subList(from, rows.size())), true));
        }

        void die() {
            say(new WorkerEvent.Gone("was killed by signal 9"));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final class Starting implements FunctionStarting {
        @Override
        public FunctionProcess start(FunctionSpec function, Consumer<String> log, Waker waker) {
            return new Fake(function, waker, log);
        }

        @Override
        public CompletableFuture<FunctionProcess> startBeside(FunctionSpec function, Consumer<String> log, Waker waker) {
            return CompletableFuture.completedFuture(start(function, log, waker));
        }
    }

    @BeforeEach
    void share() {
        crossings = new Crossings();
        crossings.add("second", 0);
    }

    @AfterEach
    void close() throws Exception {
        for (OperatorHarness each : new OperatorHarness[] {first, second}) {
            if (each != null) {
                each.close();
            }
        }
    }

    private void open() throws Exception {
        FunctionSpec one = FunctionSpec.of("mine:first", "row", List.of(), new FunctionSpec.Calls(true, true, 1, Map.of()), IN,
                TENS);
        FunctionSpec two = FunctionSpec.of("mine:second", "row", List.of(), new FunctionSpec.Calls(!replaces, true, 1, Map.of()),
                IN.plus(TENS), NEXT);
        first = harness(one, new Sharing(crossings, "first", List.of(new Sharing.Next("second",
                new FunctionSpec.Behind(two, 8, 1 << 20))))).inputs(IN).outputs(IN.plus(TENS)).open();
        second = harness(two, new Sharing(crossings, "second", List.of())).inputs(IN.plus(TENS))
                .outputs(replaces ? NEXT : IN.plus(TENS).plus(NEXT)).open();
    }

    private OperatorHarness.Setup harness(FunctionSpec function, Sharing sharing) {
        FunctionUpkeep upkeep = new FunctionUpkeep(new Starting(), 1_000);
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function, LIMITS, upkeep, null, null,
                sharing))).room(regionBytes, 4).skippingBadRecords();
    }

    private static List<List<Object>> rows(long... numbers) {
        return LongStream.of(numbers).mapToObj(Rows::row).toList();
    }

    private List<List<Object>> found() {
        return second.rows(0);
    }

    private static List<List<Object>> expected(long... numbers) {
        return LongStream.of(numbers).mapToObj(n -> Rows.row(n, 10 * n, 10 * n + 1)).toList();
    }

    /** Calls both as the runtime does when they are woken, and lets what has left the first come to the second. */
    private void ring() throws Exception {
        for (OperatorHarness each : List.of(first, second)) {
            while (!each.operator().timer(each.now / 1_000)) {
                each.release();
            }
            each.drain();
            if (each == first) {
                move();
            }
        }
    }

    private void move() throws Exception {
        List<List<Object>> left = first.rows(0);
        second.feed(0, left.subList(moved, left.size()));
        moved = left.size();
    }

    private void answerAll(int part) throws Exception {
        for (boolean more = true; more;) {
            more = false;
            for (Fake each : List.copyOf(processes)) {
                if (!each.closed && !each.batches.isEmpty()) {
                    each.answer(part);
                    more = true;
                }
            }
            ring();
        }
    }

    private List<String> names() {
        return processes.stream().map(each -> each.function.name()).toList();
    }

    @Test
    void oneProcessAnswersForBoth() throws Exception {
        counts = true;
        open();
        first.feed(0, rows(1, -2, 4, 5)).feed(0, rows(6, 7));
        answerAll(2);
        assertEquals(List.of("mine:first"), names());
        assertEquals(expected(1, 5, 6, 7), found());
        assertEquals(List.of(1, 1), List.of(first.badRecords.size(), second.badRecords.size()));
        assertTrue(first.badRecords.get(0).contains("of -2"), first.badRecords.get(0));
        assertTrue(second.badRecords.get(0).contains("of 40"), second.badRecords.get(0));
        assertEquals(List.of(Map.of("rows", 6L), Map.of("rows", 5L)), List.of(first.counts, second.counts));
    }

    @Test
    void rowsInThePacketsPlaceWaitForAllOfTheirPackets() throws Exception {
        replaces = true;
        open();
        first.feed(0, rows(1, 4, 5));
        answerAll(1);
        assertEquals(List.of(Rows.row(11L), Rows.row(11L), Rows.row(51L), Rows.row(51L)), found());
        assertEquals(1, second.badRecords.size());
    }

    @Test
    void whatKillsTheProcessIsFoundByItsOwnOperator() throws Exception {
        open();
        deadly.add(30L);
        first.feed(0, rows(1, 2, 3, 5, 6));
        answerAll(8);
        assertEquals(expected(1, 2, 5, 6), found());
        assertEquals(List.of(), first.badRecords);
        assertEquals(1, second.badRecords.size());
        assertTrue(second.badRecords.get(0).contains("was killed by signal 9"), second.badRecords.get(0));
        assertEquals(List.of("the worker of `mine:first` and `mine:second` was killed by signal 9; another takes its place"),
                first.warnings);
        int started = processes.size();
        first.feed(0, rows(7, 8)).feed(0, rows(9));
        answerAll(8);
        assertEquals(expected(1, 2, 5, 6, 7, 8, 9), found());
        assertEquals(started, processes.size());
        assertEquals(List.of("mine:first"), processes.stream().filter(each -> !each.closed).map(each -> each.function.name())
                .toList());
    }

    @Test
    void whatWasToComeIsAskedAgain() throws Exception {
        open();
        first.feed(0, rows(1, 2, 3, 5));
        Fake process = processes.get(0);
        Deque<WorkerEvent> said = new ArrayDeque<>();
        process.answer(1);
        for (WorkerEvent each = process.poll(); each != null; each = process.poll()) {
            said.add(each);
        }
        said.removeLast();      // the second is whole, and of the first not all has come
        said.forEach(process::say);
        process.die();
        ring();
        ring();
        assertEquals(3, moved);
        answerAll(8);
        assertEquals(expected(1, 2, 3, 5), found());
    }

    @Test
    void aSnapshotOfBothGoesOnWithoutWhatWasAhead() throws Exception {
        open();
        first.feed(0, rows(1, 2, 3, 5));
        processes.get(0).answer(2);
        List<WorkerEvent> said = new ArrayList<>();
        for (WorkerEvent each = processes.get(0).poll(); each != null; each = processes.get(0).poll()) {
            said.add(each);
        }
        said.subList(0, said.size() - 1).forEach(processes.get(0)::say);
        ring();
        assertEquals(2, moved);
        assertEquals(List.of(), found());
        Map<String, byte[]> one = first.snapshot();
        Map<String, byte[]> two = second.snapshot();
        share();
        close();
        processes.clear();
        moved = 0;
        open();
        first.restart(one);
        second.restart(two);
        processes.removeIf(each -> each.closed);
        answerAll(8);
        assertEquals(expected(1, 2, 3, 5), found());
    }

    /** No process of its own wakes it when there is room again. */
    @Test
    void theRestOfAnAnswerLeavesWhenThereIsRoom() throws Exception {
        regionBytes = 32;
        open();
        first.feed(0, rows(1, 2, 3, 5, 6, 7));
        answerAllOfFirst();
        List<List<Object>> left = first.rows(0);
        second.feed(0, left);
        assertTrue(found().size() < left.size(), () -> found().toString());
        assertTrue(second.wakeAt <= second.now / 1_000);
        second.passTo(second.now / 1_000);
        assertEquals(expected(1, 2, 3, 5, 6, 7), found());
    }

    @Test
    void whichOfThemWasLateIsCountedAtItsOperator() throws Exception {
        open();
        for (int place : new int[] {0, 1}) {
            first.feed(0, rows(1));
            processes.stream().filter(each -> !each.closed && !each.isSecond).findFirst().orElseThrow().place = place;
            first.passTo(first.now / 1_000 + 1_001_000);
            ring();
            answerAll(8);
            assertEquals(Map.of("timeouts", 1L), first.counts);
            assertEquals(place == 0 ? Map.of() : Map.of("timeouts", 1L), second.counts);
            second.now = first.now;
        }
        assertEquals(expected(1, 1), found());
    }

    @Test
    void oneThatCannotBeOpenedBehindHasAProcessOfItsOwn() throws Exception {
        openable = 0;
        open();
        assertEquals(List.of("mine:first", "mine:second"), names());
        first.feed(0, rows(1, 2));
        answerAll(8);
        assertEquals(expected(1, 2), found());
    }

    /** Has a reload do a step. */
    private CompletableFuture<String> step(OperatorHarness of, String step) throws Exception {
        CompletableFuture<String> done = command(of, step);
        ring();
        ring();
        assertTrue(done.isDone(), step);
        return done;
    }

    @Test
    void aReloadOfEitherReadsBothAnew() throws Exception {
        open();
        for (OperatorHarness each : List.of(second, first)) {
            int had = processes.size();
            step(each, "open").join();
            step(each, "take").join();
            assertEquals(had + 1, processes.size());
            assertTrue(processes.get(had - 1).closed);
            assertFalse(processes.get(had).closed);
            first.feed(0, rows(had));
            answerAll(8);
        }
        assertEquals(expected(1, 2), found());
        openable = 0;
        assertTrue(step(second, "open").isCompletedExceptionally());
        assertFalse(processes.get(1 + 1).closed);
        first.end();
        assertEquals("its input has ended", step(second, "open").join());
    }

    /** As `reload` without an operator's id does. */
    @Test
    void aReloadOfBothReadsThemOnce() throws Exception {
        open();
        CompletableFuture<String> one = command(first, "open");
        CompletableFuture<String> two = command(second, "open");
        ring();
        ring();
        assertEquals(List.of("", ""), List.of(one.join(), two.join()));
        assertEquals(2, processes.size());
        assertEquals("a new process has taken over", step(first, "take").join());
        assertEquals("a new process has taken over", step(second, "take").join());
        assertEquals(2, processes.size());
        assertTrue(processes.get(0).closed);
        first.feed(0, rows(1, 2));
        answerAll(8);
        assertEquals(expected(1, 2), found());
    }

    @Test
    void whoIsToldToTakeWhatIsNotThereSaysSoAndGoesOn() throws Exception {
        open();
        assertTrue(step(second, "take").isCompletedExceptionally());
        first.feed(0, rows(1));
        answerAll(8);
        assertEquals(expected(1), found());
    }

    private static CompletableFuture<String> command(OperatorHarness of, String step) throws Exception {
        return ((PythonOperator) of.operator()).command(ControlCommand.RELOAD, step);
    }

    @Test
    void linesGoToTheOperatorWhoseFunctionHasPrintedThem() throws Exception {
        open();
        processes.get(0).log.accept("one");
        processes.get(0).log.accept("\u001f1\u001ftwo");
        processes.get(0).log.accept("\u001f99999999999\u001f");
        assertEquals(List.of("one", "\u001f99999999999\u001f"), first.told);
        assertEquals(List.of("two"), second.told);
    }

    @Test
    void answersThatWaitAreCountedAndBounded() throws Exception {
        open();
        first.feed(0, rows(1, 2, 3));
        answerAllOfFirst();
        assertTrue(crossings.into("second", 0).bytes() > 0);
        second.release();
        assertTrue(second.stateBytes >= crossings.into("second", 0).bytes());
        move();
        assertEquals(expected(1, 2, 3), found());
        assertEquals(0, crossings.into("second", 0).bytes());
    }

    private void answerAllOfFirst() throws Exception {
        processes.get(0).answer(8);
        while (!first.operator().timer(first.now / 1_000)) {
            first.release();
        }
        first.drain();
    }
}
