package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.python.WorkerEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** With functions that take a known time, two batches in flight and all rows there. */
class BatchPaceTest {
    private static final int MOST = 4_096;
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;
    private static final long TIMEOUT_MS = 60_000;

    private final BatchPace pace = new BatchPace(new BatchLimits(MOST, 1 << 20, BatchLimits.AT_ONCE, 1, true), TIMEOUT_MS);
    private final Deque<Integer> flying = new ArrayDeque<>();
    private final List<Integer> sizes = new ArrayList<>();
    private long rows;
    private long nanos;
    private long longest;

    /** @param cost of a batch of so many rows, in nanoseconds */
    private void answer(int batches, LongUnaryOperator cost) {
        rows = 0;
        nanos = 0;
        longest = 0;
        while (flying.size() < 2) {
            flying.add(pace.rows());
        }
        for (int k = 0; k < batches; k++) {
            int size = flying.remove();
            long took = cost.applyAsLong(size);
            sizes.add(size);
            rows += size;
            nanos += took;
            longest = Math.max(longest, took);
            pace.answered(size, took, 0);
            flying.add(pace.rows());
        }
    }

    private double perSecond() {
        return rows * 1e9 / nanos;
    }

    @Test
    void rowsThatBecomeLargeGoInSmallBatches() {
        for (int k = 0; k < 10; k++) {
            pace.came(new WorkerEvent.Rows(k, new byte[1 << 19], false, 0), pace.rows());
            byte[] rest = new byte[(pace.rows() << 20) - (1 << 19)];
            pace.came(new WorkerEvent.Rows(k, rest, true, 50 * MICRO * pace.rows()), pace.rows());
            assertTrue(pace.rows() <= 4, "an answer of " + pace.rows() + " MB");
        }
        assertEquals(4, pace.rows());
    }

    @Test
    void theBatchesOfALightFunctionAreSoonAsLargeAsTheyMayBe() {
        answer(5, n -> 30 * MICRO + 120 * n);
        assertEquals(List.of(1, 1, 664, 664, MOST), sizes);
        answer(100, n -> 30 * MICRO + 120 * n);
        assertEquals(100L * MOST, rows);
    }

    @Test
    void thoseOfOneThatTakesLongForARowHaveOneOrTwo() {
        answer(1_000, n -> 15 * MILLI * n);
        assertEquals(30 * MILLI, longest);
        assertTrue(rows < 1_200, () -> rows + " rows");
    }

    @Test
    void twentyMillisecondsOfWorkAreABatch() {
        answer(100, n -> 30 * MICRO + 50 * MICRO * n);
        answer(100, n -> 30 * MICRO + 50 * MICRO * n);
        assertEquals(20 * MILLI, longest, MILLI / 4.0);
    }

    @Test
    void whereTheCallTakesLongBatchesAreLarge() {
        answer(20, n -> 100 * MILLI);
        answer(200, n -> 100 * MILLI);
        assertTrue(perSecond() > 0.9 * 10 * MOST, () -> perSecond() + " rows a second");
        assertTrue(sizes.subList(20, 220).stream().allMatch(size -> size > MOST / 3), sizes::toString);
    }

    @Test
    void whereTheCallAndItsRowsTakeLongTheyShareTheTime() {
        answer(20, n -> 100 * MILLI + MILLI * n);
        answer(200, n -> 100 * MILLI + MILLI * n);
        assertTrue(perSecond() > 0.7 * 1_000, () -> perSecond() + " rows a second");
        assertTrue(longest <= 410 * MILLI, () -> longest + " ns");
    }

    @Test
    void callsThatWaitTogetherDoSo() {
        LongUnaryOperator sixtyFour = n -> 100 * MILLI * ((n + 63) / 64);
        answer(20, sixtyFour);
        answer(500, sixtyFour);
        assertTrue(perSecond() > 0.7 * 640, () -> perSecond() + " rows a second");
    }

    @Test
    void aFirstCallThatTakesSecondsIsForgotten() {
        answer(1, n -> 2_000 * MILLI);
        answer(14, n -> 30 * MICRO + 120 * n);
        assertEquals(MOST, pace.rows());
    }

    @Test
    void aFunctionThatBecomesSlowHasItsSizeWithinFiveBatches() {
        answer(50, n -> 30 * MICRO + 100 * n);
        answer(5, n -> 30 * MICRO + MILLI * n);
        assertTrue(longest < TIMEOUT_MS / 4 * MILLI, () -> longest + " ns");
        answer(50, n -> 30 * MICRO + MILLI * n);
        assertTrue(longest <= 21 * MILLI, () -> longest + " ns");
        answer(50, n -> 30 * MICRO + 100 * n);
        assertEquals(MOST, pace.rows());
    }

    @Test
    void aBusyMachineMakesFewBatchesSmaller() {
        Random chance = new Random(7);
        LongUnaryOperator held = n -> 30 * MICRO + 120 * n + (chance.nextInt(20) == 0 ? chance.nextInt(5, 80) * MILLI : 0);
        answer(20, held);
        answer(1_000, held);
        assertTrue(rows > 950L * MOST, () -> rows + " rows");
    }

    @Test
    void rowsThatDifferMuchAreAFewAtATime() {
        Random chance = new Random(11);
        answer(2_000, n -> {
            long took = 0;
            for (long k = 0; k < n; k++) {
                took += (long) (15 * MILLI * -Math.log(1 - chance.nextDouble()));
            }
            return took;
        });
        assertTrue(rows < 6_000, () -> rows + " rows");
        assertTrue(longest < 2_000 * MILLI, () -> longest + " ns");
    }

    @Test
    void noBatchIsToTakeAQuarterOfTheTimeout() {
        answer(50, n -> 20_000 * MILLI * n);
        assertEquals(50, rows);
    }

    @Test
    void aNewProcessBeginsWithOneRow() {
        answer(50, n -> 100 * n);
        pace.restart();
        assertEquals(1, pace.rows());
    }

    @Test
    void batchesWithoutRowsSayNothing() {
        answer(50, n -> 100 * n);
        pace.answered(0, 50_000 * MILLI, 0);
        assertEquals(MOST, pace.rows());
    }

    @Test
    void aSizeThatIsWrittenHolds() {
        BatchPace written = new BatchPace(new BatchLimits(MOST, 1 << 20), TIMEOUT_MS);
        written.answered(MOST, 61_000 * MILLI, 1L << 32);
        written.restart();
        assertEquals(MOST, written.rows());
    }
}
