package io.despina.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import org.junit.jupiter.api.Test;

/** The queue's bounds and its bells, on a clock of our own. */
class InboxTest {
    private static final long MS = 1_000_000;
    private static final int SIZE = 4096;
    private static final long CHARGE = SIZE + Inbox.OVERHEAD;

    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private long now;
    private int data;
    private int room;

    private Inbox inbox(long low, long high) {
        Inbox inbox = new Inbox(new QueueBounds(low, high), 100 * MS, () -> now);
        inbox.setReceiver(() -> data++);
        inbox.setSender(() -> room++);
        return inbox;
    }

    private void offer(Inbox inbox) {
        inbox.send(pool.take(SIZE));
    }

    @Test
    void pausesAtTheHighBoundAndGoesOnAtTheLow() {
        Inbox inbox = inbox(2 * CHARGE, 4 * CHARGE);
        for (int k = 0; k < 4; k++) {
            assertTrue(inbox.hasRoom());
            offer(inbox);
        }
        assertFalse(inbox.hasRoom());
        assertTrue(inbox.isUrgent());
        inbox.consumed(inbox.poll());
        assertFalse(inbox.hasRoom());
        assertEquals(0, room);
        inbox.consumed(inbox.poll());
        assertEquals(1, room);
        assertTrue(inbox.hasRoom());
        inbox.consumed(inbox.poll());
        assertEquals(1, room);
    }

    @Test
    void tellsASenderThatWaitsForItToBeDrained() {
        Inbox inbox = inbox(CHARGE, 4 * CHARGE);
        assertTrue(inbox.isDrained());
        offer(inbox);
        offer(inbox);
        assertFalse(inbox.isDrained());
        inbox.consumed(inbox.poll());
        assertEquals(0, room);
        Segment last = inbox.poll();
        assertFalse(inbox.isDrained());
        inbox.consumed(last);
        assertEquals(1, room);
        assertTrue(inbox.isDrained());
    }

    @Test
    void ringsForEachArrivalAtAnEmptyQueueAndForNoOther() {
        Inbox inbox = inbox(CHARGE, 4 * CHARGE);
        offer(inbox);
        assertEquals(1, data);
        offer(inbox);
        assertEquals(1, data);
        inbox.consumed(inbox.poll());
        offer(inbox);
        assertEquals(1, data);
        inbox.consumed(inbox.poll());
        inbox.consumed(inbox.poll());
        offer(inbox);
        assertEquals(2, data);
        inbox.consumed(inbox.poll());
        assertNull(inbox.poll());
        assertFalse(inbox.hasNext());
        offer(inbox);
        assertEquals(3, data);
        inbox.close();
    }

    @Test
    void theEndRingsThoughTheQueueIsNotEmpty() {
        Inbox inbox = inbox(CHARGE, 4 * CHARGE);
        offer(inbox);
        assertEquals(1, data);
        assertFalse(inbox.isEnded());
        inbox.send(pool.signal(SegmentKind.END, 0, false));
        assertEquals(2, data);
        assertTrue(inbox.isEnded());
        inbox.close();
    }

    @Test
    void countsPacketsAndIsUrgentAtTheEnd() {
        Inbox inbox = inbox(CHARGE, 4 * CHARGE);
        Segment segment = pool.take(SIZE);
        segment.packets = 12;
        inbox.send(segment);
        assertEquals(12, inbox.packets());
        assertFalse(inbox.isUrgent());
        inbox.consumed(inbox.poll());
        assertEquals(0, inbox.packets());
        inbox.send(pool.signal(SegmentKind.END, 0, false));
        assertTrue(inbox.isUrgent());
        inbox.close();
        assertTrue(pool.leaks().isEmpty());
    }

    @Test
    void isUrgentWhileASenderWaitsBetweenTheMarks() {
        Inbox inbox = inbox(CHARGE, 4 * CHARGE);
        for (int k = 0; k < 4; k++) {
            offer(inbox);
        }
        assertFalse(inbox.hasRoom());
        inbox.consumed(inbox.poll());
        inbox.consumed(inbox.poll());
        assertFalse(inbox.hasRoom());
        assertTrue(inbox.isUrgent());
        inbox.consumed(inbox.poll());
        assertTrue(inbox.hasRoom());
        assertFalse(inbox.isUrgent());
    }

    @Test
    void isUrgentForASenderWithoutMemoryUntilItIsDrained() {
        Inbox inbox = inbox(CHARGE, 4 * CHARGE);
        offer(inbox);
        assertFalse(inbox.isUrgent());
        inbox.urge();
        assertTrue(inbox.isUrgent());
        inbox.consumed(inbox.poll());
        assertFalse(inbox.isUrgent());
    }

    @Test
    void whatIsQueuedShrinksToTheTargetAndGrowsAgainAtOnce() {
        Inbox inbox = inbox(128 << 10, 256 << 10);
        assertEquals(Integer.MAX_VALUE, inbox.segmentBytes());
        // One segment every 20 ms: 5 of them are what 100 ms can drain.
        for (int k = 0; k < 30; k++) {
            drainOne(inbox, 20 * MS);
        }
        assertEquals(5 * CHARGE, inbox.limit(), CHARGE);
        assertTrue(inbox.segmentBytes() <= 2 * CHARGE, "segments of " + inbox.segmentBytes());
        for (int k = 0; k < 6; k++) {
            offer(inbox);
        }
        assertFalse(inbox.hasRoom());
        while (inbox.hasNext()) {
            inbox.consumed(inbox.poll());
        }
        // Fast again: one measurement is enough.
        for (int k = 0; k < 200; k++) {
            drainOne(inbox, MS / 10);
        }
        assertEquals(256 << 10, inbox.limit());
    }

    @Test
    void timeWithoutWorkIsNotDrainTime() {
        Inbox inbox = inbox(128 << 10, 256 << 10);
        for (int k = 0; k < 50; k++) {
            now += 1000 * MS;
            drainOne(inbox, MS / 10);
        }
        assertEquals(256 << 10, inbox.limit());
    }

    private void drainOne(Inbox inbox, long nanos) {
        offer(inbox);
        Segment segment = inbox.poll();
        now += nanos;
        inbox.consumed(segment);
    }

    @Test
    void boundsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> new QueueBounds(5, 5));
        assertThrows(IllegalArgumentException.class, () -> new QueueBounds(-1, 5));
        QueueBounds tiny = QueueBounds.derive(100_000, 1000, 64 << 10);
        assertEquals(8192, tiny.high());
        QueueBounds ample = QueueBounds.derive(1L << 30, 4, 64 << 10);
        assertEquals(16 * 64 << 10, ample.high());
    }
}
