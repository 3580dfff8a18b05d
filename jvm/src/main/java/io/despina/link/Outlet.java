package io.despina.link;

import static io.despina.spec.Never.NEVER;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.metrics.Counter;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.despina.spec.BufferSpec;
import io.despina.wake.Waker;

/**
 * The way out of a port into one channel: sends its {@link OpenSegment} when it is full, when its first packet is
 * {@code flush_after_ms} old, or early, when the far side has nothing left to do; and the signals in their place between
 * packets. Only the task's thread calls it.
 */
final class Outlet {

    private final ChannelSender sender;
    private final BufferSpec buffer;
    private final LinkCounters counters;
    private final PortSettings settings;
    private final Backpressure backpressure;
    private final OpenSegment open;

    /** When a flush first saw the packets that are open now. */
    private long firstSeen;
    private boolean seen;

    private long due;
    private long watermark = Long.MIN_VALUE;
    private boolean watermarkPending;
    private long lastExact = Long.MIN_VALUE;
    /** IDLE was sent last. */
    private boolean idle;
    private long sent;
    private Waker task = () -> { };

    Outlet(ChannelSender sender, OutLink link, PortSettings settings, Backpressure backpressure) {
        this.sender = sender;
        this.settings = settings;
        this.backpressure = backpressure;
        buffer = link.spec().buffer();
        counters = link.counters();
        open = new OpenSegment(sender, buffer, settings, backpressure.overdraft());
    }

    /** The segment being filled, or null. */
    Segment open() {
        return open.segment();
    }

    /** How much of the open segment may be filled. */
    int limit() {
        return open.limit();
    }

    /** Segments of packets sent so far. */
    long sent() {
        return sent;
    }

    /** Sends the open segment if {@code size} more bytes neither fit into it nor may make it grow. */
    boolean cutBefore(int size) {
        if (open.isEmpty() || open.fits(size) || open.mayGrow(size)) {
            return false;
        }
        retire(open.takeFull());
        return true;
    }

    /** The packets written from now on were due at {@code nanos}. */
    void due(long nanos) {
        due = nanos;
        open.due(nanos);
    }

    /** Appends the whole packets, one or more, in {@code bytes[from, to)}. */
    void append(byte[] bytes, int from, int to, int packets) {
        if (!open.tryAppend(bytes, from, to, packets)) {
            appendInParts(bytes, from, to, packets);
        }
    }

    private void appendInParts(byte[] bytes, int from, int to, int packets) {
        int at = from;
        int left = packets;
        do {
            int before = open.packets();
            at = open.appendFitting(bytes, at, to);
            left -= open.packets() - before;
            retire(renew(Bytes.packetEnd(bytes, at, to) - at));
        } while (!open.tryAppend(bytes, at, to, left));
    }

    /** As {@link OpenSegment#renew}; the caller gives the old one to {@link #retire} when it needs nothing of it any more. */
    Segment renew(int needed) {
        Segment old = open.renew(needed);
        if (open.isStarved()) {
            backpressure.lookAgain();
        }
        return old;
    }

    /** Sends the segment that {@link #renew} replaced, unless its packets have moved. */
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
     * Sends the one packet of a segment that several channels get: as it is where it would fill a segment here, or where there
     * is no memory for a copy.
     */
    void share(SegmentPool.Shared large) {
        Segment original = large.original();
        int size = original.size();
        if (size <= open.capacity() && (open.fits(size) || open.canTakeFull())) {
            append(original.bytes(), original.start, original.end, original.packets);
            return;
        }
        sendOpen(counters.flushesFull);
        sendWatermark();
        Segment view = large.view();
        view.origin = due;
        send(view, counters.flushesFull);
    }

    /**
     * Sends a segment as it is: one that is about as full as those that are sent from here full. A copy would have needed as much
     * memory again, so it passes only where that is available: then the port it came through may take more in its place.
     */
    boolean passOn(Segment segment) {
        int capacity = open.capacity();
        if (buffer.timed() || segment.size() < capacity / 2 || segment.size() > capacity
                || segment.capacity() > SegmentPool.sizeFor(capacity) || !settings.pool().budget().has(segment.capacity())) {
            return false;
        }
        sendOpen(counters.flushesFull);
        sendWatermark();
        send(segment, counters.flushesFull);
        return true;
    }

    /** False while the channel is full, or while its reserved minimum is all it may have and is in use. */
    boolean hasRoom() {
        if (!sender.hasRoom()) {
            return false;
        }
        if (open.hasMemory()) {
            return true;
        }
        sender.urge();
        return false;
    }

    /**
     * Sends what should be sent now; called at the end of each run. The far side is asked first, also if the channel has no room:
     * its no is a promise to wake this task as soon as it has nothing left to do. Without the promise a part-filled segment
     * would wait for its timer. A starved channel asks once more after it has sent: the receiver may have consumed the segment
     * by now, and then nobody else would wake the task for the next one.
     *
     * @return when the timer is due, or {@link Long#MAX_VALUE} if nothing waits for it
     */
    long flush(long now) {
        if (open.isEmpty() && !watermarkPending) {
            return NEVER;
        }
        if (!seen) {
            seen = true;
            firstSeen = now;
        }
        boolean early = (!buffer.timed() || open.isStarved()) && sender.isDrained();
        if (!sender.hasRoom()) {
            return NEVER;
        }
        long timer = firstSeen + buffer.flushAfterNanos();
        if (!early && now < timer) {
            return timer;
        }
        sendOpen(early ? counters.flushesEarly : counters.flushesTimer);
        sendWatermark();
        if (open.isStarved() && sender.isDrained()) {
            task.wake();
        }
        return NEVER;
    }

    /**
     * Packets written from now on come after it. One that is not exact is sent with the open segment, and only the newest of
     * them is sent.
     */
    void watermark(long micros, boolean exact) {
        if (!exact) {
            watermarkPending |= micros > watermark;
            watermark = Math.max(watermark, micros);
        } else if (micros != lastExact) {
            sendOpen(counters.flushesEarly);
            watermarkPending &= watermark > micros;
            watermark = Math.max(watermark, micros);
            lastExact = micros;
            sendSignal(SegmentKind.WATERMARK, micros, true);
        }
    }

    /** Sends IDLE, a barrier or END, after everything that was written before it. IDLE is sent once. */
    void signal(SegmentKind kind, long value) {
        if (kind != SegmentKind.IDLE || !idle || !open.isEmpty() || watermarkPending) {
            sendOpen(counters.flushesEarly);
            sendWatermark();
            sendSignal(kind, value, false);
            idle = kind == SegmentKind.IDLE;
        }
    }

    private void sendOpen(Counter why) {
        if (!open.isEmpty()) {
            send(open.takePartFilled(), why);
        }
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
            sendSignal(SegmentKind.WATERMARK, watermark, false);
        }
    }

    private void sendSignal(SegmentKind kind, long value, boolean exact) {
        Segment signal = settings.pool().signal(kind, value, exact);
        signal.origin = due;
        handOver(signal);
    }

    private void handOver(Segment segment) {
        seen = false;
        idle = false;
        backpressure.lookAgain();
        boolean urgent = segment.isBeyondBudget();
        sender.send(segment);
        if (urgent) {
            sender.urge();
        }
    }

    /** Bytes of segments sent and not yet consumed. */
    long queuedBytes() {
        return sender.queuedBytes();
    }

    void setWaker(Waker waker) {
        task = waker;
        sender.setSender(waker);
    }

    void close() {
        open.release();
    }
}
