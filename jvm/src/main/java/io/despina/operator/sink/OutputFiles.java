package io.despina.operator.sink;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The files of one file sink instance; {@link OutputNames} defines their names. Owner, instance and epoch determine a name, so a
 * commit may be repeated, and a second run of the same epoch replaces the first. In single-file mode each epoch is appended to
 * the file.
 *
 * <p>The owner is one sink of one graph with all its instances, so a job that resumes another finds its files. A sink that finds
 * the lock of a live sink refuses to start. Earlier output is not removed before the first commit.
 */
final class OutputFiles {

    /**
     * An epoch that is prepared and not committed.
     *
     * @param offset of a single file: its size before this epoch
     * @param bytes  {@link #NOTHING} if there is no file
     */
    record Pending(long epoch, long offset, long bytes) {
    }

    /** The bytes of an epoch without a file. */
    private static final long NOTHING = -1;
    private static final int COPY_BYTES = 1 << 16;

    private final OutputOptions options;
    private final OutputNames names;
    private final CreatedFolder made;
    private final EarlierOutput earlier;
    private final WritingFile writing;
    private final OutputDisk disk;
    private Closeable lock;
    /** In commit order. Guarded by itself, because another thread commits rolled epochs. */
    private final Deque<Pending> pending = new ArrayDeque<>();
    /** Guarded by {@link #pending}: every epoch up to this one is visible or had no rows. */
    private long lastCommitted;
    /**
     * Guarded by {@link #pending}. Whether no earlier run of this job wrote here; a file in the way of the first commit is then
     * someone else's.
     */
    private boolean fresh;
    private boolean aborted;

    OutputFiles(OutputOptions options, int instance, int parallelism) {
        this.options = options;
        disk = options.disk();
        names = new OutputNames(options, instance);
        made = new CreatedFolder(names.hidden(OutputNames.MADE), names.ofSink(OutputNames.MADE), disk);
        writing = new WritingFile(names.writing(), made, options);
        earlier = new EarlierOutput(names, options, parallelism);
        if (options.single() && parallelism > 1) {
            throw new IllegalArgumentException(options.text() + ": a single file has one writer; parallelism is " + parallelism);
        }
    }

    /**
     * Creates the folder and inspects earlier output.
     *
     * @param left called with files of rows that dead jobs did not commit
     * @throws IOException in words for the user
     */
    void begin(Consumer<Path> left) throws IOException {
        lock();
        try {
            earlier.look(made.list(), left);
        } catch (IOException e) {
            drop();
            throw e;
        }
        fresh = true;
    }

    /** Resumes an earlier run: drops only what was not prepared. */
    void resume() throws IOException {
        lock();
        disk.delete(names.writing());
    }

    /** Called after {@link #resume}: commits what is prepared in the snapshot, and drops what was prepared later. */
    void restore(long committed, List<Pending> prepared) throws IOException {
        synchronized (pending) {
            lastCommitted = committed;
            pending.clear();
            pending.addAll(prepared);
        }
        Set<Path> kept = prepared.stream().map(one -> names.prepared(one.epoch, one.offset)).collect(Collectors.toSet());
        for (Path file : made.list()) {
            if (names.isOwnPrepared(file.getFileName().toString()) && !kept.contains(file)) {
                disk.delete(file);
            }
        }
    }

    /** Commits what an instance that no longer exists had prepared in the snapshot, and drops what it prepared later. */
    void commitFor(int instance, List<Pending> prepared) throws IOException {
        OutputFiles other = new OutputFiles(options, instance, instance + 1);
        other.restore(0, prepared);
        for (Pending one : prepared) {
            other.commit(one.epoch);
        }
        disk.delete(other.names.writing());
    }

    List<Pending> pending() {
        synchronized (pending) {
            return List.copyOf(pending);
        }
    }

    long lastCommitted() {
        synchronized (pending) {
            return lastCommitted;
        }
    }

    /** Takes the lock before looking for others: of two sinks that start at once, at least one finds the other. */
    private void lock() throws IOException {
        made.make();
        Path own = names.hidden(OutputNames.LOCK);
        lock = disk.lock(own);
        Path held = lock == null ? own : heldByOthers();
        if (held != null) {
            drop();
            throw new IOException(options.text() + " is being written by another job or sink, which holds `"
                    + held.getFileName() + "`; wait for its end, or choose another path");
        }
    }

    private Path heldByOthers() throws IOException {
        for (Path file : made.list()) {
            String name = file.getFileName().toString();
            if (name.endsWith(OutputNames.LOCK) && names.instanceOf(name) >= 0 && !names.isOwners(name, OutputNames.LOCK)
                    && disk.isHeld(file)) {
                return file;
            }
        }
        return null;
    }

    /** Whether writing may wait for a network. */
    boolean mayWait() throws IOException {
        return disk.mayWait(names.folder());
    }

    /** The bytes of lines in the unfinished file, before they are packed. */
    long written() {
        return writing.lineBytes();
    }

    /** Appends whole lines to the unfinished file. */
    void write(byte[] lines, int length) throws IOException {
        writing.write(lines, length);
    }

    /** Makes the unfinished file durable as that epoch's. */
    void prepare(long epoch) throws IOException {
        rename(epoch);
        force(epoch);
    }

    /** Finishes the current file and gives it that epoch's name; {@link #force} makes it durable. */
    void rename(long epoch) throws IOException {
        long bytes = writing.isOpen() ? writing.finish() : NOTHING;
        synchronized (pending) {
            long offset = offset();
            if (bytes != NOTHING) {
                disk.move(names.writing(), names.prepared(epoch, offset));
            }
            pending.addLast(new Pending(epoch, offset, bytes));
        }
    }

    /** Any thread may call it. */
    void force(long epoch) throws IOException {
        Pending prepared = pending(epoch);
        if (prepared != null && prepared.bytes != NOTHING) {
            disk.force(names.prepared(epoch, prepared.offset));
            disk.forceFolder(names.folder());
        }
    }

    private Pending pending(long epoch) {
        synchronized (pending) {
            return pending.stream().filter(one -> one.epoch == epoch).findFirst().orElse(null);
        }
    }

    /** Of a single file: its size after all prepared epochs are committed. */
    private long offset() throws IOException {
        if (!options.single()) {
            return 0;
        }
        Pending last = pending.peekLast();
        if (last != null) {
            return last.offset + Math.max(0, last.bytes);
        }
        return fresh || !disk.exists(options.path()) ? 0 : disk.size(options.path());
    }

    /**
     * Makes a prepared epoch visible; does nothing if it is. Any thread may call it, one at a time.
     *
     * @throws IOException also if another epoch must be committed first, or this one is neither prepared nor visible
     */
    void commit(long epoch) throws IOException {
        Pending next;
        synchronized (pending) {
            if (epoch <= lastCommitted) {
                return;
            }
            next = pending.peekFirst();
        }
        if (next == null || next.epoch != epoch) {
            throw new IOException(options.text() + ": epoch " + epoch + " cannot be committed: "
                    + (next == null ? "it is not prepared" : "epoch " + next.epoch + " is due before it"));
        }
        show(next);
        synchronized (pending) {
            pending.removeFirst();
            lastCommitted = epoch;
            fresh = false;
        }
    }

    private void show(Pending next) throws IOException {
        Path visible = names.visible(next.epoch);
        if (fresh) {
            if (disk.exists(visible) && !earlier.isReplaced(visible)) {
                throw new IOException(disk.text(visible) + " was written by another job in the meantime");
            }
            earlier.announce();
        }
        boolean shows = next.bytes != NOTHING;
        if (shows) {
            Path prepared = names.prepared(next.epoch, next.offset);
            if (!disk.exists(prepared)) {
                refuseUnlessShown(next, visible);
            } else if (options.single() && next.offset > 0) {
                append(prepared, next.offset);
            } else {
                disk.move(prepared, visible);
            }
            disk.forceFolder(names.folder());
        }
        if (fresh) {
            earlier.remove(shows ? visible : null);
        }
    }

    private void refuseUnlessShown(Pending next, Path visible) throws IOException {
        boolean shown = disk.exists(visible) && (!options.single() || disk.size(visible) >= next.offset + next.bytes);
        if (!shown) {
            throw new IOException(disk.text(visible) + ": epoch " + next.epoch + " is neither prepared nor there: its "
                    + next.bytes + " bytes are lost");
        }
    }

    /**
     * Writes from the epoch's offset on, so that an interrupted commit can be repeated. A failed commit leaves nothing visible.
     */
    private void append(Path prepared, long offset) throws IOException {
        try (RandomAccessFile to = new RandomAccessFile(options.path().toFile(), "rw");
                RandomAccessFile from = new RandomAccessFile(prepared.toFile(), "r")) {
            if (to.length() < offset) {
                throw new IOException(options.text() + " has " + to.length() + " bytes, but this job had written "
                        + offset);
            }
            try {
                copy(from, to, offset);
            } catch (IOException e) {
                to.setLength(offset);
                throw new IOException("cannot write to " + options.path() + ": " + e.getMessage(), e);
            }
        }
        Files.delete(prepared);
    }

    private static void copy(RandomAccessFile from, RandomAccessFile to, long offset) throws IOException {
        to.setLength(offset);
        to.seek(offset);
        byte[] block = new byte[COPY_BYTES];
        for (int read = from.read(block); read > 0; read = from.read(block)) {
            to.write(block, 0, read);
        }
        to.getFD().sync();
    }

    /**
     * Ends without committing. Prepared files keep hidden names; files without rows are deleted.
     *
     * @param left called with each file that stays
     */
    void abort(Consumer<Path> left) throws IOException {
        aborted = true;
        boolean has = writing.isOpen();
        writing.close();
        List<Pending> prepared = pending();
        long next = 1 + (prepared.isEmpty() ? lastCommitted() : prepared.get(prepared.size() - 1).epoch);
        for (Pending one : prepared) {
            if (one.bytes != NOTHING) {
                leave(names.prepared(one.epoch, one.offset), one.epoch, left);
            }
        }
        synchronized (pending) {
            pending.clear();
        }
        if (has) {
            leave(names.writing(), next, left);
        }
    }

    private void leave(Path file, long epoch, Consumer<Path> left) throws IOException {
        if (!disk.exists(file)) {
            return;
        }
        if (disk.size(file) == 0) {
            disk.delete(file);
            return;
        }
        Path kept = names.left(epoch);
        disk.move(file, kept);
        left.accept(kept);
    }

    /** The whole job has succeeded: marks the folder as Spark does. */
    void succeed() throws IOException {
        if (!options.single()) {
            disk.write(names.folder().resolve(OutputNames.SUCCESS), "");
        }
    }

    private void drop() throws IOException {
        aborted = true;
        close();
    }

    /** Releases the lock. A run that was refused, or left no output, also removes the folder that it created. */
    void close() throws IOException {
        writing.close();
        if (lock != null) {
            lock.close();
            lock = null;
        }
        if (made.isMade() || !options.single()) {
            made.close(aborted);
        }
    }
}
