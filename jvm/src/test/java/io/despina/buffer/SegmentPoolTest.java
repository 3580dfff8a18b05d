package io.despina.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Runs with checks on, as all tests do. */
class SegmentPoolTest {
    private final SegmentPool pool = new SegmentPool(new Budget(1 << 20));

    @Test
    void reusesReleasedArrays() {
        Segment first = pool.take(5000);
        assertEquals(8192, first.capacity());
        first.packets = 3;
        first.kind = SegmentKind.END;
        first.release();
        Segment second = pool.take(8192);
        assertSame(first, second);
        assertEquals(0, second.packets);
        assertEquals(SegmentKind.DATA, second.kind);
        second.release();
        assertEquals(8192, pool.keptBytes());
        assertEquals(0, pool.budget().used());
    }

    @Test
    void overwritesWhatIsReleasedAndNoticesLateUse() {
        Segment segment = pool.take(300);
        byte[] bytes = segment.bytes();
        segment.release();
        assertEquals((byte) 0xdb, bytes[0]);
        assertEquals((byte) 0xdb, bytes[299]);
        assertThrows(IllegalStateException.class, segment::bytes);
        assertThrows(IllegalStateException.class, segment::release);
    }

    @Test
    void namesWhereALostSegmentWasTaken() {
        Segment lost = pool.take(300);
        assertEquals(1, pool.leaks().size());
        StackTraceElement[] trace = pool.leaks().get(lost).getStackTrace();
        assertTrue(List.of(trace).stream().anyMatch(t -> t.getMethodName().equals("namesWhereALostSegmentWasTaken")));
        lost.release();
        assertTrue(pool.leaks().isEmpty());
    }

    @Test
    void whatIsKeptMakesRoomForWhatIsNeeded() {
        List<Segment> small = new ArrayList<>();
        for (int k = 0; k < 16; k++) {
            small.add(pool.tryTake(64 << 10));
        }
        assertNull(pool.tryTake(1));
        small.forEach(Segment::release);
        assertEquals(1 << 20, pool.keptBytes());
        Segment large = pool.tryTake(512 << 10);
        assertNotNull(large);
        assertTrue(pool.keptBytes() + pool.budget().used() <= 1 << 20);
        large.release();
    }

    @Test
    void aSharedSegmentGoesBackWithItsLastView() {
        Segment original = pool.take(1000);
        original.end = 700;
        original.packets = 1;
        SegmentPool.Shared shared = pool.share(original);
        Segment one = shared.view();
        Segment two = shared.view();
        shared.close();
        assertSame(original.bytes(), one.bytes());
        assertEquals(700, two.size());
        one.release();
        assertEquals(1024, pool.budget().used());
        two.release();
        assertEquals(0, pool.budget().used());
    }

    @Test
    void signalsTakeNoMemory() {
        Segment signal = pool.signal(SegmentKind.WATERMARK, 5, true);
        assertEquals(0, signal.capacity());
        assertEquals(0, pool.budget().used());
        signal.release();
        Segment next = pool.signal(SegmentKind.IDLE, 0, false);
        assertSame(signal, next);
        assertFalse(next.exact);
        next.release();
    }

    @Test
    void threadsNeverShareASegmentAndTheSumsComeOut() {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int mark = t;
            threads.add(CompletableFuture.runAsync(() -> takeAndRelease(mark)));
        }
        threads.forEach(CompletableFuture::join);
        assertEquals(0, pool.budget().used());
        assertTrue(pool.keptBytes() <= 1 << 20);
    }

    private void takeAndRelease(int mark) {
        SplittableRandom random = new SplittableRandom(mark);
        List<Segment> held = new ArrayList<>();
        for (int k = 0; k < 20_000; k++) {
            Segment segment = pool.tryTake(random.nextInt(1, 40_000));
            if (segment != null) {
                segment.value = mark;
                segment.bytes()[0] = (byte) mark;
                held.add(segment);
            }
            if (held.size() > 8 || segment == null && !held.isEmpty()) {
                Segment done = held.remove(random.nextInt(held.size()));
                assertEquals(mark, done.value);
                assertEquals((byte) mark, done.bytes()[0]);
                done.release();
            }
        }
        held.forEach(Segment::release);
    }
}
