package io.despina.spool;

import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.log.LogReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A spool in a log below the state folder of its job: rows keep their numbers over attempts and processes. Readers see those of
 * complete epochs, or, where they want them at once, those that are durable. A {@link #release} leaves the log as it is, since
 * the next attempt goes on with it.
 */
public final class KeptSpool extends Spool implements LogOwner {
    /** A reader that begins anywhere reads a segment from its beginning. */
    private static final long SEGMENT_BYTES = 4 << 20;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** From one mark to the next. */
    private static final int STEP_BYTES = 1 << 16;

    /** All rows before {@code row} have so many bytes. */
    private record Mark(long row, long bytes) {
    }

    // all below: guarded by this
    /** Null until the sink is open. */
    private Log log;
    private final Deque<Mark> marks = new ArrayDeque<>();
    /** Readers have taken the rows before that one, whether or not they want them again. */
    private long passed;
    /** Bytes of these, about. */
    private long takenBytes;
    /** Null unless a cut outlives this process. */
    private CutRows cuts;
    /** The program ends: nothing waits for it any more. */
    private boolean unbounded;
    private final Runnable told;

    KeptSpool(String name, Options options) {
        super(name, options);
        told = null;
    }

    /**
     * For a reader without a place of its own: what it has cut, it never gets again.
     *
     * @param mostBytes that it has not taken before the writer waits
     * @param told      that something has changed; called under this lock, by any thread
     */
    public KeptSpool(String name, long mostBytes, Runnable told) {
        super(name, new Options(null, mostBytes, true, false));
        this.told = told;
    }

    @Override
    void changed() {
        super.changed();
        if (told != null) {
            told.run();
        }
    }

    /** Whether {@link #openCuts} is to be called. */
    public boolean keepsCuts() {
        return told != null;
    }

    /** Before it is open: finds what was cut. Blocks for the disk. @param anew whether the rows are others than before */
    public void openCuts(LogPlace place, boolean anew) throws IOException {
        cuts = new CutRows(place, anew, this);
    }

    /**
     * Takes over what earlier attempts have left. Blocks for the disk.
     *
     * @param attempt of the job
     * @param range   of the rows that the job has; those at hand are visible
     */
    public void open(LogPlace place, LogRange range) throws IOException {
        LogRange wanted = options.atOnce() ? LogRange.from(range.from()) : range;
        Log opened = Log.open(place, new LogOptions(Long.MAX_VALUE, SEGMENT_BYTES, options.atOnce() ? 0 : GATHER_NANOS), wanted,
                this);
        synchronized (this) {
            log = opened;
            rows = log.next();
            first = Math.min(rows, Math.max(range.from(), log.first()));
            first = cuts == null ? first : Math.max(first, cuts.row());
            passed = first;
            changed();
        }
    }

    /** Whether its log is there: before, whoever reads waits. */
    public synchronized boolean isOpen() {
        return log != null;
    }

    /** Readers come as soon as the job is deployed, and its tasks open the log later. */
    private Log log() throws SpoolException, InterruptedException {
        while (log == null) {
            if (failure != null) {
                throw new SpoolException(failure);
            }
            refuseGone(0);
            wait();
        }
        return log;
    }

    @Override
    public void append(byte[] record, int length, int count) throws IOException, InterruptedException {
        long next;
        synchronized (this) {
            while (isFull()) {
                wait();
            }
            SpoolRecord.seal(record, length, log.next(), count);
            ByteBuffer head = ByteBuffer.wrap(record, 0, SpoolRecord.HEADER_BYTES);
            ByteBuffer packets = ByteBuffer.wrap(record, SpoolRecord.HEADER_BYTES, length - SpoolRecord.HEADER_BYTES);
            while (log.append(head, packets, count) == Log.FULL) {
                wait();
            }
            bytes += length - SpoolRecord.HEADER_BYTES;
            next = log.next();
            if (marks.isEmpty() || bytes - marks.getLast().bytes >= STEP_BYTES) {
                marks.add(new Mark(next, bytes));
            }
        }
        if (options.atOnce()) {
            log.whenDurable(next, why -> {
                if (why == null) {
                    show(next);
                }
            });
        }
    }

    /**
     * Rows that nobody may see yet hold nobody up: else their epoch would never be complete. Nor does the row that a reader keeps
     * until it knows the end.
     */
    private boolean isFull() {
        return !released && !unbounded && rows - passed > 1 && bytes - takenBytes >= options.mostBytes();
    }

    /** The job ends: what is on its way is written, however much that is. */
    public synchronized void unbound() {
        unbounded = true;
        notifyAll();
    }

    /** A reader has the rows before that one, and may want them again: they make room, and stay. */
    public synchronized void passed(long row) {
        passed = Math.max(passed, row);
        while (!marks.isEmpty() && marks.peek().row <= row) {
            takenBytes = marks.poll().bytes;
        }
        notifyAll();
    }

    /** Readers may see the rows before that one: they are durable. */
    public synchronized void show(long row) {
        if (row > rows) {
            rows = row;
            changed();
        }
    }

    /** Completes when all rows so far are durable. Of the appending thread. */
    public CompletableFuture<Void> force() {
        log.turn();
        return log.force();
    }

    /** The number of the next row. Of the appending thread. */
    public long next() {
        return log.next();
    }

    /** The first row that a reader may still want. */
    public synchronized long first() {
        return first;
    }

    /** No epoch from which the job may go on has the rows before that one. */
    public void giveBack(long row) {
        log.cut(row);
    }

    @Override
    public SpoolState state() throws IOException, InterruptedException {
        synchronized (this) {
            log();
            return super.state();
        }
    }

    @Override
    public long rowBehind(long from, long mostBytes) throws IOException, InterruptedException {
        long limit;
        Log opened;
        synchronized (this) {
            opened = log();
            refuseGone(from);
            limit = rows;
        }
        long row = from;
        long found = 0;
        try (LogReader reader = opened.reader(from)) {
            while (row < limit && found < mostBytes && reader.next()) {
                row = reader.number() + reader.items();
                found += reader.to() - reader.from();
            }
        }
        return Math.min(row, limit);
    }

    @Override
    public synchronized void cut(long row) throws IOException, InterruptedException {
        log();
        long to = Math.min(row, rows);
        if (to > first) {
            first = to;
            if (cuts != null) {
                cuts.cut(first);
            }
            passed(first);
            changed();
        }
    }

    /** Completes when the next attempt knows all cuts so far, if it is to know them. */
    public synchronized CompletableFuture<Void> forceCuts() {
        return cuts == null ? CompletableFuture.completedFuture(null) : cuts.force();
    }

    @Override
    public synchronized void release() {
        released = true;
        changed();
    }

    /** Whether it was let go before all its rows were read. */
    public synchronized boolean hasRowsLeft() {
        return released && first < rows;
    }

    /** The attempt writes no more. */
    public void close() {
        Log opened;
        CutRows cut;
        synchronized (this) {
            opened = log;
            cut = cuts;
        }
        if (opened != null) {
            opened.close();
        }
        if (cut != null) {
            cut.close();
        }
    }

    @Override
    public synchronized void room() {
        notifyAll();
    }

    @Override
    public void warn(String words) {
        System.err.println("despina: " + words);
    }

    @Override
    public SpoolAccess access() {
        return new Here();
    }

    /** Reads on from where it was, or finds a row. */
    private final class Here implements SpoolAccess {
        private static final int MOST_BYTES = 1 << 20;
        private static final int LEAST_BYTES = 1 << 13;

        private byte[] chunk = new byte[LEAST_BYTES];
        private LogReader reader;
        /** The row that it gives next. */
        private long row = -1;

        @Override
        public Chunk read(long from, long millis) throws IOException, InterruptedException {
            Log opened;
            long limit;
            synchronized (KeptSpool.this) {
                opened = log();
                awaitRow(from, millis);
                refuseGone(from);
                limit = rows;
                if (limit <= from) {
                    if (failure != null) {
                        throw new SpoolException(failure);
                    }
                    return new Chunk(chunk, 0, ended);
                }
            }
            if (row != from) {
                close();
                reader = opened.reader(from);
            }
            int size = gather(from, limit);
            synchronized (KeptSpool.this) {
                return new Chunk(chunk, size, ended && row >= rows);
            }
        }

        private int gather(long from, long limit) throws IOException {
            int size = 0;
            row = from;
            while (row < limit && size < MOST_BYTES) {
                if (!reader.next()) {
                    row = -1;
                    throw new IOException("row " + from + " of " + name + " is not where it was written");
                }
                int length = reader.to() - reader.from();
                if (size + length > chunk.length) {
                    chunk = Arrays.copyOf(chunk, Math.max(2 * chunk.length, size + length));
                }
                System.arraycopy(reader.bytes(), reader.from(), chunk, size, length);
                size += length;
                row = reader.number() + reader.items();
            }
            return size;
        }

        @Override
        public void close() throws IOException {
            if (reader != null) {
                reader.close();
                reader = null;
            }
            row = -1;
        }
    }
}
