package io.despina.link;

import io.despina.buffer.Segment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.SpscUnboundedAtomicArrayQueue;

/**
 * The bounded queue of a channel end: one thread offers, one thread polls and completes, neither locks. Bounded in
 * bytes, not in slots: what is offered beyond the high bound is taken, and the offering side stops at
 * {@link #hasRoom}. Every segment counts with its array and {@link #OVERHEAD}, so segments without bytes are bounded too.
 *
 * <p>It wakes either side when there is something to do, once: a side that has found nothing arms its alarm and looks
 * again; the other side, having changed something, sees the alarm and switches it off before it rings (Dekker's pattern,
 * with volatile accesses). An END rings in any case.
 */
public final class Inbox implements ChannelReceiver {
    /** What a segment counts for besides its array, in bytes. */
    static final int OVERHEAD = 128;
    private static final int CHUNK = 32;
    private static final int SMALLEST_SEGMENT = 256;
    private static final int SEGMENTS_IN_LIMIT = 4;
    private static final VarHandle ADDED = handle("added", long.class);
    private static final VarHandle REMOVED = handle("removed", long.class);
    private static final VarHandle DATA_ALARM = handle("dataAlarm", boolean.class);
    private static final VarHandle ROOM_ALARM = handle("roomAlarm", boolean.class);
    private static final VarHandle DRAINED_ALARM = handle("drainedAlarm", boolean.class);
    private static final VarHandle PACKETS_ADDED = handle("packetsAdded", long.class);

    private final Queue<Segment> queue = new SpscUnboundedAtomicArrayQueue<>(CHUNK);
    private final QueueBounds bounds;
    private final LongSupplier clock;
    /** The consumer's. */
    private final DrainRate rate;

    /** Written by the producer (volatile), read by both: charges of everything offered so far. */
    private long added;
    /** Written by the producer (opaque), read by the consumer. */
    private long packetsAdded;
    /** Written by the consumer (volatile), read by both: charges of everything completed so far. */
    private long removed;
    /** Written by the consumer, read by both: bytes at which the producer pauses now. */
    private volatile long limit;
    /** Set by the consumer when it has found nothing; cleared by whoever rings (compare-and-set). */
    private boolean dataAlarm = true;
    /** Set by the producer when it has found no room; cleared by whoever rings. */
    private boolean roomAlarm;
    /** Set by the producer when it has found something unconsumed; cleared by whoever rings. */
    private boolean drainedAlarm;
    /** Written by the producer: an END has been offered. */
    private volatile boolean ended;
    /** Written by the producer: barriers offered so far. */
    private volatile long barriersAdded;
    /** Set by the producer when it lacks memory for more; cleared by the consumer when everything has been completed. */
    private volatile boolean urged;
    /** Written by the consumer. */
    private volatile boolean closed;

    /** The producer's. */
    private boolean paused;
    /** The consumer's. */
    private long packetsPolled;
    /** The consumer's. */
    private long barriersPolled;

    private volatile Runnable receiverTask = () -> { };
    private volatile Runnable senderTask = () -> { };

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

    // The producer's side.

    /** Takes {@code segment}, with its ownership, room or not. */
    public void offer(Segment segment) {
        boolean end = segment.kind == Segment.Kind.END;
        boolean barrier = segment.kind == Segment.Kind.BARRIER;
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
            // a receiver that leaves what it has found until its schedule says so has armed no alarm
            receiverTask.run();
        } else {
            ring(DATA_ALARM);
        }
    }

    /** False once the high bound is reached, until drained to the low one; then the sender is woken. */
    public boolean hasRoom() {
        if (closed || !paused && queuedBytes() < limit) {
            return true;
        }
        paused = true;
        if (queuedBytes() <= lowMark()) {
            paused = false;
            return true;
        }
        ROOM_ALARM.setVolatile(this, true);
        if (queuedBytes() <= lowMark() && ROOM_ALARM.compareAndSet(this, true, false)) {
            paused = false;
            return true;
        }
        return false;
    }

    /** Whether everything offered has been completed; if not, the sender is woken when it has. */
    public boolean isDrained() {
        if (closed || queuedBytes() == 0) {
            return true;
        }
        DRAINED_ALARM.setVolatile(this, true);
        return queuedBytes() == 0 && DRAINED_ALARM.compareAndSet(this, true, false);
    }

    /** The producer cannot go on before something is consumed, though the queue has room. */
    public void urge() {
        if (!urged) {
            urged = true;
        }
    }

    /** A size of segments of which several fit under a limit that has shrunk. */
    public int segmentBytes() {
        long now = limit;
        return now >= bounds.high() ? Integer.MAX_VALUE : (int) Math.max(SMALLEST_SEGMENT, now / SEGMENTS_IN_LIMIT);
    }

    /** @param task run when there is room again, or everything has been completed */
    public void wakesSender(Runnable task) {
        senderTask = task;
    }

    // The consumer's side.

    @Override
    public Segment poll() {
        Segment segment = queue.poll();
        if (segment == null) {
            DATA_ALARM.setVolatile(this, true);
            segment = queue.poll();
            if (segment == null) {
                return null;
            }
        }
        if (queue.isEmpty()) {
            DATA_ALARM.setVolatile(this, true);
            if (!queue.isEmpty()) {
                ring(DATA_ALARM);
            }
        }
        if (!rate.isBusy()) {
            rate.begin(clock.getAsLong());
        }
        packetsPolled += segment.packets;
        barriersPolled += segment.kind == Segment.Kind.BARRIER ? 1 : 0;
        return segment;
    }

    @Override
    public boolean hasNext() {
        if (!queue.isEmpty()) {
            return true;
        }
        DATA_ALARM.setVolatile(this, true);
        return !queue.isEmpty();
    }

    @Override
    public long packets() {
        return (long) PACKETS_ADDED.getOpaque(this) - packetsPolled;
    }

    @Override
    public boolean isUrgent() {
        return ended || urged || (boolean) ROOM_ALARM.getVolatile(this) || queuedBytes() >= limit;
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

    /** For a consumer that releases segments itself: it is done with polled ones that count for {@code charge}. */
    public void completed(long charge) {
        long after = removed + charge;
        limit = rate.completed(charge, (long) ADDED.getVolatile(this) != after, clock.getAsLong());
        REMOVED.setVolatile(this, after);
        long queued = queuedBytes();
        if (queued == 0) {
            if (urged) {
                urged = false;
            }
            ring(DRAINED_ALARM);
        }
        if (queued <= lowMark()) {
            ring(ROOM_ALARM);
        }
    }

    @Override
    public void wakes(Runnable task) {
        receiverTask = task;
    }

    @Override
    public void close() {
        closed = true;
        VarHandle.fullFence();
        discard();
        ring(DRAINED_ALARM);
        ring(ROOM_ALARM);
    }

    /** After the close either side may empty the queue, whichever comes later. */
    private synchronized void discard() {
        Segment segment;
        while ((segment = queue.poll()) != null) {
            segment.release();
        }
    }

    /** Bytes offered and not yet completed. Either side may ask. */
    public long queuedBytes() {
        return (long) ADDED.getVolatile(this) - (long) REMOVED.getVolatile(this);
    }

    /** Bytes at which the producer pauses now. */
    public long limit() {
        return limit;
    }

    private long lowMark() {
        return Math.min(bounds.low(), limit / 2);
    }

    /**
     * The task is read after the alarm: whoever sets one switches its alarm on afterwards, and would not be woken by an older.
     */
    private void ring(VarHandle alarm) {
        if ((boolean) alarm.getVolatile(this) && alarm.compareAndSet(this, true, false)) {
            (alarm == DATA_ALARM ? receiverTask : senderTask).run();
        }
    }
}
