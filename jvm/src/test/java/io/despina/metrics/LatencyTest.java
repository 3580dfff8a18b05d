package io.despina.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What a sink's latency was since the start, and in the last ten seconds. */
class LatencyTest {
    private static final long S = 1_000_000_000L;
    private static final long MS = 1_000_000L;

    private final Latency latency = new Latency();

    private void look(long atSeconds) {
        latency.snapshot(atSeconds * S);
    }

    private static double max(Histogram found) {
        return found.getMaxValue() / 1e6;
    }

    @Test
    void theLastSecondsForgetWhatWasBefore() {
        look(0);
        latency.record(500 * MS, 1);
        look(2);
        latency.record(4 * MS, 7);
        for (long at = 4; at <= 10; at += 2) {
            look(at);
        }
        assertEquals(8, latency.recent(10 * S).getTotalCount());
        assertEquals(500, max(latency.recent(10 * S)), 500 * 0.0625);
        look(14);
        Histogram recent = latency.recent(14 * S);
        assertEquals(7, recent.getTotalCount());
        assertEquals(4, max(recent), 4 * 0.0625);
        look(30);
        assertNull(latency.recent(30 * S));
        assertEquals(8, latency.snapshot(31 * S).getTotalCount());
    }

    @Test
    void whatCameWhileNobodyLookedIsNotOfTheLastSeconds() {
        latency.record(MS, 1);
        look(5);
        assertNull(latency.recent(5 * S), "nobody knows when it came");
        latency.record(MS, 2);
        look(60);
        assertNull(latency.recent(60 * S));
        latency.record(MS, 3);
        look(61);
        assertEquals(3, latency.recent(61 * S).getTotalCount());
    }

    @Test
    void aWarmUpIsForgotten() {
        look(0);
        latency.record(MS, 1);
        look(1);
        latency.reset(2 * S);
        assertNull(latency.recent(2 * S));
        assertNull(latency.snapshot(2 * S));
    }
}
