package io.despina.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Times are counted once, also while they last, and what is told never goes back. */
class SpentTimeTest {
    private final SpentTime time = new SpentTime();

    @Test
    void whatLastsCounts() {
        assertEquals(0, time.nanos(5));
        time.begin(10);
        assertTrue(time.lasts());
        assertEquals(7, time.nanos(17));
        time.end(20);
        assertFalse(time.lasts());
        assertEquals(10, time.nanos(100));
        time.begin(200);
        assertEquals(13, time.nanos(203));
    }

    @Test
    void anEndWithoutABeginningCountsNothing() {
        time.end(1_000);
        assertEquals(0, time.nanos(2_000));
        time.begin(3_000);
        time.end(3_005);
        time.end(9_000);
        assertEquals(5, time.nanos(9_000));
    }

    @Test
    void whoLooksWithAnOlderClockIsToldNoLess() {
        time.begin(10);
        assertEquals(20, time.nanos(30));
        assertEquals(20, time.nanos(15));
    }

    @Test
    void whoAsksWhileItBeginsAndEndsIsNeverToldLessThanBefore() throws InterruptedException {
        long rounds = 200_000;
        Thread writer = new Thread(() -> {
            for (long k = 0; k < rounds; k++) {
                time.begin(2 * k);
                time.end(2 * k + 1);
            }
        });
        writer.start();
        long last = 0;
        while (writer.isAlive()) {
            long now = time.nanos(2 * rounds);
            assertTrue(now >= last, now + " after " + last);
            last = now;
        }
        writer.join();
        assertTrue(time.nanos(2 * rounds) >= rounds);
    }
}
