package io.despina.control.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.link.Attempt;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OrphansTest {
    private static final Attempt ONE = Attempt.first("one");
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong(-SECOND);
    private final Orphans orphans = new Orphans(clock::get);

    @Test
    void theirTimeBeginsWithTheFirstLoss() {
        orphans.add(ONE, 2_000);
        clock.addAndGet(SECOND);
        orphans.add(ONE, 2_000);
        assertEquals(List.of(), orphans.due());
        clock.addAndGet(SECOND);
        assertEquals(List.of(ONE), orphans.due());
        assertFalse(orphans.remove(ONE), "nobody takes it over");
        assertEquals(List.of(), orphans.all());
    }

    @Test
    void whoIsTakenOverHasAllOfItsTimeAgain() {
        orphans.add(ONE, 2_000);
        clock.addAndGet(SECOND);
        assertTrue(orphans.remove(ONE));
        assertEquals(List.of(), orphans.all());
        orphans.add(ONE, 2_000);
        clock.addAndGet(SECOND);
        assertEquals(List.of(), orphans.due());
    }
}
