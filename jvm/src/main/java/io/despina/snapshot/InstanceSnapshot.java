package io.despina.snapshot;

import io.despina.state.Frozen;
import io.despina.state.SectionWriter;
import io.despina.state.State;
import io.despina.wake.Waker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes the snapshot of one operator instance. Creating it freezes the instance's states. The task's thread writes them into
 * buffers, slice by slice, while packets keep changing the live states; another thread writes the buffers to the file. So no call
 * blocks, and none takes longer than filling a buffer, unless a single value is larger.
 */
public final class InstanceSnapshot implements AutoCloseable {
    /** The size of a slice. */
    private static final int SLICE = 1 << 16;
    /** The most buffers. While the file's thread holds them all, the task's thread waits. */
    private static final int BUFFERS = 4;

    /** The outcome of writing a slice. */
    public enum SliceResult {
        /** More follows: call again. */
        WORKED,
        /** The file's thread holds all buffers: call again after its callback. */
        WAITS,
        /** Everything is handed over; {@link #written} will complete. */
        DONE
    }

    /** A buffer for the file; it may end a section. */
    private record Slice(byte[] bytes, int size, String begins, boolean ends) {
        /** Follows the last slice: finish the file. */
        static final Slice FINISH = new Slice(null, 0, null, true);
        /** Replaces all others: drop the file. */
        static final Slice DROP = new Slice(null, 0, null, false);
    }

    private final List<? extends State> states;
    private final List<Frozen> frozen = new ArrayList<>();
    private final SectionWriter writer = new SectionWriter(SLICE);
    private final Queue<byte[]> free = new ConcurrentLinkedQueue<>();
    private final Drain drain;
    /** The number of buffers in existence; the writer has one. */
    private int buffers = 1;
    private int next;
    private boolean begun;

    /**
     * Freezes the states.
     *
     * @param file   creates the file; {@code disk} calls it, and finishes the file when everything is written
     * @param disk   runs tasks that may block on the disk
     * @param task   woken when a buffer is free again
     */
    public InstanceSnapshot(List<? extends State> states, Callable<SnapshotFile.Writer> file, Executor disk, Waker task) {
        this.states = states;
        drain = new Drain(file, disk, task);
        states.forEach(state -> frozen.add(state.freeze()));
    }

    /** Writes a slice. Called by the thread of the operator. */
    public SliceResult write() throws IOException {
        if (next == states.size()) {
            drain.finish();
            return SliceResult.DONE;
        }
        byte[] empty = free.poll();
        if (empty == null && buffers == BUFFERS) {
            return SliceResult.WAITS;
        }
        if (empty == null) {
            buffers++;
            empty = buffer();
        }
        State state = states.get(next);
        String begins = begun ? null : state.name();
        if (!begun) {
            writer.begin(state);
            begun = true;
        }
        boolean ends = frozen.get(next).write(writer);
        if (ends) {
            writer.end();
            frozen.get(next).close();
            next++;
            begun = false;
        }
        drain.add(new Slice(writer.bytes(), writer.size(), begins, ends));
        writer.replace(empty);
        return SliceResult.WORKED;
    }

    private static byte[] buffer() {
        return new byte[SLICE + (SLICE >> 3)];
    }

    /** Completes when the file is on disk, or with the error that prevented it. */
    public CompletableFuture<SnapshotFile.Summary> written() {
        return drain.written;
    }

    /** Releases the states. If not everything is written, the file is dropped. */
    @Override
    public void close() {
        frozen.forEach(Frozen::close);
        if (next < states.size()) {
            next = states.size();
            drain.drop();
        }
    }

    /** Writes slices to the file, one after the other, on a thread that may block. */
    private final class Drain implements Runnable {
        private final Callable<SnapshotFile.Writer> create;
        private final Executor disk;
        private final Waker task;
        private final Queue<Slice> slices = new ConcurrentLinkedQueue<>();
        private final AtomicInteger waiting = new AtomicInteger();
        private final CompletableFuture<SnapshotFile.Summary> written = new CompletableFuture<>();
        private boolean finishing;
        /** Null until the first slice is taken. Used by the thread of {@code disk} only. */
        private SnapshotFile.Writer file;

        Drain(Callable<SnapshotFile.Writer> create, Executor disk, Waker task) {
            this.create = create;
            this.disk = disk;
            this.task = task;
        }

        void add(Slice slice) {
            slices.add(slice);
            if (waiting.getAndIncrement() == 0) {
                disk.execute(this);
            }
        }

        void finish() {
            if (!finishing) {
                finishing = true;
                add(Slice.FINISH);
            }
        }

        void drop() {
            if (!finishing) {
                finishing = true;
                add(Slice.DROP);
            }
        }

        @Override
        public void run() {
            do {
                try {
                    take(slices.remove());
                } catch (Exception e) {
                    written.completeExceptionally(e instanceof UncheckedIOException io ? io.getCause() : e);
                }
            } while (waiting.decrementAndGet() > 0);
        }

        private void take(Slice slice) throws Exception {
            if (slice.bytes == null) {
                finish(slice);
                return;
            }
            try {
                if (!written.isDone()) {
                    write(slice);
                }
            } finally {
                free.add(slice.bytes.length > 2 * SLICE ? buffer() : slice.bytes);
                task.wake();
            }
        }

        private void finish(Slice slice) throws Exception {
            if (slice == Slice.DROP) {
                written.completeExceptionally(new IOException("the snapshot was given up"));
            }
            try {
                if (!written.isDone()) {
                    written.complete(open().finish());
                }
            } finally {
                if (file != null && (!written.isDone() || written.isCompletedExceptionally())) {
                    file.close();
                }
            }
        }

        private SnapshotFile.Writer open() throws Exception {
            if (file == null) {
                file = create.call();
            }
            return file;
        }

        private void write(Slice slice) throws Exception {
            open();
            if (slice.begins != null) {
                file.begin(slice.begins);
            }
            file.write(slice.bytes, slice.size);
            if (slice.ends) {
                file.end();
            }
        }
    }
}
