package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.wake.Waker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.SpscUnboundedAtomicArrayQueue;

/**
 * The bounded queue of a channel: one thread sends, one thread polls and completes, neither locks. A local channel is one inbox;
 * a remote one has an inbox at either end, and its IO threads poll the first and send to the second.
 *
 * <p>Bounded in bytes, not in slots: a segment sent beyond the high bound is taken, and the sender stops at {@link #hasRoom}.
 * Every segment counts with its array and {@link #OVERHEAD}, so segments without bytes are bounded too.
 *
 * <p>Each side is woken once when it has something to do. A side that finds nothing sets its <i>waits</i> flag and looks again;
 * the other side first changes the queue and then looks at the flag. Both accesses are volatile, so at least one of the two sees
 * the other's (Dekker's pattern). The thread that clears the flag, by compare-and-set, wakes. An END or a barrier always wakes.
 */
public final class Inbox implements ChannelSender, ChannelReceiver {
    /** What a segment counts for besides its array, in bytes. */
    static final int OVERHEAD = 128;
    private static final int CHUNK = 32;
    private static final int SMALLEST_SEGMENT = 256;
    private static final int SEGMENTS_IN_LIMIT = 4;
    private static final VarHandle ADDED = handle("added", long.class);
    private static final VarHandle REMOVED = handle("removed", long.class);
    private static final VarHandle RECEIVER_WAITS = handle("receiverWaits", boolean.class);
    private static final VarHandle WAITS_FOR_ROOM = handle("waitsForRoom", boolean.class);
    private static final VarHandle WAITS_FOR_DRAIN = handle("waitsForDrain", boolean.class);
    private static final VarHandle PACKETS_ADDED = handle("packetsAdded", long.class);

    private final Queue<Segment> queue = new SpscUnboundedAtomicArrayQueue<>(CHUNK);
    private final QueueBounds bounds;
    private final LongSupplier clock;
    /** The receiver's. */
    private final DrainRate rate;

    /** Written by the sender (volatile), read by both: charges of everything sent so far. */
    private long added;
    /** Written by the sender (opaque), read by the receiver. */
    private long packetsAdded;
    /** Written by the receiver (volatile), read by both: charges of everything completed so far. */
    private long removed;
    /** Written by the receiver, read by both: bytes at which the sender pauses now. */
    private volatile long limit;
    /** Set by the receiver when it finds the queue empty; cleared by the thread that wakes it. */
    private boolean receiverWaits = true;
    /** Set by the sender when it finds no room; cleared by the thread that wakes it, or by itself. */
    private boolean waitsForRoom;
    /** Set by the sender when it finds something uncompleted; cleared by the thread that wakes it, or by itself. */
    private boolean waitsForDrain;
    /** Written by the sender: an END has been sent. */
    private volatile boolean ended;
    /** Written by the sender: barriers sent so far. */
    private volatile long barriersAdded;
    /** Set by the sender when it lacks memory for more; cleared by the receiver when everything has been completed. */
    private volatile boolean urged;
    /** Written by the receiver. */
    private volatile boolean closed;

    /** The sender's. */
    private boolean paused;
    /** The receiver's. */
    private long packetsPolled;
    /** The receiver's. */
    private long barriersPolled;

    /** Written once while the channel is connected, by any thread; read by the thread that wakes. */
    private volatile Waker receiver = () -> { };
    /** As {@link #receiver}. */
    private volatile Waker sender = () -> { };

    /** @param clock nanoseconds */
    public Inbox(QueueBounds bounds, long queueTargetNanos, LongSupplier clock) {
        this.bounds = bounds;
        this.clock = clock;
        rate = new DrainRate(bounds.high(), queueTargetNanos);
        limit = bounds.high();
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Inbox.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What {@code segment} counts for in a queue, in bytes. */
    public static long charge(Segment segment) {
        return segment.capacity() + OVERHEAD;
    }

    // The sender's side.

    /**
     * The counters come before the segment, so that the receiver never completes more than was added. The fence comes before
     * {@link #closed} is read: {@link #close} writes it, fences and empties the queue, so one of the two sees the segment.
     */
    @Override
    public void send(Segment segment) {
        boolean end = segment.kind == SegmentKind.END;
        boolean barrier = segment.kind == SegmentKind.BARRIER;
        if (end) {
            ended = true;
        } else if (barrier) {
            barriersAdded++;        // this thread alone writes it
        }
        PACKETS_ADDED.setOpaque(this, packetsAdded + segment.packets);
        ADDED.setVolatile(this, added + charge(segment));
        queue.offer(segment);
        VarHandle.fullFence();
        if (closed) {
            discard();
        } else if (end || barrier) {
            // a receiver that leaves packets in the queue until its schedule is due does not wait for more
            receiver.wake();
        } else {
            wakeIf(RECEIVER_WAITS);
        }
    }

    @Override
    public boolean hasRoom() {
        if (closed || !paused && queuedBytes() < limit) {
            return true;
        }
        paused = true;
        if (queuedBytes() <= lowBound()) {
            paused = false;
            return true;
        }
        WAITS_FOR_ROOM.setVolatile(this, true);
        if (queuedBytes() <= lowBound() && WAITS_FOR_ROOM.compareAndSet(this, true, false)) {
            paused = false;
            return true;
        }
        return false;
    }

    @Override
    public boolean isDrained() {
        if (closed || queuedBytes() == 0) {
            return true;
        }
        WAITS_FOR_DRAIN.setVolatile(this, true);
        return queuedBytes() == 0 && WAITS_FOR_DRAIN.compareAndSet(this, true, false);
    }

    @Override
    public void urge() {
        if (!urged) {
            urged = true;
        }
    }

    /** A size of which several fit under a limit that has shrunk. */
    @Override
    public int segmentBytes() {
        long now = limit;
        return now >= bounds.high() ? Integer.MAX_VALUE : (int) Math.max(SMALLEST_SEGMENT, now / SEGMENTS_IN_LIMIT);
    }

    @Override
    public void setSender(Waker task) {
        sender = task;
    }

    // The receiver's side.

    /**
     * The flag is set whenever the queue becomes empty, not only when a poll finds it empty: the receiver is woken for each
     * segment that arrives in an empty queue, whether or not it has polled again.
     */
    @Override
    public Segment poll() {
        Segment segment = queue.poll();
        if (segment == null) {
            RECEIVER_WAITS.setVolatile(this, true);
            segment = queue.poll();
            if (segment == null) {
                return null;
            }
        }
        if (queue.isEmpty()) {
            RECEIVER_WAITS.setVolatile(this, true);
            if (!queue.isEmpty()) {
                wakeIf(RECEIVER_WAITS);
            }
        }
        if (!rate.isBusy()) {
            rate.begin(clock.getAsLong());
        }
        packetsPolled += segment.packets;
        barriersPolled += segment.kind == SegmentKind.BARRIER ? 1 : 0;
        return segment;
    }

    @Override
    public boolean hasNext() {
        if (!queue.isEmpty()) {
            return true;
        }
        RECEIVER_WAITS.setVolatile(this, true);
        return !queue.isEmpty();
    }

    @Override
    public long packets() {
        return (long) PACKETS_ADDED.getOpaque(this) - packetsPolled;
    }

    @Override
    public boolean isUrgent() {
        return ended || urged || (boolean) WAITS_FOR_ROOM.getVolatile(this) || queuedBytes() >= limit;
    }

    @Override
    public boolean hasBarrier() {
        return barriersAdded != barriersPolled;
    }

    /** Any thread may ask. */
    @Override
    public boolean isEnded() {
        return ended;
    }

    @Override
    public void consumed(Segment segment) {
        long charge = charge(segment);
        segment.release();
        completed(charge);
    }

    @Override
    public void passedOn(int capacity) {
        completed(capacity + OVERHEAD);
    }

    /**
     * For a receiver that releases segments itself: it is done with polled ones that count for {@code charge}. The limit is
     * written before {@link #removed}, which the sender reads first: it sees the new room under the new limit.
     */
    public void completed(long charge) {
        long after = removed + charge;
        limit = rate.completed(charge, (long) ADDED.getVolatile(this) != after, clock.getAsLong());
        REMOVED.setVolatile(this, after);
        long queued = queuedBytes();
        if (queued == 0) {
            if (urged) {
                urged = false;
            }
            wakeIf(WAITS_FOR_DRAIN);
        }
        if (queued <= lowBound()) {
            wakeIf(WAITS_FOR_ROOM);
        }
    }

    @Override
    public void setReceiver(Waker task) {
        receiver = task;
    }

    @Override
    public void close() {
        closed = true;
        VarHandle.fullFence();
        discard();
        wakeIf(WAITS_FOR_DRAIN);
        wakeIf(WAITS_FOR_ROOM);
    }

    /** After the close either side may empty the queue, whichever comes later. */
    private synchronized void discard() {
        Segment segment;
        while ((segment = queue.poll()) != null) {
            segment.release();
        }
    }

    /** Bytes sent and not yet completed. Either side may ask. */
    @Override
    public long queuedBytes() {
        return (long) ADDED.getVolatile(this) - (long) REMOVED.getVolatile(this);
    }

    @Override
    public long bytesPerSecond() {
        return rate.perSecond();
    }

    @Override
    public long limit() {
        return limit;
    }

    private long lowBound() {
        return Math.min(bounds.low(), limit / 2);
    }

    /**
     * Wakes the side that waits. The waker is read after the flag: a side sets its waker first and its flag afterwards, so a
     * thread that sees the flag sees the waker.
     */
    private void wakeIf(VarHandle waits) {
        if ((boolean) waits.getVolatile(this) && waits.compareAndSet(this, true, false)) {
            (waits == RECEIVER_WAITS ? receiver : sender).wake();
        }
    }
}
