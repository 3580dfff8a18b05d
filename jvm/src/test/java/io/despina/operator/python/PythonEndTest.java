package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.OperatorHarness;
import io.despina.operator.OperatorHarness.Event;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.operator.window.Timed;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.python.EndingProcess;
import io.despina.python.FunctionSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** With workers that count rows by key, and give key and count when the key ends. */
class PythonEndTest {
    private static final Schema IN = Schema.of(new Column("id", Simple.BIGINT, false), new Column("k", Simple.STRING, true));
    private static final Schema KEY = Schema.of(new Column("k", Simple.STRING, true));
    private static final Keys BY_K = new Keys(KEY, Timed.columns(1), 256);
    private static final int BATCH = 4;

    private final List<EndingProcess> workers = new ArrayList<>();
    private List<String> methods = List.of("end");

    private OperatorHarness open() throws Exception {
        FunctionSpec function = FunctionSpec.of("mine:count", "row", List.of(), new FunctionSpec.Calls(false, true, 1, Map.of()),
                IN, EndingProcess.OUT).keeping(new FunctionSpec.Kept(KEY, EndingProcess.STATE));
        return OperatorHarness.of(() -> new PythonOperator(new PythonOperator.Options(function, new BatchLimits(BATCH, 1 << 20),
                1_000, (spec, log, waker) -> {
                    workers.add(new EndingProcess(spec, waker, methods));
                    return worker();
                }, BY_K, null))).inputs(IN).outputs(EndingProcess.OUT).room(1 << 10, 2).skippingBadRecords().open();
    }

    private EndingProcess worker() {
        return workers.get(workers.size() - 1);
    }

    private void answerAll(OperatorHarness harness) throws Exception {
        while (worker().waiting() > 0) {
            worker().answer();
            ring(harness);
        }
    }

    private static void ring(OperatorHarness harness) throws Exception {
        while (!harness.operator().timer(harness.now / 1_000)) {
            harness.release();
        }
        harness.release();
    }

    /** So many packets of ten keys. */
    private static List<List<Object>> packets(int count) {
        return IntStream.range(0, count).mapToObj(k -> Rows.row((long) k, "key" + k % 10)).toList();
    }

    private static Set<List<Object>> counts(int packets) {
        Set<List<Object>> all = new HashSet<>();
        for (int k = 0; k < Math.min(10, packets); k++) {
            all.add(Rows.row("key" + k, (long) (packets - k + 9) / 10));
        }
        return all;
    }

    private void feed(OperatorHarness harness, int count) throws Exception {
        for (List<Object> packet : packets(count)) {
            harness.feed(0, List.of(packet));
            answerAll(harness);
        }
    }

    @Test
    void eachKeyEndsOnceBehindAllPacketsAndTheStreamBehindAllKeys() throws Exception {
        try (OperatorHarness harness = open()) {
            feed(harness, 20);
            harness.feed(0, List.of(Rows.row(20L, "key0")));
            harness.watermark(NEVER);
            assertEquals(List.of(), worker().ended);
            assertFalse(harness.operator().end());
            answerAll(harness);
            assertTrue(harness.operator().end());
            assertEquals(List.of(4, 4, 2), worker().ended);
            Set<List<Object>> all = counts(20);
            all.remove(Rows.row("key0", 2L));
            all.add(Rows.row("key0", 3L));
            assertEquals(10, harness.rows(0).size());
            assertEquals(all, new HashSet<>(harness.rows(0)));
            assertEquals(Event.watermark(NEVER, false), harness.events(0).get(10));
        }
    }

    @Test
    void aJobThatIsStoppedEndsNone() throws Exception {
        try (OperatorHarness harness = open()) {
            feed(harness, 20);
            harness.watermark(5);
            assertTrue(harness.operator().end());
            assertEquals(List.of(), worker().ended);
        }
    }

    @Test
    void withoutTheMethodNoneEnds() throws Exception {
        methods = List.of();
        try (OperatorHarness harness = open()) {
            feed(harness, 20);
            harness.watermark(NEVER);
            assertTrue(harness.operator().end());
            assertEquals(List.of(Event.watermark(NEVER, false)), harness.events(0));
        }
    }

    @Test
    void thoseThatHadNotEndedDoSoFromASnapshot() throws Exception {
        for (int answered = 0; answered < 4; answered++) {
            Set<List<Object>> all = new HashSet<>();
            try (OperatorHarness harness = open()) {
                feed(harness, 25);
                harness.watermark(NEVER);
                for (int k = 0; k < answered; k++) {
                    worker().answer();
                    ring(harness);
                }
                all.addAll(harness.rows(0));
                assertEquals(List.of(0, 4, 8, 10).get(answered), all.size());
                Map<String, byte[]> snapshot = harness.snapshot();
                harness.restart(snapshot);
                int before = harness.rows(0).size();
                answerAll(harness);
                assertTrue(harness.operator().end());
                List<List<Object>> more = harness.rows(0).subList(before, harness.rows(0).size());
                assertEquals(10, all.size() + more.size());
                all.addAll(more);
            }
            assertEquals(counts(25), all);
        }
    }

    @Test
    void aProcessThatDiesEndsThemAgainAndTheThirdFailsTheJob() throws Exception {
        try (OperatorHarness harness = open()) {
            feed(harness, 30);
            harness.watermark(NEVER);
            worker().answer();
            ring(harness);
            worker().die();
            ring(harness);
            assertEquals(2, workers.size());
            answerAll(harness);
            assertEquals(10, harness.rows(0).size());
            assertEquals(counts(30), new HashSet<>(harness.rows(0)));
        }
        try (OperatorHarness harness = open()) {
            feed(harness, 1);
            harness.watermark(NEVER);
            worker().die();
            ring(harness);
            worker().die();
            ring(harness);
            worker().die();
            assertEquals("the worker of `mine:count` was killed by signal 9",
                    assertThrows(IllegalStateException.class, () -> ring(harness)).getMessage());
        }
    }

    @Test
    void oneThatFailsIsABadRecordAndHasEnded() throws Exception {
        try (OperatorHarness harness = open()) {
            harness.feed(0, List.of(Rows.row(1L, "good"), Rows.row(2L, "bad"), Rows.row(3L, null)));
            harness.watermark(NEVER);
            answerAll(harness);
            assertTrue(harness.operator().end());
            assertEquals(Set.of(Rows.row("good", 1L), Rows.row(null, 1L)), new HashSet<>(harness.rows(0)));
            assertEquals(List.of("ValueError: bad: end of 'bad'"), harness.badRecords);
        }
    }
}
