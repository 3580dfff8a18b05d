package io.despina.operator.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorHarness;
import io.despina.operator.Rows;
import io.despina.spec.Windows;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Where every packet or row is bad, operators wait for room at the port of dead letters; the harness sees to that. */
class DeadLettersTest {
    private static final long N = 500;

    private static OperatorHarness.Setup setup(Supplier<? extends Operator> operators) {
        return OperatorHarness.of(operators).inputs(Timed.SCHEMA)
                .outputs(Collected.RESULT, Timed.SCHEMA, OperatorHarness.LETTERS).writingDeadLetters().room(1, 2);
    }

    private static void feed(OperatorHarness harness, long v, boolean peers) throws Exception {
        for (long k = 0; k < N; k++) {
            harness.feedRow(0, peers ? 1 : k, 0, "k" + k, v);
        }
    }

    private static void allAreLetters(OperatorHarness.Setup setup, long v, boolean peers) throws Exception {
        try (OperatorHarness harness = setup.open()) {
            feed(harness, v, peers);
            harness.end();
            assertEquals(List.of(), harness.rows(0));
            assertEquals(N, harness.rows(2).size());
        }
    }

    @Test
    void folds() throws Exception {
        Compiled<Projection> bad = partition -> (inputs, out) -> {
            throw new ArithmeticException("a bad packet");
        };
        allAreLetters(setup(() -> new Scan(Timed.ORDER, new Scan.Fold(Timed.BY_K, Timed.KEY, Timed.columns(2), bad, null,
                Timed.columns(2), null))), 1, false);
    }

    @Test
    void aggregatesThatEmitEach() throws Exception {
        allAreLetters(setup(() -> new EachAggregate(Timed.ORDER, Timed.BY_K, partition -> new Collected())),
                Collected.BAD, false);
    }

    @Test
    void aggregatesAtTheEnd() throws Exception {
        allAreLetters(setup(() -> new FinalAggregate(Timed.BY_K, partition -> new Collected())), Collected.UNWRITABLE, false);
    }

    @Test
    void windowsThatFire() throws Exception {
        allAreLetters(setup(() -> new WindowAggregate(0, Windows.tumbling(1000, 0), Timed.BY_K, partition -> new Collected())),
                Collected.UNWRITABLE, false);
    }

    private static OperatorHarness.Setup trailing() {
        return setup(() -> new TrailingAggregate(Timed.ORDER, 10, Timed.BY_K, partition -> new Collected()));
    }

    @Test
    void trailingWindows() throws Exception {
        allAreLetters(trailing(), Collected.BAD, false);
        allAreLetters(trailing(), Collected.BAD, true);
        allAreLetters(trailing(), Collected.UNWRITABLE, false);
        allAreLetters(trailing(), Collected.UNWRITABLE, true);
    }

    @Test
    void peersAreCountedInAlsoAfterAPause() throws Exception {
        try (OperatorHarness harness = trailing().room(1, 1).open()) {
            for (long v = 0; v < 6; v++) {
                harness.feedRow(0, 1L, (int) v, "a", v % 3 == 1 ? Collected.BAD : v);
            }
            int pauses = 0;
            while (!harness.tryWatermark(2)) {
                pauses++;
            }
            assertTrue(pauses >= 4, pauses + " pauses");
            harness.end();
            assertEquals(List.of(0L, 2L, 3L, 5L), harness.rows(0).stream().map(row -> row.get(3)).toList());
            assertEquals(List.of(Rows.row("a bad packet"), Rows.row("a bad packet")), harness.rows(2));
            harness.rows(0).forEach(row -> assertEquals("[0, 2, 3, 5]", row.get(5)));
        }
    }
}
