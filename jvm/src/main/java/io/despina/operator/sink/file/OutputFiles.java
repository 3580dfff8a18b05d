package io.despina.operator.sink.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

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
     * What a snapshot has of it.
     *
     * @param committed the last epoch that is visible
     */
    record Standing(long committed, List<PreparedEpoch> pending) {
    }

    private final OutputOptions options;
    private final OutputNames names;
    private final CreatedFolder made;
    private final EarlierOutput earlier;
    private final OutputCommit commits;
    private final WritingFile writing;
    private final OutputDisk disk;
    private Closeable lock;
    /** In commit order. Guarded by itself, because another thread commits. */
    private final Deque<PreparedEpoch> pending = new ArrayDeque<>();
    /** Guarded by {@link #pending}: every epoch up to this one is visible or had no rows. */
    private long lastCommitted;
    /** Guarded by {@link #pending}: how far the unfinished file is part of an epoch; null if it is of none. */
    private PreparedEpoch held;
    /** The number of the unfinished file. */
    private long file = 1;
    /** Guarded by {@link #pending}: bytes of lines in the pieces of the file that has not ended; of restored ones as packed. */
    private long pieceBytes;
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
        made = new CreatedFolder(names.mark(OutputNames.MADE), names.ofSink(OutputNames.MADE), disk);
        writing = new WritingFile(() -> names.writing(options.attempt(), file), made, options);
        earlier = new EarlierOutput(names, options, parallelism);
        commits = new OutputCommit(options, names, earlier);
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

    /** Resumes an earlier run. {@link #restore} follows. */
    void resume() throws IOException {
        lock();
    }

    /** Called after {@link #resume}: keeps what is prepared in the snapshot, and drops what was written later. */
    void restore(long committed, List<PreparedEpoch> prepared) throws IOException {
        restored(committed, new RestoredOutput(options, names).take(prepared, made.list()));
    }

    private void restored(long committed, List<PreparedEpoch> whole) {
        synchronized (pending) {
            lastCommitted = committed;
            pending.clear();
            pending.addAll(whole);
            pieceBytes = PreparedEpoch.going(whole).stream().mapToLong(PreparedEpoch::bytes).sum();
        }
    }

    /** How many epochs the file has that has not ended, where each has a file of its own. */
    int pieceCount() {
        synchronized (pending) {
            return PreparedEpoch.going(List.copyOf(pending)).size();
        }
    }

    /** Commits what an instance that no longer exists had prepared in the snapshot, and drops what it prepared later. */
    void commitFor(int instance, List<PreparedEpoch> prepared) throws IOException {
        OutputFiles other = new OutputFiles(options, instance, instance + 1);
        other.restored(0, PreparedEpoch.lastEnded(new RestoredOutput(options, other.names).take(prepared, other.made.list())));
        for (PreparedEpoch one : prepared) {
            other.commit(one.epoch());
        }
    }

    /** At one instant, although another thread commits. */
    Standing standing() {
        synchronized (pending) {
            List<PreparedEpoch> all = new ArrayList<>(pending);
            if (held != null) {
                all.add(held);
            }
            return new Standing(lastCommitted, all);
        }
    }

    List<PreparedEpoch> pending() {
        synchronized (pending) {
            return List.copyOf(pending);
        }
    }

    private long lastCommitted() {
        synchronized (pending) {
            return lastCommitted;
        }
    }

    /** Takes the lock before looking for others: of two sinks that start at once, at least one finds the other. */
    private void lock() throws IOException {
        made.make();
        Path own = names.lock(options.attempt());
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
            if (name.endsWith(OutputNames.LOCK) && names.instanceOf(name) >= 0 && !names.isOwners(name)
                    && !names.isLockOfEarlierAttempt(name) && disk.isHeld(file)) {
                return file;
            }
        }
        return null;
    }

    /** Whether writing may wait for a network. */
    boolean mayWait() throws IOException {
        return disk.mayWait(names.folder());
    }

    /** The bytes of lines in the file that has not ended, before they are packed. */
    long written() {
        synchronized (pending) {
            return pieceBytes + writing.lineBytes();
        }
    }

    /** Appends whole lines to the unfinished file. */
    void write(byte[] lines, int length) throws IOException {
        writing.write(lines, length);
    }

    /**
     * The unfinished file, as far as it is now, is part of that epoch, and goes on; {@link #forceHeld} makes it durable.
     *
     * @return whether it was part of none before
     */
    boolean hold(long epoch) {
        synchronized (pending) {
            boolean isNew = held == null;
            held = writing.isOpen() ? new PreparedEpoch(epoch, 0, writing.length(), options.attempt(), true, file) : null;
            return isNew;
        }
    }

    /** Any thread may call it. */
    void forceHeld(boolean isNew) throws IOException {
        PreparedEpoch forced = held();
        if (forced == null) {
            return;
        }
        try {
            disk.force(names.of(forced));
            if (isNew) {
                disk.forceFolder(names.folder());
            }
        } catch (NoSuchFileException gone) {
            if (forced.equals(held())) {
                throw gone;
            }
            // the epoch was dropped, and the next one has ended the file
        }
    }

    private PreparedEpoch held() {
        synchronized (pending) {
            return held;
        }
    }

    /**
     * Finishes the current file as that epoch's; {@link #force} makes it durable.
     *
     * @param goesOn whether what is written next is shown with it, as one file
     */
    void finish(long epoch, boolean goesOn) throws IOException {
        long lineBytes = writing.lineBytes();
        long bytes = writing.isOpen() ? writing.finish() : PreparedEpoch.NOTHING;
        synchronized (pending) {
            held = null;
            pieceBytes = goesOn ? pieceBytes + lineBytes : 0;
            if (goesOn && bytes == PreparedEpoch.NOTHING) {
                return;
            }
            pending.addLast(new PreparedEpoch(epoch, offset(), bytes, options.attempt(), goesOn, file));
            file = epoch + 1;
        }
    }

    /** Any thread may call it. */
    void force(long epoch) throws IOException {
        for (PreparedEpoch one : pending()) {
            if (one.epoch() == epoch && one.bytes() != PreparedEpoch.NOTHING) {
                disk.force(names.of(options.attempt() > 0 ? one : named(one)));
                disk.forceFolder(names.folder());
            }
        }
    }

    /** Without snapshots a file that is complete has another name than one in the writing. */
    private PreparedEpoch named(PreparedEpoch one) throws IOException {
        PreparedEpoch named = one.named();
        disk.move(names.of(one), names.of(named));
        synchronized (pending) {
            List<PreparedEpoch> all = List.copyOf(pending);
            pending.clear();
            all.forEach(each -> pending.addLast(each.equals(one) ? named : each));
        }
        return named;
    }

    /** Of a single file: its size after all prepared epochs are committed. */
    private long offset() throws IOException {
        if (!options.single()) {
            return 0;
        }
        PreparedEpoch last = pending.peekLast();
        if (last != null) {
            return last.offset() + Math.max(0, last.bytes());
        }
        return fresh || !disk.exists(options.path()) ? 0 : disk.size(options.path());
    }

    /**
     * Makes a prepared epoch visible; does nothing if it is, or if no file has ended with it. Any thread may call it, one at a
     * time.
     *
     * @throws IOException also if another epoch must be committed first, or this one is neither prepared nor visible
     */
    void commit(long epoch) throws IOException {
        List<PreparedEpoch> next;
        PreparedEpoch end;
        synchronized (pending) {
            if (epoch <= lastCommitted) {
                return;
            }
            next = PreparedEpoch.firstFile(pending);
            end = next.isEmpty() ? null : next.get(next.size() - 1);
            if (options.attempt() > 0 && (end == null || end.epoch() > epoch)) {
                lastCommitted = epoch;      // its rows are in a file that goes on
                return;
            }
        }
        if (end == null || end.epoch() != epoch) {
            throw new IOException(options.text() + ": epoch " + epoch + " cannot be committed: "
                    + (end == null ? "it is not prepared" : "epoch " + end.epoch() + " is due before it"));
        }
        commits.show(next, fresh);
        synchronized (pending) {
            next.forEach(one -> pending.removeFirst());
            lastCommitted = epoch;
            fresh = false;
        }
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
        List<PreparedEpoch> prepared = pending();
        long next = 1 + (prepared.isEmpty() ? lastCommitted() : prepared.get(prepared.size() - 1).epoch());
        for (PreparedEpoch one : prepared) {
            if (one.bytes() != PreparedEpoch.NOTHING) {
                leave(names.of(one), one.epoch(), left);
            }
        }
        synchronized (pending) {
            pending.clear();
        }
        if (has) {
            leave(names.writing(options.attempt(), file), next, left);
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

    /** The whole job has succeeded: marks the folder as Spark does. One instance does, as HDFS gives a file to one writer. */
    void succeed() throws IOException {
        if (!options.single() && names.isFirst()) {
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
