package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.metrics.Counter;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.despina.spec.BufferSpec;
import io.despina.wake.Waker;

/**
 * The open segment of one channel, and when it leaves: full, when its first packet is {@code flush_after_ms} old, or early,
 * when the far side has nothing left to do. Holds no memory while it has no packets, but a small segment.
 *
 * <p>A channel that last sent a full segment gets a full-size one at once; one whose segments leave part-filled gets
 * smaller ones. A nearly empty segment is handed over in a buffer of its size. When the floating memory is used up, a channel
 * lives on its reserved minimum: one small segment, and none before that one is consumed.
 */
final class Outlet {
    private static final long NEVER = Long.MAX_VALUE;
    /** A segment that fits into this part of its array is copied into one of its size. */
    private static final int NEARLY_EMPTY = 4;

    private final ChannelSender sender;
    private final BufferSpec buffer;
    private final LinkCounters counters;
    private final PortSettings settings;
    private final RoomMark mark;

    /** Null when nothing was written since the last one left. */
    private Segment open;
    /** How much the open segment may hold; a packet larger than the capacity has a segment to measure. */
    private int limit;
    private int nextSize = SegmentPool.SMALL;
    /** Living on the reserved minimum. */
    private boolean starved;
    private long origin;

    /** When a flush first saw what is open now. */
    private long firstSeen;
    private boolean seen;

    private long watermark = Long.MIN_VALUE;
    private boolean watermarkPending;
    private long lastExact = Long.MIN_VALUE;
    /** The last thing sent was IDLE. */
    private boolean idle;
    private long sent;
    private Waker task = () -> { };

    Outlet(ChannelSender sender, BufferSpec buffer, LinkCounters counters, PortSettings settings, RoomMark mark) {
        this.sender = sender;
        this.buffer = buffer;
        this.counters = counters;
        this.settings = settings;
        this.mark = mark;
    }

    Segment open() {
        return open;
    }

    int limit() {
        return limit;
    }

    boolean isEmpty() {
        return open == null || open.packets == 0;
    }

    /** Segments of packets that have left. */
    long sent() {
        return sent;
    }

    /** Sends the open segment if {@code size} more bytes neither fit into it nor may make it grow. */
    boolean cutBefore(int size) {
        if (isEmpty() || size <= limit - open.end || mayGrow(size, capacity())) {
            return false;
        }
        Segment full = open;
        open = null;
        nextSize = capacity();
        retire(full);
        return true;
    }

    private int capacity() {
        return Math.min(buffer.capacityBytes(), sender.segmentBytes());
    }

    private boolean mayGrow(int more, int capacity) {
        return open.end + more <= capacity && (buffer.timed() || !sender.isDrained());
    }

    void origin(long nanos) {
        origin = nanos;
        if (open != null && open.packets == 0) {
            open.origin = nanos;
        }
    }

    /** Appends whole packets, one or more, that lie one after the other in {@code bytes[from, to)}. */
    void append(byte[] bytes, int from, int to, int packets) {
        int at = from;
        int left = packets;
        while (open == null || to - at > limit - open.end) {
            int end = Bytes.packetEnd(bytes, at, to);
            if (open != null) {
                int first = at;
                int room = limit - open.end;
                int fitting = 0;
                for (; end - first <= room; end = Bytes.packetEnd(bytes, at, to)) {
                    at = end;
                    fitting++;
                }
                add(bytes, first, at, fitting);
                left -= fitting;
            }
            retire(renew(end - at));
        }
        add(bytes, at, to, left);
    }

    private void add(byte[] bytes, int from, int to, int packets) {
        System.arraycopy(bytes, from, open.bytes(), open.end, to - from);
        open.end += to - from;
        open.packets += packets;
    }

    /**
     * Opens a segment with room for {@code needed} more bytes: the old one, grown, or a fresh one.
     *
     * @return the segment that was open, for {@link #retire} when nothing of it is needed any more; or null
     */
    Segment renew(int needed) {
        int most = settings.maxPacketBytes() + Bytes.MAX_VARINT;
        if (needed > most) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes="
                    + settings.maxPacketBytes());
        }
        int capacity = capacity();
        Segment old = open;
        if (old == null) {
            take(Math.min(nextSize, capacity), needed, null);
        } else if (old.packets == 0) {
            take(needed <= capacity ? capacity : (int) Math.min(most, Math.max(needed, 2L * limit)), needed, old);
        } else if (!mayGrow(needed, capacity) || !grow(old, capacity, needed)) {
            nextSize = capacity;
            take(capacity, needed, null);
        }
        return old;
    }

    /** @return false if there is no memory for it */
    private boolean grow(Segment old, int capacity, int needed) {
        if (!tryOpen(capacity, old.end + needed)) {
            return false;
        }
        System.arraycopy(old.bytes(), 0, open.bytes(), 0, old.end);
        open.end = old.end;
        open.packets = old.packets;
        open.origin = old.origin;
        old.packets = 0;
        return true;
    }

    /** @param grown what holds the beginning of the packet, to be released next; or null */
    private void take(int wanted, int needed, Segment grown) {
        if (!tryOpen(wanted, needed)) {
            int size = needed;
            if (needed <= SegmentPool.SMALL) {
                size = Math.max(needed, Math.min(wanted, SegmentPool.SMALL));
                open = settings.pool().take(size);
            } else {
                size = grown != null && needed > capacity() ? Math.max(needed, wanted) : needed;
                open = mark.overdraft.take(size, grown);
            }
            open.origin = origin;
            limit = size;
            starved = true;
            mark.open = false;
        }
    }

    /** Opens a segment of floating memory, if enough of it is left. */
    private boolean tryOpen(int wanted, int needed) {
        SegmentPool pool = settings.pool();
        int size = Math.max(wanted, needed);
        Segment taken = pool.tryTake(size);
        if (taken == null) {
            size = Math.max(needed, Math.min(size, SegmentPool.SMALL));
            taken = pool.tryTake(size);
        }
        if (taken == null) {
            return false;
        }
        taken.origin = origin;
        open = taken;
        limit = size;
        return true;
    }

    /**
     * Sends the one packet of a segment that several channels get: as it is where it would fill a segment here, or where there
     * is no memory for a copy.
     */
    void share(SegmentPool.Shared large) {
        Segment original = large.original();
        int size = original.size();
        int capacity = capacity();
        if (size <= capacity && (open != null && size <= limit - open.end
                || settings.pool().budget().has(SegmentPool.sizeFor(capacity)))) {
            append(original.bytes(), original.start, original.end, original.packets);
            return;
        }
        leave(counters.flushesFull);
        sendWatermark();
        Segment view = large.view();
        view.origin = origin;
        send(view, counters.flushesFull);
    }

    /** Sends what {@link #renew} replaced, unless its packets have moved. */
    void retire(Segment old) {
        if (old == null) {
            return;
        }
        if (old.packets == 0) {
            old.release();
        } else {
            send(old, counters.flushesFull);
            sendWatermark();
        }
    }

    /**
     * Sends a segment as it is: one that is about as full as those that leave here full. A copy would have needed as much memory
     * again, so it passes only where that is there: then what it came through may take more in its place.
     */
    boolean passOn(Segment segment) {
        int capacity = capacity();
        if (buffer.timed() || segment.size() < capacity / 2 || segment.size() > capacity
                || segment.capacity() > SegmentPool.sizeFor(capacity) || !settings.pool().budget().has(segment.capacity())) {
            return false;
        }
        leave(counters.flushesFull);
        sendWatermark();
        send(segment, counters.flushesFull);
        return true;
    }

    /** False while the channel is full, or while its reserved minimum is all it may have and is in use. */
    boolean hasRoom() {
        if (!sender.hasRoom()) {
            return false;
        }
        if (starved && (settings.pool().budget().has(SegmentPool.SMALL) || isEmpty() && sender.isDrained())) {
            starved = false;
        }
        if (starved) {
            sender.urge();
        }
        return !starved;
    }

    /**
     * Lets go what should go now.
     *
     * @return when the timer is due, or {@link Long#MAX_VALUE} if nothing waits for it
     */
    long flush(long now) {
        if (isEmpty() && !watermarkPending) {
            return NEVER;
        }
        if (!seen) {
            seen = true;
            firstSeen = now;
        }
        boolean early = (!buffer.timed() || starved) && sender.isDrained();
        if (!sender.hasRoom()) {
            return NEVER;
        }
        long due = firstSeen + buffer.flushAfterNanos();
        if (!early && now < due) {
            return due;
        }
        leave(early ? counters.flushesEarly : counters.flushesTimer);
        sendWatermark();
        if (starved && sender.isDrained()) {
            task.wake();
        }
        return NEVER;
    }

    /** Packets written from now on come after it; lazy ones are sent when what is open leaves, and the newest is enough. */
    void watermark(long micros, boolean exact) {
        if (!exact) {
            watermarkPending |= micros > watermark;
            watermark = Math.max(watermark, micros);
        } else if (micros != lastExact) {
            leave(counters.flushesEarly);
            watermarkPending &= watermark > micros;
            watermark = Math.max(watermark, micros);
            lastExact = micros;
            sendSignal(Segment.Kind.WATERMARK, micros, true);
        }
    }

    void signal(Segment.Kind kind, long value) {
        if (kind != Segment.Kind.IDLE || !idle || !isEmpty() || watermarkPending) {
            leave(counters.flushesEarly);
            sendWatermark();
            sendSignal(kind, value, false);
            idle = kind == Segment.Kind.IDLE;
        }
    }

    private void leave(Counter why) {
        if (isEmpty()) {
            return;
        }
        Segment leaving = open;
        int size = leaving.end;
        nextSize = Math.max(SegmentPool.SMALL, Math.min(nextSize, Math.max(nextSize / 2, SegmentPool.sizeFor(2 * size))));
        Segment copy = SegmentPool.sizeFor(size) <= leaving.capacity() / NEARLY_EMPTY ? settings.pool().tryTake(size) : null;
        if (copy == null) {
            open = null;
        } else {
            copyInto(copy, leaving);
            if (leaving.capacity() <= SegmentPool.SMALL) {
                leaving.end = 0;
                leaving.packets = 0;
                leaving.origin = origin;
            } else {
                leaving.release();
                open = null;
            }
            leaving = copy;
        }
        send(leaving, why);
    }

    private static void copyInto(Segment copy, Segment from) {
        System.arraycopy(from.bytes(), 0, copy.bytes(), 0, from.end);
        copy.end = from.end;
        copy.packets = from.packets;
        copy.origin = from.origin;
    }

    private void send(Segment segment, Counter why) {
        counters.packets.add(segment.packets);
        counters.bytes.add(segment.size());
        counters.segments.add(1);
        sent++;
        why.add(1);
        handOver(segment);
    }

    private void sendWatermark() {
        if (watermarkPending) {
            watermarkPending = false;
            sendSignal(Segment.Kind.WATERMARK, watermark, false);
        }
    }

    private void sendSignal(Segment.Kind kind, long value, boolean exact) {
        Segment signal = settings.pool().signal(kind, value, exact);
        signal.origin = origin;
        handOver(signal);
    }

    private void handOver(Segment segment) {
        seen = false;
        idle = false;
        mark.open = false;
        boolean urgent = segment.isBeyondBudget();
        sender.send(segment);
        if (urgent) {
            sender.urge();
        }
    }

    long queuedBytes() {
        return sender.queuedBytes();
    }

    void setWaker(Waker waker) {
        task = waker;
        sender.setSender(waker);
    }

    void close() {
        if (open != null) {
            open.release();
            open = null;
        }
    }
}
