package io.despina.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class FreeSegmentsTest {
    private static Segment segment() {
        return new Segment(s -> { }, new byte[1]);
    }

    @Test
    void theOneReleasedLastIsGivenFirst() {
        FreeSegments free = new FreeSegments(64);
        Segment cold = segment();
        Segment hot = segment();
        assertTrue(free.offer(cold));
        assertTrue(free.offer(hot));
        assertSame(hot, free.poll());
        assertSame(cold, free.poll());
        assertNull(free.poll());
    }

    @Test
    void itKeepsSoManyAndNoMore() {
        FreeSegments free = new FreeSegments(64);
        int kept = 0;
        while (free.offer(segment())) {
            kept++;
        }
        assertTrue(kept >= 64, "only " + kept);
        assertFalse(free.offer(segment()));
        for (int k = 0; k < kept; k++) {
            free.poll();
        }
        assertNull(free.poll());
    }

    @Test
    void threadsThatMeetLoseNoneAndGetNoneTwice() throws InterruptedException {
        FreeSegments free = new FreeSegments(1024);
        Set<Segment> all = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int k = 0; k < 40; k++) {
            Segment made = segment();
            all.add(made);
            free.offer(made);
        }
        CountDownLatch twice = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int k = 0; k < 200_000; k++) {
                    Segment taken = free.poll();
                    if (taken != null) {
                        if (++taken.packets != 1) {
                            twice.countDown();
                        }
                        taken.packets--;
                        free.offer(taken);
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(1, twice.getCount(), "one was given to two");
        Set<Segment> left = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Segment s = free.poll(); s != null; s = free.poll()) {
            left.add(s);
        }
        assertEquals(all, left);
    }
}
