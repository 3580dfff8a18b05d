package io.despina.spark.function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.catalogue.UserCode;
import io.despina.operator.Rows;
import io.despina.operator.python.FunctionUpkeep;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.python.Interpreter;
import io.despina.python.PythonWorker;
import io.despina.spark.fold.OperatorText;
import io.despina.spark.fold.ResumedFold;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps of one group by a Python function in a process, as Spark's tasks make them. */
class CalledFoldTest {
    private static final long PATIENCE_S = 600;
    private static final String GRAPH = """
            {"format": 1, "name": "g",
             "operators": {
               "in": {"type": "generator_source", "rate_per_s": 9,
                      "rows": {"type": "select", "select": ["id", "timestamp_millis(id) AS ts", "concat('k', id) AS k"]},
                      "event_time": {"column": "ts", "order_by": ["id"]}},
               "silent": {"type": "python", "function": "mine:Silent", "group_by": ["k"], "state": "n BIGINT", "clock": "event",
                          "schema": "k STRING, n BIGINT, pid BIGINT, text STRING"},
               "skips": {"type": "python", "function": "mine:Silent", "group_by": ["k"], "state": "n BIGINT", "clock": "event",
                         "schema": "k STRING, n BIGINT, pid BIGINT, text STRING", "on_error": {"type": "skip"}},
               "letters": {"type": "python", "function": "mine:Silent", "group_by": ["k"], "state": "n BIGINT", "clock": "event",
                           "schema": "k STRING, n BIGINT, pid BIGINT, text STRING", "on_error": {"type": "dead_letter"}},
               "out": {"type": "discard_sink"}, "out_2": {"type": "discard_sink"}, "out_3": {"type": "discard_sink"}},
             "links": [{"from": "in", "to": "silent"}, {"from": "silent", "to": "out"},
                       {"from": "in", "to": "letters"}, {"from": "letters", "to": "out_3"},
                       {"from": "letters.errors", "to": "out_2"},
                       {"from": "in", "to": "skips"}, {"from": "skips", "to": "out"}]}
            """;

    @TempDir
    Path modules;

    private final Deque<Runnable> minutes = new ArrayDeque<>();
    private final FunctionPool pool = new FunctionPool(minutes::add);
    private TaskFunctions task;
    private ResumedFold fold;
    private byte[] left;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(modules.resolve("mine.py"), """
                import os
                from datetime import timedelta


                class Silent:
                    def process(self, key, row, state):
                        if row.id < 0:
                            raise ValueError("negative")
                        if row.id == 666:
                            os._exit(6)
                        if row.id == 0:
                            state.clear()
                            return None
                        state.n = (state.n or 0) + 1
                        state.set_timer(row.ts + timedelta(milliseconds=5))
                        return key, state.n, os.getpid(), "x" * row.id

                    def timer(self, key, when, state):
                        n, state.n = state.n, None
                        return key, -n, os.getpid(), when.isoformat()
                """);
    }

    @AfterEach
    void endAll() {
        task.end();
        minutes.forEach(Runnable::run);
    }

    private void begin(String operator) {
        Interpreter python = Interpreter.of(Path.of(".venv/bin/python").toAbsolutePath().toString(), List.of(modules.toString()));
        task = new TaskFunctions(pool, operator, (function, log, waker) -> PythonWorker.start(python, function, log, waker),
                FunctionUpkeep.ANY);
        fold = new ResumedFold(new OperatorText(GRAPH, "g", "{\"for_spark\": true, \"streaming\": true}", operator),
                new UserCode(null, task));
    }

    /** @param rows ids, times in milliseconds and keys */
    private List<List<Object>> step(long watermark, Object... rows) {
        Schema in = fold.inputs().get(0);
        Iterator<Integer> places = IntStream.range(0, rows.length / 3).iterator();
        Packet view = new Packet(in.layout());
        Iterator<Packet> folded = fold.step(left, new ResumedFold.Arriving() {
            @Override
            public boolean next() {
                if (!places.hasNext()) {
                    return false;
                }
                int at = 3 * places.next();
                byte[] bytes = Rows.encode(in, List.of(Rows.row((long) (Integer) rows[at], (Integer) rows[at + 1] * 1_000L,
                        rows[at + 2])));
                view.wrap(bytes, 0, bytes.length);
                return true;
            }

            @Override
            public int port() {
                return 0;
            }

            @Override
            public Packet packet() {
                return view;
            }
        }, watermark);
        List<List<Object>> made = new ArrayList<>();
        folded.forEachRemaining(p -> made.addAll(Rows.decode(fold.result(), p.bytes(), p.start(), p.end())));
        left = fold.left();
        return made;
    }

    /** Keys with what was counted, as text. */
    private static String counted(List<List<Object>> rows) {
        return String.join(" ", rows.stream().map(row -> row.get(0) + "" + row.get(1)).toList());
    }

    private static Object process(List<List<Object>> rows) {
        return rows.get(0).get(2);
    }

    @Test
    void rowsAndTimersOfSeveralKeysGoInEventOrder() {
        begin("silent");
        assertEquals("", counted(step(0, 3, 12, "a", 2, 11, "a", 1, 11, "a")));
        assertEquals(11, fold.nextVisit());
        List<List<Object>> rows = step(12, 4, 13, "b");
        assertEquals("a1 a2 a3", counted(rows));
        assertEquals(List.of("x", "xx", "xxx"), rows.stream().map(row -> row.get(3)).toList());
        assertEquals(13, fold.nextVisit());
        assertEquals("b1", counted(step(13)));
        assertEquals(13, fold.earlierVisit());
        assertEquals(17, fold.nextVisit());
        List<List<Object>> silent = step(17);
        assertEquals("a-3", counted(silent));
        assertEquals("1970-01-01T00:00:00.017000+00:00", silent.get(0).get(3));
        assertEquals("b2 b-2", counted(step(30, 1, 18, "b")), "its timer has moved on");
        assertNull(left, "no key has a state");
        assertEquals(ResumedFold.NONE, fold.nextVisit());
        assertEquals(process(rows), process(silent));
    }

    @Test
    void theSameBytesGoOnInAnotherTaskWithTheSameProcess() {
        begin("silent");
        List<List<Object>> first = step(1, 1, 1, "a", 1, 1, "b");
        assertEquals("a1 b1", counted(first));
        byte[] kept = left.clone();
        task.end();
        begin("silent");
        left = kept;
        List<List<Object>> next = step(2, 1, 2, "a");
        assertEquals("a2", counted(next));
        assertEquals(process(first), process(next));
        left = null;
        assertEquals("a1", counted(step(3, 1, 3, "a")), "another group has other keys");
        left = kept;
        assertEquals("", counted(step(5, 0, 5, "b", 0, 5, "a")), "no timer of what the process knew before");
        assertNull(left);
    }

    @Test
    void anAnswerThatIsLargerThanWhatIsKeptIsReadInParts() {
        begin("silent");
        Object[] rows = IntStream.range(0, 300).boxed().flatMap(k -> List.<Object>of(5_000, k, "k" + k % 2).stream()).toArray();
        assertEquals(300 + 2, step(1_000, rows).size());
    }

    @Test
    void aRowThatRaisesFailsTheStepUnlessItIsSkipped() {
        begin("silent");
        String words = assertThrows(RuntimeException.class, () -> step(9, 1, 1, "a", -1, 2, "a")).getMessage();
        assertEquals("operator silent: ValueError: negative (mine.py:8 in process): {\"id\": -1, "
                + "\"ts\": \"1970-01-01T00:00:00.002Z\", \"k\": \"a\"}", words);
        task.end();
        begin("skips");
        assertEquals("a1 a2", counted(step(3, 1, 1, "a", -1, 2, "a", 1, 3, "a")));
    }

    @Test
    void whatIsBadLeavesByPortErrorsHoweverManyRowsNobodyReadsThere() {
        begin("letters.errors");
        Object[] rows = IntStream.range(1, 300).boxed().flatMap(k -> List.<Object>of(k % 100 == 7 ? -k : 5_000, k, "a").stream())
                .toArray();
        String reason = "ValueError: negative (mine.py:8 in process)";
        assertEquals(IntStream.of(7, 107, 207).mapToObj(k -> List.<Object>of(reason, "letters", "{\"id\": -" + k
                + ", \"ts\": \"1970-01-01T00:00:00." + String.format("%03d", k) + "Z\", \"k\": \"a\"}")).toList(),
                step(1_000, rows));
        assertNull(left, "its timer has cleared the key");
        task.end();
        begin("letters");
        assertEquals("a1 a2", counted(step(3, 1, 1, "a", -1, 2, "a", 1, 3, "a")));
    }

    @Test
    void aProcessThatEndsIsReplacedAndARowThatEndsThreeIsABadRecord() throws Exception {
        begin("skips");
        List<List<Object>> before = step(1, 1, 1, "a");
        assertEquals("a2 a3", counted(step(4, 1, 2, "a", 666, 3, "a", 1, 4, "a")));
        List<List<Object>> behind = step(5, 1, 5, "a");
        assertEquals("a4", counted(behind));
        assertNotEquals(process(before), process(behind));
        task.end();
        minutes.remove().run();
        ProcessHandle.of((Long) process(behind)).ifPresent(one -> one.onExit().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join());
    }
}
