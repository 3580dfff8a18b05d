package io.despina.spark.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.python.FunctionUpkeep;
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
import org.junit.jupiter.api.Test;

/** Processes that go from step to step and from task to task. */
class TaskFunctionsTest {
    private static final long MOST = 100;
    private static final Schema N = Schema.of(new Column("n", Simple.BIGINT, true));
    private static final FunctionSpec FUNCTION = FunctionSpec.of("mine:f", "row", List.of(),
            new FunctionSpec.Calls(false, true, 1, Map.of()), N, N);

    private final Deque<Runnable> minutes = new ArrayDeque<>();
    private final FunctionPool pool = new FunctionPool(minutes::add);
    private final List<Fake> started = new ArrayList<>();
    private List<String> methods = List.of();
    private int woken;

    private final class Fake extends StandInProcess {
        private boolean ended;

        Fake(Waker waker) {
            super(waker);
        }

        @Override
        public void send(long number, byte[] message) {
            // a test answers
        }

        void answer(long number) {
            say(new WorkerEvent.Rows(number, new byte[0], true));
        }

        @Override
        public void close() {
            ended = true;
        }
    }

    private TaskFunctions task(Object key) {
        return new TaskFunctions(pool, key, (function, log, waker) -> {
            started.add(new Fake(waker));
            last().say(new WorkerEvent.Opened(List.of("n"), methods));
            return last();
        }, MOST);
    }

    private Fake last() {
        return started.get(started.size() - 1);
    }

    private FunctionProcess opened(TaskFunctions task) throws IOException {
        FunctionProcess process = task.start(FUNCTION, line -> { }, () -> woken++);
        assertInstanceOf(WorkerEvent.Opened.class, process.poll());
        assertNull(process.poll());
        return process;
    }

    private void step(TaskFunctions task) throws IOException {
        FunctionProcess process = opened(task);
        process.send(1, new byte[0]);
        last().answer(1);
        assertInstanceOf(WorkerEvent.Rows.class, process.poll());
        process.close();
    }

    @Test
    void stepsHaveOneProcessEachAsItsOwn() throws IOException {
        TaskFunctions task = task("f");
        step(task);
        assertEquals(2, woken, "opened, and answered");
        last().say(new WorkerEvent.Counted(0, Map.of()));
        assertEquals(2, woken, "nobody has it");
        FunctionProcess process = task.start(FUNCTION, line -> { }, () -> woken++);
        assertEquals(3, woken, "it has something to hear");
        assertInstanceOf(WorkerEvent.Opened.class, process.poll());
        assertInstanceOf(WorkerEvent.Counted.class, process.poll());
        assertTrue(process.hasWorked());
        process.close();
        step(task);
        assertEquals(1, started.size());
        assertFalse(last().ended);
    }

    @Test
    void theNextTaskOfTheSameFunctionHasIt() throws IOException {
        TaskFunctions task = task("f");
        step(task);
        task.end();
        step(task("g"));
        assertEquals(2, started.size());
        TaskFunctions next = task("f");
        assertTrue(opened(next).hasWorked());
        step(task("f"));
        assertEquals(3, started.size(), "the first has a task");
        task.end();
        assertFalse(started.get(0).ended, "it is another task's");
    }

    @Test
    void oneThatIsAtSomethingEndsWithItsStepOrTask() throws IOException {
        TaskFunctions task = task("f");
        FunctionProcess process = opened(task);
        process.send(1, new byte[0]);
        process.close();
        assertTrue(last().ended);
        opened(task).send(1, new byte[0]);
        assertEquals(2, started.size());
        task.end();
        assertTrue(last().ended);
        FunctionProcess timed = opened(task("f"));
        assertFalse(timed.hasWorked());
        assertEquals(3, started.size());
    }

    @Test
    void oneWhoseTaskEndsWithinAStepForgetsWhoHadIt() throws IOException {
        TaskFunctions task = task("f");
        opened(task);
        int before = woken;
        task.end();
        assertFalse(last().ended);
        last().say(new WorkerEvent.Counted(0, Map.of()));
        assertEquals(before, woken);
        task("f").start(FUNCTION, line -> { }, () -> { });
        assertEquals(1, started.size());
    }

    @Test
    void oneThatIsKilledOrGoneServesNobody() throws IOException {
        TaskFunctions task = task("f");
        FunctionProcess process = opened(task);
        process.kill("late");
        process.close();
        assertTrue(last().ended);
        process = opened(task);
        last().say(new WorkerEvent.Gone("was killed by signal 9"));
        assertInstanceOf(WorkerEvent.Gone.class, process.poll());
        process.close();
        assertTrue(last().ended);
        task.start(FUNCTION, line -> { }, () -> { }).close();
        assertTrue(last().ended, "it may be opening its function still");
        assertEquals(3, started.size());
    }

    @Test
    void oneThatNobodyWantsForAMinuteEnds() throws IOException {
        TaskFunctions task = task("f");
        step(task);
        task.end();
        TaskFunctions next = task("f");
        step(next);
        minutes.remove().run();
        assertFalse(last().ended, "a task has it");
        next.end();
        minutes.remove().run();
        assertTrue(last().ended);
        step(task("f"));
        assertEquals(2, started.size());
    }

    @Test
    void aMinuteCountsFromItsLastTask() throws IOException {
        for (int k = 0; k < 2; k++) {
            TaskFunctions task = task("f");
            step(task);
            task.end();
        }
        minutes.remove().run();
        assertFalse(last().ended);
        minutes.remove().run();
        assertTrue(last().ended);
    }

    @Test
    void oneThatUsesTooMuchServesNobody() throws IOException {
        TaskFunctions task = task("f");
        task.upkeep(new FunctionUpkeep(task, 1_000));
        FunctionProcess process = opened(task);
        last().memory = MOST;
        process.close();
        assertFalse(last().ended);
        process = opened(task);
        last().memory = MOST + 1;
        process.close();
        assertTrue(last().ended);
        opened(task);
        last().memory = MOST + 1;
        task.end();
        assertTrue(last().ended, "its step has failed for that");
    }

    @Test
    void theGraphsLimitGoesBeforeSparksAndNoneHasASpare() {
        TaskFunctions task = task("f");
        assertEquals(new FunctionUpkeep(task, 1, 2, false, MOST),
                task.upkeep(new FunctionUpkeep(null, 1, 2, true, FunctionUpkeep.ANY)));
        assertEquals(new FunctionUpkeep(task, 1, 2, false, 7), task.upkeep(new FunctionUpkeep(null, 1, 2, false, 7)));
    }

    @Test
    void aClassWithAnEndIsRefused() throws IOException {
        methods = List.of("end");
        TaskFunctions task = task("f");
        FunctionProcess process = task.start(FUNCTION, line -> { }, () -> { });
        assertEquals(new WorkerEvent.Refused("`mine:f` has `end`, and a stream on Spark has none: run it there as a batch, or on "
                + "the engine"), process.poll());
        process.close();
        assertTrue(last().ended);
    }
}
