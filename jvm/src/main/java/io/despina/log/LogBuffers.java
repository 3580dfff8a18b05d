package io.despina.log;

import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records on their way from the thread that appends to the one that writes, without a lock: the first fills a buffer and
 * publishes it record by record, the second writes what is published. A few buffers go round; a record that none of them can hold
 * gets one of its own, and only one such waits at a time.
 */
final class LogBuffers {
    static final int BYTES = 1 << 20;
    private static final int MOST = 4;
    static final long ALL_BYTES = (long) MOST * BYTES;

    /** Records of one segment. */
    static final class Buffer {
        private static final int NUMBER_SHIFT = 32;

        final ByteBuffer bytes;
        /** The segment that its first record begins, or null. Written before the buffer is handed over. */
        LogSegment begins;
        /** The number of its first item; as above. */
        long first;
        /** Nothing more is published. Written by the appending thread. */
        volatile boolean full;
        /** Of the writing thread. */
        int written;
        /** Items and bytes so far; written by the appending thread, read by the other. */
        private volatile long published;

        private Buffer(int size) {
            bytes = ByteBuffer.allocateDirect(size);
        }

        void publish(long items) {
            published = items << NUMBER_SHIFT | bytes.position();
        }

        long published() {
            return published;
        }

        static int bytes(long published) {
            return (int) published;
        }

        static long items(long published) {
            return published >>> NUMBER_SHIFT;
        }
    }

    private final Queue<Buffer> handed = new ConcurrentLinkedQueue<>();
    private final Queue<Buffer> free = new ConcurrentLinkedQueue<>();
    private final AtomicInteger large = new AtomicInteger();
    /** Of the appending thread. */
    private Buffer current;
    private int made;

    /** The buffer with room for so many bytes, or null: then the appending thread tries again. */
    Buffer withRoom(int wanted) {
        return current != null && current.bytes.remaining() >= wanted ? current : null;
    }

    /**
     * A new buffer for so many bytes, which takes the place of the current one.
     *
     * @param segment that it begins, or null
     * @return null if there is none: then nothing has changed
     */
    Buffer next(int wanted, long first, LogSegment segment) {
        Buffer next = wanted > BYTES ? largeOne(wanted) : usual();
        if (next == null) {
            return null;
        }
        finish();
        next.first = first;
        next.begins = segment;
        current = next;
        handed.add(next);
        return next;
    }

    private Buffer largeOne(int wanted) {
        return large.compareAndSet(0, 1) ? new Buffer(wanted) : null;
    }

    private Buffer usual() {
        Buffer next = free.poll();
        if (next == null && made < MOST) {
            made++;
            next = new Buffer(BYTES);
        }
        return next;
    }

    /** Nothing more goes into the current buffer. */
    void finish() {
        if (current != null) {
            current.full = true;
            current = null;
        }
    }

    /** The writing thread: the buffer to write from; null if there is none. */
    Buffer first() {
        return handed.peek();
    }

    /** The writing thread has written all of the first one. */
    void recycle() {
        Buffer done = handed.poll();
        if (done.bytes.capacity() > BYTES) {
            large.set(0);
            return;
        }
        done.bytes.clear();
        done.full = false;
        done.begins = null;
        done.written = 0;
        done.published = 0;
        free.add(done);
    }

    /** The appending thread: whether {@link #next} would give a buffer. */
    boolean hasNext(int wanted) {
        return wanted > BYTES ? large.get() == 0 : !free.isEmpty() || made < MOST;
    }
}
