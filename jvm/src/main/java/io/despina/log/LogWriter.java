package io.despina.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The side of a log that touches the disk, on its threads: writes what is published, and forces what it has written when somebody
 * waits for that, when much has gathered, or after a while. A write that fails is tried again; a force that fails ends the log,
 * since nobody can know what of it is on the disk.
 */
final class LogWriter {
    private static final long FORCE_BYTES = 1 << 20;
    private static final long FORCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record Waiting(long number, Consumer<IOException> then) {
    }

    private final LogPlace place;
    private final long gatherNanos;
    private final LogBuffers buffers;
    private final LogOwner owner;
    /** A step will come, so that appending need not ask for one. */
    private final AtomicBoolean armed = new AtomicBoolean();
    /** As above, a step that forces. */
    private final AtomicBoolean awaited = new AtomicBoolean();
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    /** Written by the writing thread, read by any. */
    private volatile long written;
    private volatile long durable;
    private volatile IOException failure;
    /** Written by the appending thread. */
    private volatile boolean starved;
    private volatile boolean closing;

    // all below: guarded by this
    private LogFile file;
    private long end;
    private long unforced;
    private long forcedAt;
    private boolean namesUnforced;
    private boolean warned;

    LogWriter(LogPlace place, long gatherNanos, LogBuffers buffers, LogOwner owner) {
        this.place = place;
        this.gatherNanos = gatherNanos;
        this.buffers = buffers;
        this.owner = owner;
    }

    /** Creates the first segment; everything before it is durable. */
    synchronized void begin(LogSegment segment) throws IOException {
        try {
            create(segment);
            file.force();
            place.disk().force();
        } catch (IOException e) {
            closeFile();
            throw e;
        }
        namesUnforced = false;
        forcedAt = place.threads().nanoTime();
        written = segment.first();
        durable = segment.first();
    }

    private void create(LogSegment segment) throws IOException {
        String name = segment.name.text();
        LogFile next;
        try {
            next = place.disk().create(name);
        } catch (FileAlreadyExistsException again) {
            next = place.disk().open(name);     // the disk was full when its head was written
        }
        byte[] head = SegmentFormat.head(segment.name.attempt(), segment.first());
        next.write(0, ByteBuffer.wrap(head));
        if (file != null) {
            file.close();
        }
        file = next;
        end = head.length;
        namesUnforced = true;
    }

    long written() {
        return written;
    }

    long durable() {
        return durable;
    }

    void check() throws IOException {
        IOException why = failure;
        if (why != null) {
            throw new IOException(why.getMessage(), why);
        }
    }

    /** The appending thread has published something. */
    void published() {
        if (!armed.get() && armed.compareAndSet(false, true)) {
            place.threads().after(gatherNanos, this::step);
        }
    }

    /** As above, and it waits. */
    void hurry() {
        armed.set(true);
        place.threads().execute(this::step);
    }

    void starved(boolean waits) {
        starved = waits;
    }

    /** Calls {@code then} when everything before that number is durable, with null, or with why it will never be. */
    void whenDurable(long number, Consumer<IOException> then) {
        if (durable >= number) {
            then.accept(null);
            return;
        }
        waiting.add(new Waiting(number, then));
        if (awaited.compareAndSet(false, true)) {
            place.threads().after(gatherNanos, this::step);
        }
    }

    void close() {
        closing = true;
        place.threads().execute(this::step);
    }

    /** There is room, if the appending thread waits for it. */
    void room() {
        if (starved) {
            starved = false;
            owner.room();
        }
    }

    private synchronized void step() {
        armed.set(false);
        awaited.set(false);
        try {
            if (failure == null && (file != null || !closing)) {
                work();
            }
        } catch (RuntimeException | Error e) {
            // such as no memory for the system's call: how far it came is not known
            failure = new IOException("cannot write the log of " + place.name() + ": " + e, e);
            owner.room();
        }
        if (failure != null) {
            failAll();
        }
    }

    private void closeFile() {
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                System.getLogger(LogWriter.class.getName()).log(System.Logger.Level.WARNING, "a file stays open", e);
            }
            file = null;
        }
    }

    private void work() {
        try {
            write();
            warned = false;
        } catch (IOException e) {
            if (failure == null) {
                tryLater(e);
            } else {
                owner.room();
            }
            return;
        }
        long now = place.threads().nanoTime();
        try {
            if (closing || !waiting.isEmpty() || unforced >= FORCE_BYTES || now - forcedAt >= FORCE_NANOS) {
                force(now);
            } else if (unforced > 0 && armed.compareAndSet(false, true)) {
                place.threads().after(forcedAt + FORCE_NANOS - now, this::step);
            }
            if (closing) {
                file.close();
                file = null;
            }
        } catch (IOException e) {
            failure = e instanceof FencedLogException ? e : undurable(e);
            owner.room();
        }
        complete();
    }

    private IOException undurable(IOException why) {
        return new IOException("cannot make the log of " + place.name() + " durable: " + why.getMessage(), why);
    }

    private void tryLater(IOException why) {
        if (!warned) {
            warned = true;
            owner.warn("cannot write the log of " + place.name() + ": " + why.getMessage() + "; trying again");
        }
        if (closing) {
            failure = why;
            return;
        }
        armed.set(true);
        place.threads().after(RETRY_NANOS, this::step);
    }

    private void write() throws IOException {
        for (LogBuffers.Buffer next = buffers.first(); next != null; next = buffers.first()) {
            if (next.begins != null) {
                turnOver(next.begins);
                next.begins = null;
            }
            boolean full = next.full;
            long published = next.published();
            int bytes = LogBuffers.Buffer.bytes(published);
            if (bytes > next.written) {
                file.write(end, next.bytes.duplicate().limit(bytes).position(next.written));
                end += bytes - next.written;
                unforced += bytes - next.written;
                next.written = bytes;
                written = next.first + LogBuffers.Buffer.items(published);
            }
            if (!full) {
                return;
            }
            buffers.recycle();
            room();
        }
    }

    /** What the next segment says of this one must be true. */
    private void turnOver(LogSegment next) throws IOException {
        if (unforced > 0) {
            try {
                file.force();
            } catch (IOException e) {
                failure = undurable(e);
                throw e;
            }
            unforced = 0;
        }
        create(next);
    }

    private void force(long now) throws IOException {
        forcedAt = now;
        if (unforced > 0) {
            file.force();
            unforced = 0;
        }
        if (namesUnforced) {
            place.disk().force();
            namesUnforced = false;
        }
        if (durable < written) {
            refuseZombie();
            durable = written;
        }
    }

    /** What is forced now was seen by a later attempt if it was there already, and counts; else nobody may rely on it. */
    private void refuseZombie() throws IOException {
        for (String name : place.disk().names()) {
            if (SegmentName.attemptOf(name) > place.attempt()) {
                throw new FencedLogException("attempt " + SegmentName.attemptOf(name) + " of the job has taken over the log of "
                        + place.name() + " from attempt " + place.attempt());
            }
        }
    }

    private void complete() {
        for (Waiting next = waiting.peek(); next != null && next.number <= durable; next = waiting.peek()) {
            waiting.poll().then.accept(null);
        }
    }

    private void failAll() {
        for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
            next.then.accept(failure);
        }
        if (closing) {
            closeFile();
        }
    }
}
