package io.despina.runtime.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.operator.python.BatchLimits;
import io.despina.operator.python.FunctionUpkeep;
import io.despina.operator.python.PythonOperator;
import io.despina.python.FunctionSpec;
import io.despina.python.Interpreter;
import io.despina.python.PythonWorker;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.host.JobHandle;
import io.despina.runtime.host.Resource;
import io.despina.runtime.task.Bench.Ascending;
import io.despina.runtime.task.Bench.Tally;
import io.despina.spec.Blocking;
import io.despina.wake.SharedThreads;
import io.despina.wake.Waker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A task with a Python function, on threads: it waits for no process, and its worker serves the socket. */
class FunctionTaskTest {
    private static final long PATIENCE_S = 600;
    private static final int COUNT = 20_000;

    @TempDir
    Path modules;

    private final SegmentPool pool = new SegmentPool(new Budget(96L << 20));
    private final Set<String> spoken = ConcurrentHashMap.newKeySet();

    @BeforeEach
    void write() throws Exception {
        Files.writeString(modules.resolve("mine.py"), """
                import time
                from pathlib import Path

                while not Path(__file__).with_name("may").exists():
                    time.sleep(0.01)


                def f(n):
                    return n
                """);
    }

    /** Notes the threads on which a process is heard. */
    private Waker noting(Waker waker) {
        return () -> {
            spoken.add(Thread.currentThread().getName());
            waker.wake();
        };
    }

    private TaskSpec function() {
        Interpreter python = Interpreter.of(Path.of(".venv/bin/python").toAbsolutePath().toString(), List.of(modules.toString()));
        FunctionSpec spec = FunctionSpec.of("mine:f", "row", List.of("n"), new FunctionSpec.Calls(false, true, 1, Map.of()),
                Bench.NUMBERS, Bench.NUMBERS);
        PythonOperator operator = new PythonOperator(new PythonOperator.Options(spec, new BatchLimits(1_000, 1 << 20),
                new FunctionUpkeep((function, log, waker) -> PythonWorker.start(python, function, log, noting(waker)),
                        TimeUnit.SECONDS.toMillis(PATIENCE_S))));
        return Bench.with(Bench.task(List.of(Bench.stage("f", () -> operator, 1, Bench.NUMBERS)), List.of(Bench.in(0, 1)),
                List.of(Bench.out(0, 0, Bench.NUMBERS, 2))), Blocking.OPENING);
    }

    private static JobHandle start(Resource resource, String id, TaskSpec... tasks) {
        JobHandle job = resource.deploy(Attempt.first(id), List.of(tasks));
        Verdicts.concludeTogether(List.of(job));
        job.start();
        return job;
    }

    private static void await(JobHandle job) throws Exception {
        job.ended().get(PATIENCE_S, TimeUnit.SECONDS);
        assertNull(job.failure());
    }

    @Test
    void othersRunWhileItIsImportedAndItsWorkerHearsIt() throws Exception {
        try (Resource resource = Resource.open(1, pool, null, System::nanoTime)) {
            Tally answered = new Tally();
            JobHandle job = start(resource, "job", Bench.source("source", new Ascending(COUNT), 1), function(),
                    Bench.sink("sink", answered, 2));
            Tally tally = new Tally();
            await(start(resource, "other", Bench.source("source", new Ascending(COUNT), 1), Bench.sink("sink", tally, 1)));
            assertEquals(COUNT, tally.taken);
            assertFalse(job.ended().isDone());
            Files.createFile(modules.resolve("may"));
            await(job);
            assertEquals(COUNT, answered.taken);
        }
        assertTrue(spoken.contains(SharedThreads.NAME + 0), spoken::toString);
        assertTrue(spoken.stream().noneMatch(each -> each.startsWith("despina-io")), spoken::toString);
        assertEquals(0, pool.leaks().size());
    }
}
