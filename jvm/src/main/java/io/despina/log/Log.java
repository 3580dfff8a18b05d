package io.despina.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Records in a folder that outlive their process, numbered by the items in them, from 0 on. One thread appends, and never waits
 * for the disk; any thread reads, cuts, or waits until something is durable. Every attempt of a job opens the log for itself, and
 * from then on what an earlier attempt still writes counts for nothing.
 */
public final class Log implements Closeable {
    /** What {@link #append} answers when there is no room. */
    public static final long FULL = -1;
    /** Its buffers, without those for records that are larger than one. */
    public static final long MEMORY_BYTES = LogBuffers.ALL_BYTES;
    /** A barrier begins no new segment while the current one is smaller: a slow log would make a file each second. */
    private static final long LEAST_SEGMENT_BYTES = 1 << 18;

    private final LogPlace place;
    private final LogOptions options;
    private final LogBuffers buffers = new LogBuffers();
    private final LogWriter writer;

    // of the appending thread
    private final CRC32C sum = new CRC32C();
    private byte[] head;
    private LogSegment current;
    private long inSegment;
    private long appended;
    private boolean turn;
    /** Written by the appending thread, read by any. */
    private volatile long next;

    /** Guarded by itself, oldest first. */
    private final List<LogSegment> segments;
    /** Guarded by {@link #segments}: no item before it is needed. */
    private long needed;
    /** Bytes that were given back; written under {@link #segments}, read by the appending thread. */
    private volatile long released;

    private Log(LogPlace place, LogOptions options, LogHistory history, LogOwner owner) {
        this.place = place;
        this.options = options;
        segments = new ArrayList<>(history.kept());
        segments.forEach(segment -> appended += segment.bytes);
        next = history.end();
        writer = new LogWriter(place, options.gatherNanos(), buffers, owner);
    }

    /**
     * Takes the log over from earlier attempts. Blocks for the disk.
     *
     * @param range of the items that are needed
     * @throws RottenLogException if one of them was durable and is damaged or gone
     * @throws FencedLogException if a later attempt has the log
     */
    public static Log open(LogPlace place, LogOptions options, LogRange range, LogOwner owner) throws IOException {
        Log log = new Log(place, options, LogHistory.take(place.disk(), place.attempt(), range), owner);
        log.writer.begin(log.begin());
        return log;
    }

    /** The segment for what is appended next. */
    private LogSegment begin() {
        SegmentName name = new SegmentName(place.attempt(), next);
        LogSegment begun = new LogSegment(name, Long.MAX_VALUE, 0);
        synchronized (segments) {
            if (current != null) {
                current.end = next;
                current.bytes = inSegment;
            }
            segments.add(begun);
        }
        current = begun;
        head = SegmentFormat.head(name.attempt(), name.first());
        inSegment = 0;
        turn = false;
        return begun;
    }

    /**
     * Appends a record; it is durable later.
     *
     * @param head  the beginning of its content
     * @param body  the rest; both are read from position to limit, and stay as they are, so that several logs may be given one
     * @param items how many numbers it takes, at least 1
     * @return the number of its first item; {@link #FULL} if there is no room: then {@link LogOwner#room} follows
     */
    public long append(ByteBuffer head, ByteBuffer body, int items) throws IOException {
        writer.check();
        int length = SegmentFormat.RECORD_BYTES + head.remaining() + body.remaining();
        LogBuffers.Buffer buffer = buffer(length);
        if (buffer == null) {
            writer.starved(true);
            writer.hurry();
            buffer = buffer(length);
            if (buffer == null) {
                return FULL;
            }
            writer.starved(false);
        }
        ByteBuffer bytes = buffer.bytes;
        int at = bytes.position();
        bytes.putInt(0).putInt(length - SegmentFormat.RECORD_BYTES).putLong(next).putLong(writer.durable()).putInt(items);
        put(bytes, head);
        put(bytes, body);
        SegmentFormat.seal(bytes, at, length, sum, this.head);
        appended += length;
        inSegment += length;
        long number = next;
        next = number + items;
        buffer.publish(next - buffer.first);
        writer.published();
        return number;
    }

    /** {@code from} may be one that many logs share: not even its position is moved meanwhile. */
    private static void put(ByteBuffer to, ByteBuffer from) {
        int at = to.position();
        to.put(at, from, from.position(), from.remaining()).position(at + from.remaining());
    }

    private LogBuffers.Buffer buffer(int length) {
        if (appended - released >= options.mostBytes()) {
            return null;
        }
        boolean turns = inSegment >= options.segmentBytes() || turn && inSegment >= LEAST_SEGMENT_BYTES;
        LogBuffers.Buffer buffer = turns ? null : buffers.withRoom(length);
        if (buffer != null || !buffers.hasNext(length)) {
            return buffer;
        }
        writer.hurry();
        return buffers.next(length, next, turns ? begin() : null);
    }

    /** What is appended from now on may begin a new segment, so that what is before it can be cut. Of the appending thread. */
    public void turn() {
        turn = true;
    }

    /** The number of the first item that is there. */
    public long first() {
        synchronized (segments) {
            return segments.get(0).first();
        }
    }

    /** The number of the next item. */
    public long next() {
        return next;
    }

    /** Items before it can be read. */
    public long written() {
        return writer.written();
    }

    /** Items before it survive the machine. */
    public long durable() {
        return writer.durable();
    }

    /** In its segments. Of the appending thread. */
    public long bytes() {
        return appended - released;
    }

    /**
     * Calls {@code then}, from any thread, in the order of the numbers: with null when every item before {@code number} is
     * durable, or with the reason why it will never be known to be.
     */
    public void whenDurable(long number, Consumer<IOException> then) {
        writer.whenDurable(number, then);
    }

    /** Completes when everything that has been appended so far is durable. Of the appending thread. */
    public CompletableFuture<Void> force() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        whenDurable(next, failure -> {
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        });
        return done;
    }

    /** Items before that number are not needed any more. Their segments are given back to the disk soon. From any thread. */
    public void cut(long number) {
        synchronized (segments) {
            if (number <= needed) {
                return;
            }
            needed = number;
        }
        place.threads().execute(this::release);
    }

    private void release() {
        try {
            for (LogSegment done = takeDone(); done != null; done = takeDone()) {
                try {
                    place.disk().delete(done.name.text());
                } catch (IOException e) {
                    System.getLogger(Log.class.getName()).log(System.Logger.Level.WARNING, "a segment stays: "
                            + place.disk().place(done.name.text()), e);
                }
            }
        } finally {
            writer.room();
        }
    }

    private LogSegment takeDone() {
        synchronized (segments) {
            if (segments.size() < 2 || segments.get(0).end > needed) {
                return null;
            }
            LogSegment done = segments.remove(0);
            released += done.bytes;
            return done;
        }
    }

    /** Reads from that item on, as far as records are written. */
    public LogReader reader(long from) {
        return new LogReader(this, from);
    }

    /** The segment that has an item, which is written. */
    LogSegment segmentOf(long number) throws IOException {
        synchronized (segments) {
            for (LogSegment each : segments) {
                if (number < each.end) {
                    if (number < each.first()) {
                        break;
                    }
                    return each;
                }
            }
        }
        throw new IOException("item " + number + " of the log of " + place.name() + " is gone: it has been cut");
    }

    long endOf(LogSegment segment) {
        synchronized (segments) {
            return segment.end;
        }
    }

    LogDisk disk() {
        return place.disk();
    }

    /** Writes and forces what was appended, on the log's own threads. Nothing may be appended any more. */
    @Override
    public void close() {
        buffers.finish();
        writer.close();
    }
}
