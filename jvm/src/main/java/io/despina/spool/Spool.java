package io.despina.spool;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The rows of one instance of a sink on disk, numbered from 0 on: one thread appends, any number read. When there is as much as
 * there may be, the writer waits for a {@link #cut}. Whoever reads it {@link #release}s it in the end.
 */
public abstract class Spool implements SpoolDirection {
    final String name;
    final Options options;

    // all below: guarded by this
    long first;
    /** That readers may see. */
    long rows;
    long bytes;
    boolean ended;
    /** Why it has no more rows than these; null if it has not failed. */
    String failure;
    boolean released;
    private final CompletableFuture<Void> taken = new CompletableFuture<>();

    /**
     * Where a spool is, and how large it may be.
     *
     * @param folder     of files without names
     * @param mostBytes  on disk before the writer waits; it may be a record more
     * @param untilTaken whether it is released by the cut that takes its last row
     * @param atOnce     whether readers see rows of a kept spool before their epoch is complete
     */
    public record Options(Path folder, long mostBytes, boolean untilTaken, boolean atOnce) {
    }

    Spool(String name, Options options) {
        this.name = name;
        this.options = options;
    }

    public final String name() {
        return name;
    }

    /**
     * Appends the packets that are in {@code record} from {@link SpoolRecord#HEADER_BYTES} to {@code length}; the bytes before
     * them are its to write. Waits while the spool is full.
     */
    public abstract void append(byte[] record, int length, int count) throws IOException, InterruptedException;

    /** A reader in this process. */
    public abstract SpoolAccess access();

    @Override
    public SpoolState state() throws IOException, InterruptedException {
        synchronized (this) {
            return new SpoolState(first, rows, bytes, ended);
        }
    }

    @Override
    public final synchronized void fail(String why) {
        failure = why;
        notifyAll();
    }

    @Override
    public abstract void release() throws IOException;

    /** Nothing follows. */
    public final synchronized void end() {
        ended = true;
        changed();
    }

    /** Waits until whoever reads needs it no more. */
    public final synchronized void awaitRelease() throws InterruptedException {
        while (!isTaken()) {
            wait();
        }
    }

    /** Completes when whoever reads needs it no more. */
    public final CompletableFuture<Void> taken() {
        return taken;
    }

    private boolean isTaken() {
        return released || options.untilTaken() && ended && first >= rows;
    }

    /** What readers or the writer wait for may be so now. */
    void changed() {
        notifyAll();
        if (isTaken()) {
            taken.complete(null);
        }
    }

    final synchronized boolean isReleased() {
        return released;
    }

    /** @throws SpoolException if that row is not there any more */
    final void refuseGone(long row) throws SpoolException {
        if (released) {
            throw new SpoolException("the rows of " + name + " are gone: the job has been stopped");
        }
        if (row < first) {
            throw new SpoolException("row " + row + " of " + name + " is gone: rows before " + first + " have been committed");
        }
    }

    /** Until readers may see that row, or it will not come, or the time is up. */
    final void awaitRow(long row, long millis) throws InterruptedException {
        // of no injected clock: the reader's thread waits in this monitor, and there is no waiting there by any other time
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (rows <= row && !ended && !released && failure == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
