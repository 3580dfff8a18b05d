package io.despina.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OverdraftTest {
    private static final int LARGE = 300_000;

    private final SegmentPool pool = new SegmentPool(new Budget(1 << 20));
    private final Overdraft.Rank low = pool.overdraft().rank(0);
    private final Overdraft.Rank high = pool.overdraft().rank(1);
    private final List<String> woken = new ArrayList<>();

    private Overdraft.Borrower access(Overdraft.Rank rank, String name) {
        Overdraft.Borrower access = rank.borrower();
        access.setWaker(() -> woken.add(name));
        return access;
    }

    @AfterEach
    void nothingLeaks() {
        assertEquals(0, pool.overdraft().segments());
        assertEquals(Map.of(), pool.leaks());
        assertEquals(0, pool.budget().used());
    }

    @Test
    void everybodyMayWriteWhileNothingIsBeyondTheBudget() {
        Overdraft.Borrower one = access(low, "one");
        Overdraft.Borrower two = access(low, "two");
        assertTrue(one.mayWrite());
        assertTrue(two.mayWrite());
    }

    @Test
    void oneOfARankAtATime() {
        Overdraft.Borrower one = access(low, "one");
        Overdraft.Borrower two = access(low, "two");
        Segment large = one.take(LARGE, null);
        assertTrue(large.isBeyondBudget());
        assertFalse(one.mayWrite());
        assertFalse(two.mayWrite());
        assertNull(low.tryTake(LARGE));
        large.release();
        assertEquals(List.of("one", "two"), woken);
        assertTrue(two.mayWrite());
    }

    @Test
    void higherRanksGoOn() {
        Segment below = access(low, "low").take(LARGE, null);
        Overdraft.Borrower above = access(high, "high");
        assertTrue(above.mayWrite());
        Segment large = above.take(LARGE, null);
        assertFalse(above.mayWrite());
        below.release();
        large.release();
        assertEquals(List.of("high"), woken);
    }

    @Test
    void whoLeavesWithoutUseOfItsTurnPassesItOn() throws InterruptedException {
        Segment elsewhere = access(high, "high").take(LARGE, null);
        Overdraft.Borrower one = access(low, "one");
        Overdraft.Borrower two = access(low, "two");
        assertTrue(one.mayWrite());
        boolean[] may = new boolean[1];
        Thread other = new Thread(() -> may[0] = two.mayWrite());
        other.start();
        other.join();
        assertFalse(may[0]);
        one.leave();
        assertEquals(List.of("two"), woken);
        assertTrue(two.mayWrite());
        two.leave();
        elsewhere.release();
    }

    @Test
    void aTurnGoesOnToTheSegmentThatAPacketGrowsInto() {
        Overdraft.Borrower one = access(low, "one");
        Segment small = one.take(LARGE / 2, null);
        Segment large = one.take(LARGE, small);
        small.release();
        assertNull(low.tryTake(LARGE));
        large.release();
        Segment next = low.tryTake(LARGE);
        assertNotNull(next);
        next.release();
    }

    @Test
    void theTurnComesBackWithTheLastViewOfASharedSegment() {
        SegmentPool.Shared shared = pool.share(access(low, "low").take(LARGE, null));
        Segment one = shared.view();
        Segment two = shared.view();
        assertTrue(one.isBeyondBudget());
        shared.close();
        one.release();
        assertNull(low.tryTake(LARGE));
        two.release();
        assertEquals(0, pool.overdraft().segments());
    }
}
