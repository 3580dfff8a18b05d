package io.despina.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.arrow.BatchReader;
import io.despina.arrow.BatchWriter;
import io.despina.arrow.Batches;
import io.despina.arrow.RandomRows;
import io.despina.operator.Rows;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that are processes of the interpreter in {@code .venv}. */
class PythonWorkerTest {
    private static final Schema PAIR = Schema.of(new Column("a", Simple.DOUBLE, true), new Column("b", Simple.DOUBLE, true));
    private static final Schema SCORE = Schema.of(new Column("score", Simple.DOUBLE, true));
    private static final long PATIENCE_S = 60;
    /** Each has a process of its own: few, with many columns. */
    private static final int SEEDS = System.getenv("DESPINA_EVERY_CASE") == null ? 4 : 12;

    @TempDir
    Path modules;

    private final Semaphore woken = new Semaphore(0);
    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

    private PythonWorker start(String code, FunctionSpec spec) throws IOException {
        Files.writeString(modules.resolve("mine.py"), code);
        return PythonWorker.start(ours(), spec, log::add, woken::release);
    }

    private Interpreter ours() {
        return Interpreter.of(Path.of(".venv/bin/python").toAbsolutePath().toString(), List.of(modules.toString()));
    }

    private static FunctionSpec spec(String takes, Schema in, Schema out) {
        return FunctionSpec.of("mine:f", takes, List.of(), new FunctionSpec.Calls(true, true, 1, Map.of()), in, out);
    }

    private WorkerEvent next(PythonWorker worker) throws InterruptedException {
        for (WorkerEvent event = worker.poll(); ; event = worker.poll()) {
            if (event != null) {
                return event;
            }
            assertTrue(woken.tryAcquire(PATIENCE_S, TimeUnit.SECONDS), () -> "nothing came; it printed " + log);
        }
    }

    private static byte[] batch(Schema schema, List<List<Object>> rows) {
        return Batches.encode(schema, rows);
    }

    private List<List<Object>> rows(PythonWorker worker, Schema schema) throws InterruptedException {
        List<List<Object>> rows = new ArrayList<>();
        WorkerEvent.Rows part;
        do {
            part = assertInstanceOf(WorkerEvent.Rows.class, next(worker));
            rows.addAll(Batches.decode(schema, part.message()));
        } while (!part.isLast());
        return rows;
    }

    @Test
    void twoBatchesInFlightAreAnsweredInOrder() throws Exception {
        try (PythonWorker worker = start("def f(b, a):\n    return None if a is None else a - b\n", spec("row", PAIR, SCORE))) {
            assertEquals(new WorkerEvent.Opened(List.of("b", "a")), next(worker));
            BatchWriter writer = new BatchWriter(PAIR, 1, 0);
            worker.send(1, Batches.encode(writer, PAIR, List.of(Rows.row(3.0, 1.0), Rows.row(null, 1.0))));
            worker.send(2, Batches.encode(writer, PAIR, List.of(Rows.row(1.0, 1.5))));
            assertEquals(List.of(Rows.row(2.0), Rows.row((Object) null)), rows(worker, SCORE));
            assertEquals(List.of(Rows.row(-0.5)), rows(worker, SCORE));
        }
    }

    @Test
    void everyTypeGoesThereAndBack() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            RandomRows random = new RandomRows(seed);
            Schema schema = random.schema(seed == 0 ? 1 : 15);
            List<List<Object>> rows = random.rows(schema, 30);
            FunctionSpec spec = FunctionSpec.of("mine:f", seed % 3 == 0 ? "arrow" : "row", schema.names(),
                    new FunctionSpec.Calls(true, true, 1, Map.of()), schema, schema);
            try (PythonWorker worker = start("def f(*all):\n    return all[0] if len(all) == 1 else all\n", spec)) {
                assertInstanceOf(WorkerEvent.Opened.class, next(worker));
                worker.send(1, batch(schema, rows));
                long at = seed;
                WorkerEvent first = next(worker);
                assertInstanceOf(WorkerEvent.Rows.class, first, () -> "seed " + at + " of " + schema + ": " + first);
                assertEquals(rows, Batches.decode(schema, ((WorkerEvent.Rows) first).message()),
                        () -> "seed " + at + " of " + schema);
            }
        }
    }

    @Test
    void anExceptionNamesItsRowAndPlace() throws Exception {
        try (PythonWorker worker = start("def f(a, b):\n    return 1 / a\n", spec("row", PAIR, SCORE))) {
            assertInstanceOf(WorkerEvent.Opened.class, next(worker));
            worker.send(1, batch(PAIR, List.of(Rows.row(2.0, 0.0), Rows.row(0.0, 0.0), Rows.row(4.0, 0.0))));
            assertEquals(new WorkerEvent.Errors(1, List.of(new WorkerEvent.Error(1,
                    "ZeroDivisionError: float division by zero (mine.py:2 in f)"))), next(worker));
            assertEquals(List.of(Rows.row(0.5), Rows.row(0.25)), rows(worker, SCORE));
        }
    }

    @Test
    void aLargeAnswerComesInParts() throws Exception {
        Schema out = Schema.of(new Column("text", Simple.STRING, false));
        try (PythonWorker worker = start("def f(a, b):\n    return 'x' * 1_000_000\n", spec("row", PAIR, out))) {
            assertInstanceOf(WorkerEvent.Opened.class, next(worker));
            List<List<Object>> rows = new ArrayList<>();
            for (int k = 0; k < 40; k++) {
                rows.add(Rows.row(1.0, 2.0));
            }
            worker.send(1, batch(PAIR, rows));
            int answered = 0;
            int parts = 0;
            for (boolean more = true; more; parts++) {
                WorkerEvent.Rows part = assertInstanceOf(WorkerEvent.Rows.class, next(worker));
                answered += new BatchReader(out).wrap(part.message());
                more = !part.isLast();
            }
            assertEquals(40, answered);
            assertTrue(parts > 10, () -> "it came at once");
        }
    }

    @Test
    void whatIsMissingIsRefusedInWords() throws Exception {
        try (PythonWorker worker = start("def g(a):\n    return a\n", spec("row", PAIR, SCORE))) {
            assertTrue(((WorkerEvent.Refused) next(worker)).why().endsWith("mine.py) has no `f`"));
        }
        try (PythonWorker worker = start("def f(a, speed):\n    return a\n", spec("row", PAIR, SCORE))) {
            assertEquals(new WorkerEvent.Refused("`mine:f` wants `speed`, which is no column of its input: a, b"), next(worker));
        }
        try (PythonWorker worker = start("import sensor_units\n", spec("row", PAIR, SCORE))) {
            assertEquals(new WorkerEvent.Refused("module `mine` cannot be imported: ModuleNotFoundError: No module named "
                    + "'sensor_units' (mine.py:1 in <module>)"), next(worker));
        }
    }

    @Test
    void itsEndIsToldWithWhatItPrinted() throws Exception {
        try (PythonWorker worker = start("import os\ndef f(a, b):\n    print('leaving', flush=True)\n    os._exit(7)\n",
                spec("row", PAIR, SCORE))) {
            assertInstanceOf(WorkerEvent.Opened.class, next(worker));
            worker.send(1, batch(PAIR, List.of(Rows.row(2.0, 0.0))));
            assertEquals(new WorkerEvent.Gone("ended with code 7: leaving"), next(worker));
            assertEquals(List.of("leaving"), List.copyOf(log));
        }
    }

    @Test
    void whatItHasAnsweredComesBeforeItsEnd() throws Exception {
        Schema out = Schema.of(new Column("text", Simple.STRING, false));
        try (PythonWorker worker = start("import os\ndef f(a, b):\n    return 'x' * int(a) if a > 0 else os._exit(7)\n",
                spec("row", PAIR, out))) {
            assertInstanceOf(WorkerEvent.Opened.class, next(worker));
            List<List<Object>> rows = new ArrayList<>();
            for (int k = 0; k < 5; k++) {
                rows.add(Rows.row(1e6, 0.0));
            }
            rows.add(Rows.row(5e4, 0.0));
            worker.send(1, batch(PAIR, rows));
            worker.send(2, batch(PAIR, List.of(Rows.row(0.0, 0.0))));
            ProcessHandle.of(worker.pid()).ifPresent(process -> process.onExit().join());
            assertEquals(6, rows(worker, out).size());
            assertEquals(new WorkerEvent.Gone("ended with code 7"), next(worker));
        }
    }

    @Test
    void oneThatHangsSaysWhere() throws Exception {
        try (PythonWorker worker = start("import time\ndef f(a, b):\n    print('in', flush=True)\n    time.sleep(1000)\n",
                spec("row", PAIR, SCORE))) {
            assertInstanceOf(WorkerEvent.Opened.class, next(worker));
            worker.send(1, batch(PAIR, List.of(Rows.row(2.0, 0.0))));
            assertEquals("in", log.poll(PATIENCE_S, TimeUnit.SECONDS));
            worker.kill("did not answer");
            String why = assertInstanceOf(WorkerEvent.Gone.class, next(worker)).why();
            assertTrue(why.startsWith("did not answer: "), why);
            assertTrue(why.contains("mine.py\", line 4 in f"), why);
        }
    }

    @Test
    void oneThatHangsWhileItIsImportedSaysWhere() throws Exception {
        try (PythonWorker worker = start("import time\nprint('in', flush=True); time.sleep(1000)\n", spec("row", PAIR, SCORE))) {
            assertEquals("in", log.poll(PATIENCE_S, TimeUnit.SECONDS));
            worker.kill("did not open");
            String why = assertInstanceOf(WorkerEvent.Gone.class, next(worker)).why();
            assertTrue(why.startsWith("did not open: ") && why.contains("mine.py\", line 2 in <module>"), why);
        }
    }

    @Test
    void aCrashTellsItsSignalAndWhere() throws Exception {
        try (PythonWorker worker = start("import ctypes\ndef f(a, b):\n    return ctypes.string_at(0)\n",
                spec("row", PAIR, SCORE))) {
            assertInstanceOf(WorkerEvent.Opened.class, next(worker));
            worker.send(1, batch(PAIR, List.of(Rows.row(2.0, 0.0))));
            String why = assertInstanceOf(WorkerEvent.Gone.class, next(worker)).why();
            assertTrue(why.startsWith("was killed by signal 11: Fatal Python error: Segmentation fault"), why);
            assertTrue(why.contains("mine.py\", line 3 in f"), why);
        }
    }

    @Test
    void nothingIsLeftOfIt() throws Exception {
        PythonWorker worker = start("def f(a, b):\n    return a\n", spec("row", PAIR, SCORE));
        assertInstanceOf(WorkerEvent.Opened.class, next(worker));
        ProcessHandle process = ProcessHandle.of(worker.pid()).orElseThrow();
        Path folder = folder(worker);
        assertTrue(Files.exists(folder));
        worker.close();
        process.onExit().get(PATIENCE_S, TimeUnit.SECONDS);
        assertFalse(Files.exists(folder), () -> folder + " is left");
    }

    @Test
    void oneThatIsNotUpYetLeavesWithoutAWord() throws Exception {
        PythonWorker worker = start("def f(a, b):\n    return a\n", spec("row", PAIR, SCORE));
        worker.close();
        assertInstanceOf(WorkerEvent.Gone.class, next(worker));
        assertEquals(List.of(), List.copyOf(log));
    }

    private static Path folder(PythonWorker worker) {
        return Path.of(ProcessHandle.of(worker.pid()).orElseThrow().info().arguments().orElseThrow()[1]).getParent();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aModuleThatIsNotHereComesWithTheJob() throws Exception {
        SentModules sent = new SentModules(Map.of("acme/mine.py", base64("from acme import unit\nf = lambda a: a * unit.K\n"),
                "acme/unit.py", base64("K = 3\n")), Map.of());
        FunctionSpec spec = FunctionSpec.of("acme.mine:f", "row", List.of(), new FunctionSpec.Calls(true, true, 1, Map.of()),
                PAIR, SCORE);
        Path folder;
        try (PythonWorker worker = PythonWorker.start(ours().with(sent), spec, log::add, woken::release)) {
            assertEquals(new WorkerEvent.Opened(List.of("a")), next(worker));
            worker.send(1, Batches.encode(new BatchWriter(PAIR, 0), PAIR, List.of(Rows.row(2.0, 1.0))));
            assertEquals(List.of(Rows.row(6.0)), rows(worker, SCORE));
            folder = folder(worker);
            try (Stream<Path> all = Files.walk(folder)) {
                assertEquals(List.of("mine.py", "unit.py"), all.filter(each -> each.getParent().endsWith("acme"))
                        .map(each -> each.getFileName().toString()).sorted().toList(), "a process writes nothing there");
            }
        }
        assertFalse(Files.exists(folder), () -> folder + " is left");
    }

    /** The package that lies here is imported, and what it lacks comes with the job. */
    @Test
    void aPackageThatIsHereInPartDoesNotHideTheRest() throws Exception {
        Files.createDirectories(modules.resolve("acme"));
        Files.writeString(modules.resolve("acme/__init__.py"), "HERE = 2\n");
        SentModules sent = new SentModules(Map.of("acme/__init__.py", base64("HERE = 0\n"),
                "acme/deep/mine.py", base64("from acme import HERE, unit\nf = lambda a: a * unit.K * HERE\n"),
                "acme/unit.py", base64("K = 3\n")), Map.of());
        FunctionSpec spec = FunctionSpec.of("acme.deep.mine:f", "row", List.of(),
                new FunctionSpec.Calls(true, true, 1, Map.of()), PAIR, SCORE);
        try (PythonWorker worker = PythonWorker.start(ours().with(sent), spec, log::add, woken::release)) {
            assertEquals(new WorkerEvent.Opened(List.of("a")), next(worker));
            worker.send(1, Batches.encode(new BatchWriter(PAIR, 0), PAIR, List.of(Rows.row(2.0, 1.0))));
            assertEquals(List.of(Rows.row(12.0)), rows(worker, SCORE));
        }
    }

    @Test
    void whoMissesAModuleIsToldWhyNoneCame() throws Exception {
        SentModules sent = new SentModules(Map.of(), Map.of(), "the modules of the graph have 9 MB");
        try (PythonWorker worker = PythonWorker.start(ours().with(sent), spec("row", PAIR, SCORE), log::add, woken::release)) {
            String why = assertInstanceOf(WorkerEvent.Refused.class, next(worker)).why();
            assertTrue(why.startsWith("there is no module `mine` ") && why.endsWith("; the modules of the graph have 9 MB"), why);
        }
    }

    @Test
    void oneThatIsHereIsTakenAndADifferenceIsTold() throws Exception {
        SentModules sent = new SentModules(Map.of("mine.py", base64("no module")), Map.of("mine", "sha256 0123456789abcdef"));
        Files.writeString(modules.resolve("mine.py"), "def f(a):\n    return a\n");
        CompletableFuture<String> first = new CompletableFuture<>();
        try (PythonWorker worker = PythonWorker.start(ours().with(sent), spec("row", PAIR, SCORE), first::complete,
                woken::release)) {
            assertEquals(new WorkerEvent.Opened(List.of("a")), next(worker));
        }
        String told = first.get(PATIENCE_S, TimeUnit.SECONDS);
        assertTrue(told.matches("module `mine` is not that of the program which submitted the graph: here "
                + ".*/mine.py is sha256 [0-9a-f]{16}, there it is sha256 0123456789abcdef"), told);
    }

    @Test
    void aPlaceOutsideOfTheFolderIsRefused() {
        SentModules sent = new SentModules(Map.of("../mine.py", base64("")), Map.of());
        IOException failed = assertThrows(IOException.class, () -> PythonWorker.start(ours().with(sent),
                spec("row", PAIR, SCORE), log::add, woken::release));
        assertEquals("a module that came with the job has the place ../mine.py", failed.getMessage());
    }

    @Test
    void nothingIsLeftOfModulesThatCannotBeKept() throws Exception {
        SentModules outside = new SentModules(Map.of("../mine.py", base64("")), Map.of());
        SentModules impossible = new SentModules(Map.of("mi\0ne.py", base64("")), Map.of());
        Path folder;
        try (PythonWorker worker = start("def f(a):\n    return a\n", spec("row", PAIR, SCORE))) {
            folder = folder(worker);
            for (SentModules sent : List.of(outside, impossible)) {
                assertThrows(Exception.class, () -> PythonWorker.start(ours().with(sent), spec("row", PAIR, SCORE), log::add,
                        woken::release));
            }
            try (Stream<Path> all = Files.list(folder)) {
                assertEquals(List.of(), all.filter(Files::isDirectory).toList());
            }
        }
        assertFalse(Files.exists(folder), () -> folder + " is left");
    }

    @Test
    void anInterpreterThatIsOfNoUseIsRefusedInItsWords() throws Exception {
        Path old = Files.writeString(modules.resolve("old"), "#!/bin/sh\necho it is Python 3.6.15 >&2\nexit 3\n");
        assertTrue(old.toFile().setExecutable(true));
        Interpreter python = Interpreter.of(old.toString(), List.of());
        try (PythonWorker worker = PythonWorker.start(python, spec("row", PAIR, SCORE), log::add, woken::release)) {
            assertEquals(new WorkerEvent.Refused("it is Python 3.6.15"), next(worker));
        }
    }

    @Test
    void withoutAnInterpreterItDoesNotStart() throws Exception {
        for (String command : List.of("/no/such/python", Files.createFile(modules.resolve("python")).toString())) {
            NoInterpreterException failed = assertThrows(NoInterpreterException.class, () -> PythonWorker.start(
                    Interpreter.of(command, List.of()), spec("row", PAIR, SCORE), log::add, woken::release));
            assertTrue(failed.getMessage().startsWith("there is no Python `" + command + "` that could run here (")
                    && failed.getMessage().endsWith("name another, by \"python\" of the resource in the deployment, or by "
                    + "--python where a resource joins"), failed.getMessage());
        }
    }
}
