package io.despina.operator.python;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.python.WorkerEvent;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CrossingTest {
    private static final int MUCH = 5 << 20;

    /** Of three in a row, the first has the process, and the second waits for room on its way to the third. */
    @Test
    void whoWaitsForRoomIsWokenThoughTheProcessIsNotItsOwn() {
        Crossing crossing = new Crossing();
        AtomicInteger leading = new AtomicInteger();
        AtomicInteger giving = new AtomicInteger();
        crossing.send(leading::incrementAndGet);
        crossing.give(giving::incrementAndGet);
        Crossing.Batch batch = new Crossing.Batch(1);
        batch.events().add(new WorkerEvent.Rows(1, new byte[MUCH], true));
        crossing.put(List.of(batch));
        assertTrue(crossing.isFull());
        assertSame(batch, crossing.at(0));
        crossing.take();
        assertFalse(crossing.isFull());
        assertEquals(List.of(0, 1), List.of(leading.get(), giving.get()));
    }
}
