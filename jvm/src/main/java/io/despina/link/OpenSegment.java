package io.despina.link;

import io.despina.buffer.Overdraft;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.spec.BufferSpec;

/**
 * The segment of one channel that is being filled, and how large it is. No memory is held while it has no packets, except a
 * small segment.
 *
 * <p>A channel that last sent a full segment gets a full-size one at once; one whose segments are sent part-filled gets smaller
 * ones. A nearly empty segment is sent in a buffer of its size. When the floating memory is used up, a channel is starved: it
 * lives on its reserved minimum, one small segment, and gets the next when that one is consumed.
 */
final class OpenSegment {
    /** A segment that fits into this part of its array is copied into one of its size. */
    private static final int NEARLY_EMPTY = 4;

    private final ChannelSender sender;
    private final BufferSpec buffer;
    private final PortSettings settings;
    private final Overdraft.Borrower overdraft;

    /** Null when nothing was written since the last one was sent. */
    private Segment segment;
    /** How much the segment may hold. A packet larger than the capacity gets a segment of exactly its size. */
    private int limit;
    private int nextSize = SegmentPool.SMALL;
    private boolean starved;
    private long due;

    OpenSegment(ChannelSender sender, BufferSpec buffer, PortSettings settings, Overdraft.Borrower overdraft) {
        this.sender = sender;
        this.buffer = buffer;
        this.settings = settings;
        this.overdraft = overdraft;
    }

    Segment segment() {
        return segment;
    }

    int limit() {
        return limit;
    }

    int packets() {
        return segment == null ? 0 : segment.packets;
    }

    boolean isEmpty() {
        return packets() == 0;
    }

    boolean isStarved() {
        return starved;
    }

    /** Whether another segment may be filled: not while the one of the reserved minimum is unconsumed. */
    boolean hasMemory() {
        if (starved && (settings.pool().budget().has(SegmentPool.SMALL) || isEmpty() && sender.isDrained())) {
            starved = false;
        }
        return !starved;
    }

    /** The size of a full segment now. */
    int capacity() {
        return Math.min(buffer.capacityBytes(), sender.segmentBytes());
    }

    boolean fits(int size) {
        return segment != null && size <= limit - segment.end;
    }

    boolean mayGrow(int more) {
        return mayGrow(more, capacity());
    }

    private boolean mayGrow(int more, int capacity) {
        return segment.end + more <= capacity && (buffer.timed() || !sender.isDrained());
    }

    /** The packets written from now on were due at {@code nanos}. */
    void due(long nanos) {
        due = nanos;
        if (segment != null && segment.packets == 0) {
            segment.origin = nanos;
        }
    }

    /** Appends the whole packets, one or more, in {@code bytes[from, to)}. @return false if they do not all fit */
    boolean tryAppend(byte[] bytes, int from, int to, int packets) {
        if (segment == null || to - from > limit - segment.end) {
            return false;
        }
        add(bytes, from, to, packets);
        return true;
    }

    /** Appends as many of the packets as fit, which are not all. @return the end of those that did */
    int appendFitting(byte[] bytes, int from, int to) {
        if (segment == null) {
            return from;
        }
        int room = limit - segment.end;
        int at = from;
        int fitting = 0;
        for (int end = Bytes.packetEnd(bytes, at, to); end - from <= room; end = Bytes.packetEnd(bytes, at, to)) {
            at = end;
            fitting++;
        }
        add(bytes, from, at, fitting);
        return at;
    }

    private void add(byte[] bytes, int from, int to, int packets) {
        System.arraycopy(bytes, from, segment.bytes(), segment.end, to - from);
        segment.end += to - from;
        segment.packets += packets;
    }

    /**
     * Makes room for {@code needed} more bytes: in the old segment, grown, or in a fresh one.
     *
     * @return the segment that was open, to be sent or, if its packets have moved, released; or null
     */
    Segment renew(int needed) {
        int most = settings.maxPacketBytes() + Bytes.MAX_VARINT;
        if (needed > most) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes="
                    + settings.maxPacketBytes());
        }
        int capacity = capacity();
        Segment old = segment;
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
        if (!tryTake(capacity, old.end + needed)) {
            return false;
        }
        System.arraycopy(old.bytes(), 0, segment.bytes(), 0, old.end);
        segment.end = old.end;
        segment.packets = old.packets;
        segment.origin = old.origin;
        old.packets = 0;
        return true;
    }

    /** @param grown the segment that holds the beginning of the packet, to be released next; or null */
    private void take(int wanted, int needed, Segment grown) {
        if (tryTake(wanted, needed)) {
            return;
        }
        int size = needed;
        if (needed <= SegmentPool.SMALL) {
            size = Math.max(needed, Math.min(wanted, SegmentPool.SMALL));
            segment = settings.pool().take(size);
        } else {
            size = grown != null && needed > capacity() ? Math.max(needed, wanted) : needed;
            segment = overdraft.take(size, grown);
        }
        segment.origin = due;
        limit = size;
        starved = true;
    }

    /** Takes a segment of floating memory, if enough of it is left. */
    private boolean tryTake(int wanted, int needed) {
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
        taken.origin = due;
        segment = taken;
        limit = size;
        return true;
    }

    /** Takes the segment out, which is full: the next one has full size. */
    Segment takeFull() {
        Segment full = segment;
        segment = null;
        nextSize = capacity();
        return full;
    }

    /** Takes the packets out, before the segment is full: in the segment itself, or in a smaller one. There are some. */
    Segment takePartFilled() {
        Segment leaving = segment;
        int size = leaving.end;
        nextSize = Math.max(SegmentPool.SMALL, Math.min(nextSize, Math.max(nextSize / 2, SegmentPool.sizeFor(2 * size))));
        Segment copy = SegmentPool.sizeFor(size) <= leaving.capacity() / NEARLY_EMPTY ? settings.pool().tryTake(size) : null;
        if (copy == null) {
            segment = null;
            return leaving;
        }
        System.arraycopy(leaving.bytes(), 0, copy.bytes(), 0, size);
        copy.end = size;
        copy.packets = leaving.packets;
        copy.origin = leaving.origin;
        if (leaving.capacity() <= SegmentPool.SMALL) {
            leaving.end = 0;
            leaving.packets = 0;
            leaving.origin = due;
        } else {
            leaving.release();
            segment = null;
        }
        return copy;
    }

    /** Whether a segment of a full one's size would be granted. */
    boolean canTakeFull() {
        return settings.pool().budget().has(SegmentPool.sizeFor(capacity()));
    }

    void release() {
        if (segment != null) {
            segment.release();
            segment = null;
        }
    }
}
