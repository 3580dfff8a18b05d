package io.despina.buffer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.atomic.MpmcAtomicArrayQueue;

/**
 * The segments of one resource, in size classes of powers of two from {@link #LEAST} to {@link #LARGEST}; larger ones get an
 * array of exactly their size and are not kept. Any thread may take and release, without a lock. Arrays in use and arrays kept
 * for reuse together stay within the budget.
 *
 * <p>With {@code -Ddespina.checks=true} a released segment is overwritten, and {@link #leaks} names where each segment that was
 * never released was taken.
 */
public final class SegmentPool {
    /** The smallest size class: a lone packet is sent in one. */
    public static final int LEAST = 256;
    /** The first size of a channel's segments, and the reserved minimum of a local channel's end. */
    public static final int SMALL = 4 << 10;
    /** The largest size class. */
    public static final int LARGEST = 1 << 20;

    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");
    private static final byte POISON = (byte) 0xdb;
    private static final byte[] NOTHING = {};
    private static final int LEAST_BITS = Integer.numberOfTrailingZeros(LEAST);
    private static final int CLASSES = Integer.numberOfTrailingZeros(LARGEST) - LEAST_BITS + 1;
    private static final int KEPT_SIGNALS = 1024;
    /** Bytes of released segments that are kept per size class, but at least {@link #KEPT_LEAST} segments. */
    private static final int KEPT_BYTES = 16 << 20;
    private static final int KEPT_LEAST = 64;

    private final Budget budget;
    private final MpmcAtomicArrayQueue<Segment> signals = new MpmcAtomicArrayQueue<>(KEPT_SIGNALS);
    /** Per size class, the released segments. */
    private final FreeSegments[] free;
    /** Any thread reads and writes: bytes of the arrays in {@link #free}. */
    private final AtomicLong kept = new AtomicLong();
    private final Segment.Home home = this::takeBack;
    private final Overdraft overdraft = new Overdraft(this);
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

    /** A segment of at least {@code bytes}, or null if the floating part of the budget does not have that much left. */
    public Segment tryTake(int bytes) {
        return budget.tryTake(sizeFor(bytes)) ? taken(bytes) : null;
    }

    /** A segment of at least {@code bytes} in any case: it counts against the caller's reserved minimum. */
    public Segment take(int bytes) {
        budget.take(sizeFor(bytes));
        return taken(bytes);
    }

    /** Segments beyond the budget. */
    public Overdraft overdraft() {
        return overdraft;
    }

    Segment lend(Segment.Home home, int bytes) {
        budget.take(bytes);
        dropKept();
        return track(new Segment(home, new byte[bytes]));
    }

    void takeLoanBack(Segment s) {
        forget(s);
        budget.give(s.capacity());
    }

    /** Shares {@code original} among several segments. It is released when all of them are. */
    public Shared share(Segment original) {
        return new Shared(original);
    }

    /** One segment's bytes for several owners; none of them writes to it. */
    public final class Shared implements Segment.Home {
        private final Segment original;
        /** Any thread reads and writes: views that are not released, and one for the caller until {@link #close}. */
        private final AtomicInteger owners = new AtomicInteger(1);

        private Shared(Segment original) {
            this.original = original;
        }

        public Segment original() {
            return original;
        }

        /** A segment with the same bytes, for another owner. */
        public Segment view() {
            owners.incrementAndGet();
            Segment view = new Segment(this, original.bytes());
            view.start = original.start;
            view.end = original.end;
            view.packets = original.packets;
            view.origin = original.origin;
            return track(view);
        }

        /** No more views are made. */
        public void close() {
            if (owners.decrementAndGet() == 0) {
                original.release();
            }
        }

        @Override
        public boolean isBeyondBudget() {
            return original.isBeyondBudget();
        }

        @Override
        public void takeBack(Segment view) {
            if (CHECKS) {
                outstanding.remove(view);
            }
            close();
        }
    }

    /** A signal: a segment without bytes. */
    public Segment signal(SegmentKind kind, long value, boolean exact) {
        Segment s = signals.poll();
        s = s == null ? new Segment(home, NOTHING) : s.renew();
        s.kind = kind;
        s.value = value;
        s.exact = exact;
        return track(s);
    }

    /** With checks on: the segments that are not released, and where each was taken. */
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

    /** The array that is about to be created is counted as used already. */
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

    private void forget(Segment s) {
        if (CHECKS) {
            outstanding.remove(s);
            s.overwrite(POISON);
        }
    }
}
