package io.despina.buffer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/**
 * The segments of one resource, in size classes of powers of two from {@link #LEAST} to {@link #LARGEST}; larger ones are
 * made to measure and not kept. Any thread takes, any thread releases, none locks. Arrays in use and arrays kept for reuse
 * together stay within the budget.
 *
 * <p>With {@code -Ddespina.checks=true} a released segment is overwritten, and {@link #leaks} names where each segment
 * that was never released was taken.
 */
public final class SegmentPool {
    /** The smallest size class: what a lone packet is handed over in. */
    public static final int LEAST = 256;
    /** What a channel's segments start with, and the reserved minimum of a local channel's end. */
    public static final int SMALL = 4 << 10;
    /** The largest size class. */
    public static final int LARGEST = 1 << 20;

    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");
    private static final byte POISON = (byte) 0xdb;
    private static final byte[] NOTHING = {};
    private static final int LEAST_BITS = Integer.numberOfTrailingZeros(LEAST);
    private static final int CLASSES = Integer.numberOfTrailingZeros(LARGEST) - LEAST_BITS + 1;
    private static final int KEPT_SIGNALS = 1024;
    /** Of each class so many are kept as take this much memory, but at least {@link #KEPT_LEAST}. */
    private static final int KEPT_BYTES = 16 << 20;
    private static final int KEPT_LEAST = 64;

    private final Budget budget;
    private final MpmcAtomicArrayQueue<Segment> signals = new MpmcAtomicArrayQueue<>(KEPT_SIGNALS);
    /** Per size class, the released segments. */
    private final FreeSegments[] free;
    /** Any thread reads and writes: bytes of the arrays in {@link #free}. */
    private final AtomicLong kept = new AtomicLong();
    /** Any thread reads and writes: whether one oversize arrival is in the resource. */
    private final AtomicBoolean oversize = new AtomicBoolean();
    private final Segment.Home home = this::takeBack;
    private final Segment.Home oversizeHome = this::takeOversizeBack;
    private final Map<Segment, Throwable> outstanding = new ConcurrentHashMap<>();

    public SegmentPool(Budget budget) {
        this.budget = budget;
        free = new FreeSegments[CLASSES];
        for (int k = 0; k < CLASSES; k++) {
            free[k] = new FreeSegments(Math.max(KEPT_LEAST, Math.min(4096, KEPT_BYTES >> (k + LEAST_BITS))));
        }
    }

    public Budget budget() {
        return budget;
    }

    /** The size of the array that a segment for {@code bytes} gets. */
    public static int sizeFor(int bytes) {
        if (bytes > LARGEST) {
            return bytes;
        }
        return bytes <= LEAST ? LEAST : Integer.highestOneBit(bytes - 1) << 1;
    }

    /** A segment of at least {@code bytes}, or null if the floating part of the budget has not that much left. */
    public Segment tryTake(int bytes) {
        return budget.tryTake(sizeFor(bytes)) ? taken(bytes) : null;
    }

    /** A segment of at least {@code bytes} in any case: the caller takes it on its reserved minimum. */
    public Segment take(int bytes) {
        budget.take(sizeFor(bytes));
        return taken(bytes);
    }

    /**
     * A segment for an arriving packet that is larger than its channel's minimum, when the budget has no room for it: granted
     * to one at a time in the whole resource.
     *
     * @return null if another is there
     */
    public Segment tryTakeOversize(int bytes) {
        if (!oversize.compareAndSet(false, true)) {
            return null;
        }
        budget.take(bytes);
        dropKept();
        return track(new Segment(oversizeHome, new byte[bytes]));
    }

    /** A segment without bytes that says {@code kind}. */
    public Segment signal(Segment.Kind kind, long value, boolean exact) {
        Segment s = signals.poll();
        s = s == null ? new Segment(home, NOTHING) : s.renew();
        s.kind = kind;
        s.value = value;
        s.exact = exact;
        return track(s);
    }

    /** With checks on: the segments that are out, and where each was taken. */
    public Map<Segment, Throwable> leaks() {
        return Map.copyOf(outstanding);
    }

    /** Bytes of arrays kept for reuse. */
    public long keptBytes() {
        return kept.get();
    }

    private Segment taken(int bytes) {
        int size = sizeFor(bytes);
        if (size <= LARGEST) {
            Segment s = free[classOf(size)].poll();
            if (s != null) {
                kept.addAndGet(-size);
                return track(s.renew());
            }
        }
        dropKept();
        return track(new Segment(home, new byte[size]));
    }

    private Segment track(Segment s) {
        if (CHECKS) {
            outstanding.put(s, new Throwable("taken by " + Thread.currentThread().getName()));
        }
        return s;
    }

    /** Drops kept arrays, large ones first, until what is in use and what is kept fit into the budget. */
    private void dropKept() {
        for (int k = CLASSES - 1; k >= 0 && tooMuch(); k--) {
            while (tooMuch()) {
                if (free[k].poll() == null) {
                    break;
                }
                kept.addAndGet(-((long) LEAST << k));
            }
        }
    }

    /** What is about to be made is in {@code used} already. */
    private boolean tooMuch() {
        return kept.get() > 0 && budget.used() + kept.get() > budget.bytes();
    }

    private static int classOf(int size) {
        return Integer.numberOfTrailingZeros(size) - LEAST_BITS;
    }

    private void takeBack(Segment s) {
        forget(s);
        int size = s.capacity();
        if (size == 0) {
            signals.offer(s);
            return;
        }
        budget.give(size);
        if (size <= LARGEST) {
            kept.addAndGet(size);
            if (!free[classOf(size)].offer(s)) {
                kept.addAndGet(-size);
            }
            dropKept();
        }
    }

    private void takeOversizeBack(Segment s) {
        forget(s);
        budget.give(s.capacity());
        oversize.set(false);
    }

    private void forget(Segment s) {
        if (CHECKS) {
            outstanding.remove(s);
            s.overwrite(POISON);
        }
    }
}
