package io.despina.buffer;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/**
 * The released segments of one size class. The few released last are taken first, while they are still in the processor's cache.
 * A thread that finds them in use does not wait: it uses the queue of the others. Any thread may call it.
 */
final class FreeSegments {
    private static final int HOT = 8;

    private final AtomicBoolean busy = new AtomicBoolean();
    /** Guarded by {@link #busy}. */
    private final Segment[] hot = new Segment[HOT];
    private int hotCount;
    private final MpmcAtomicArrayQueue<Segment> others;

    FreeSegments(int capacity) {
        others = new MpmcAtomicArrayQueue<>(capacity);
    }

    /** One of those released last; null if there are none. */
    Segment poll() {
        if (busy.compareAndSet(false, true)) {
            Segment last = null;
            if (hotCount > 0) {
                last = hot[--hotCount];
                hot[hotCount] = null;
            }
            busy.set(false);
            if (last != null) {
                return last;
            }
        }
        return others.poll();
    }

    /** @return false if enough are kept already */
    boolean offer(Segment segment) {
        if (busy.compareAndSet(false, true)) {
            boolean room = hotCount < HOT;
            if (room) {
                hot[hotCount++] = segment;
            }
            busy.set(false);
            if (room) {
                return true;
            }
        }
        return others.offer(segment);
    }
}
