package io.despina.operator.sink;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The files of one file sink instance; {@link OutputNames} has their names. Names follow from owner, instance and epoch, so a
 * commit may be repeated, and a second run of the same epoch replaces the first. A single file takes each epoch's bytes at its
 * end.
 *
 * <p>The owner is one sink of one graph, all its instances, so that a job that goes on where another stopped finds its files. One
 * that meets the lock of a sink that lives refuses. Nothing that was there before is removed before the first commit.
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

    /** Of an epoch for which no file was written. */
    private static final long NOTHING = -1;
    private static final int COPY_BYTES = 1 << 16;

    private final OutputOptions options;
    private final OutputNames names;
    private final CreatedFolder made;
    private final EarlierOutput earlier;
    private final WritingFile writing;
    private OutputLock lock;
    /** In the order in which they are to be committed. Guarded by itself: a rolled epoch is committed by another thread. */
    private final Deque<Pending> pending = new ArrayDeque<>();
    /** Guarded by {@link #pending}: every epoch up to this one is seen, or had no rows. */
    private long lastCommitted;
    /** Guarded by {@link #pending}. Whether no earlier run of this job wrote here: what bars its first commit is another's. */
    private boolean fresh;
    private boolean aborted;

    OutputFiles(OutputOptions options, int instance, int parallelism) {
        this.options = options;
        names = new OutputNames(options, instance);
        made = new CreatedFolder(names.hidden(OutputNames.MADE), names.ofSink(OutputNames.MADE));
        writing = new WritingFile(names.writing(), made);
        earlier = new EarlierOutput(names, options, parallelism);
        if (options.single() && parallelism > 1) {
            throw new IllegalArgumentException(options.path() + ": a single file has one writer; parallelism is " + parallelism);
        }
    }

    /**
     * Makes the folder, and looks at what is there.
     *
     * @param left told of rows that dead jobs did not commit
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

    /** Goes on where an earlier run stopped: only what was not prepared is dropped. */
    void resume() throws IOException {
        lock();
        Files.deleteIfExists(names.writing());
    }

    /** After {@link #resume}: what a snapshot has as prepared is to be committed; what was prepared after it is dropped. */
    void restore(long committed, List<Pending> prepared) throws IOException {
        synchronized (pending) {
            lastCommitted = committed;
            pending.clear();
            pending.addAll(prepared);
        }
        Set<Path> kept = prepared.stream().map(one -> names.prepared(one.epoch, one.offset)).collect(Collectors.toSet());
        for (Path file : made.list()) {
            if (names.isOwnPrepared(file.getFileName().toString()) && !kept.contains(file)) {
                Files.delete(file);
            }
        }
    }

    /** Commits what another instance, which is no more, had prepared, and drops what it prepared after that. */
    void commitFor(int instance, List<Pending> prepared) throws IOException {
        OutputFiles other = new OutputFiles(options, instance, instance + 1);
        other.restore(0, prepared);
        for (Pending one : prepared) {
            other.commit(one.epoch);
        }
        Files.deleteIfExists(other.names.writing());
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

    /** The lock is taken before others are looked for: of two that begin at once, at least one finds the other. */
    private void lock() throws IOException {
        made.make();
        Path own = names.hidden(OutputNames.LOCK);
        lock = OutputLock.take(own);
        Path held = lock == null ? own : heldByOthers();
        if (held != null) {
            drop();
            throw new IOException(options.path() + " is being written by another job or sink, which holds `"
                    + held.getFileName() + "`; wait for its end, or choose another path");
        }
    }

    private Path heldByOthers() throws IOException {
        for (Path file : made.list()) {
            String name = file.getFileName().toString();
            if (name.endsWith(OutputNames.LOCK) && names.instanceOf(name) >= 0 && !names.isOwners(name, OutputNames.LOCK)
                    && OutputLock.isHeld(file)) {
                return file;
            }
        }
        return null;
    }

    Path folder() {
        return names.folder();
    }

    /** Bytes in the writing. */
    long written() {
        return writing.written();
    }

    /** Appends whole lines to what is in the writing. */
    void write(byte[] lines, int length) throws IOException {
        writing.write(lines, length);
    }

    /** Puts what was written on disk as that epoch's. */
    void prepare(long epoch) throws IOException {
        rename(epoch);
        force(epoch);
    }

    /** Ends the file that is in the writing and gives it that epoch's name; {@link #force} puts it on disk. */
    void rename(long epoch) throws IOException {
        boolean has = writing.isOpen();
        long bytes = has ? writing.written() : NOTHING;
        writing.close();
        synchronized (pending) {
            long offset = offset();
            if (has) {
                Files.move(names.writing(), names.prepared(epoch, offset), StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            }
            pending.addLast(new Pending(epoch, offset, bytes));
        }
    }

    /** Any thread may call it. */
    void force(long epoch) throws IOException {
        Pending prepared = pending(epoch);
        if (prepared != null && prepared.bytes != NOTHING) {
            try (RandomAccessFile file = new RandomAccessFile(names.prepared(epoch, prepared.offset).toFile(), "rw")) {
                file.getFD().sync();
            }
            forceFolder();
        }
    }

    private Pending pending(long epoch) {
        synchronized (pending) {
            return pending.stream().filter(one -> one.epoch == epoch).findFirst().orElse(null);
        }
    }

    /** Of a single file: its size when all that is prepared is committed. */
    private long offset() throws IOException {
        if (!options.single()) {
            return 0;
        }
        Pending last = pending.peekLast();
        if (last != null) {
            return last.offset + Math.max(0, last.bytes);
        }
        return fresh || !Files.exists(options.path()) ? 0 : Files.size(options.path());
    }

    /**
     * Shows a prepared epoch; does nothing if that is done. Any thread may call it, one at a time.
     *
     * @throws IOException also if another epoch is due before it, or it is neither prepared nor shown
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
            throw new IOException(options.path() + ": epoch " + epoch + " cannot be committed: "
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
            if (Files.exists(visible) && !earlier.isReplaced(visible)) {
                throw new IOException(visible + " was written by another job in the meantime");
            }
            earlier.announce();
        }
        boolean shows = next.bytes != NOTHING;
        if (shows) {
            Path prepared = names.prepared(next.epoch, next.offset);
            if (!Files.exists(prepared)) {
                refuseUnlessShown(next, visible);
            } else if (options.single() && next.offset > 0) {
                append(prepared, next.offset);
            } else {
                Files.move(prepared, visible, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            forceFolder();
        }
        if (fresh) {
            earlier.remove(shows ? visible : null);
        }
    }

    private void refuseUnlessShown(Pending next, Path visible) throws IOException {
        boolean shown = Files.exists(visible) && (!options.single() || Files.size(visible) >= next.offset + next.bytes);
        if (!shown) {
            throw new IOException(visible + ": epoch " + next.epoch + " is neither prepared nor there: its " + next.bytes
                    + " bytes are lost");
        }
    }

    /** From where the epoch begins, so that a commit cut short is done again. One that fails leaves nothing of it to be seen. */
    private void append(Path prepared, long offset) throws IOException {
        try (RandomAccessFile to = new RandomAccessFile(options.path().toFile(), "rw");
                RandomAccessFile from = new RandomAccessFile(prepared.toFile(), "r")) {
            if (to.length() < offset) {
                throw new IOException(options.path() + " has " + to.length() + " bytes, but this job had written "
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
     * Ends without what is not committed: it stays under a hidden name, but for files without rows.
     *
     * @param left told where
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
        if (!Files.exists(file)) {
            return;
        }
        if (Files.size(file) == 0) {
            Files.delete(file);
            return;
        }
        Path kept = names.left(epoch);
        Files.move(file, kept);
        left.accept(kept);
    }

    /** The whole job has come to a good end: a folder says so, as Spark's does. */
    void succeed() throws IOException {
        if (!options.single()) {
            Files.write(names.folder().resolve(OutputNames.SUCCESS), new byte[0]);
        }
    }

    /** An interrupt closes a channel; folders have no other way. */
    private void forceFolder() throws IOException {
        while (true) {
            try (FileChannel channel = FileChannel.open(names.folder(), StandardOpenOption.READ)) {
                channel.force(true);
                return;
            } catch (ClosedByInterruptException e) {
                Thread.interrupted();
            }
        }
    }

    private void drop() throws IOException {
        aborted = true;
        close();
    }

    /** Lets others write here. A run that is refused, or leaves nothing, leaves no folder that was not there before. */
    void close() throws IOException {
        writing.close();
        if (lock != null) {
            lock.release();
            lock = null;
        }
        if (made.isMade() || !options.single()) {
            made.close(aborted);
        }
    }
}
