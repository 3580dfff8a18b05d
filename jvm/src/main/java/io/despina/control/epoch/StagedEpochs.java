package io.despina.control.epoch;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.StagedPart;
import io.despina.operator.source.InputRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * The rows that programs stage for one instance of a source. Connections stage; the coordinator's messages, one after the other,
 * commit an epoch or throw it away; the source takes what is committed, in the order of the commits. What is committed and not
 * taken is bounded: staging waits for it. What is staged and not committed is not, since nothing but its commit makes it less: it
 * is on disk beyond {@link #MOST_MEMORY}.
 */
public final class StagedEpochs implements InputRows {
    /** Bytes of an instance's rows in memory. */
    static final long MOST_MEMORY = 16 << 20;
    /** Bytes that are committed and not taken before staging waits. */
    static final long MOST_BEHIND = 16 << 20;
    /** The same, of tasks' rows, which may have few bytes and a file each. */
    static final int MOST_PARTS = 1024;

    /**
     * Whose rows.
     *
     * @param run   of the program's query, from {@link Message.Located}
     * @param epoch of the query
     * @param task  of the program, in that run
     */
    record Key(String run, long epoch, long task) {
    }

    private final String name;
    private final int instance;
    private final TaskRows.Limits limits;
    private final Runnable wake;

    // all below: guarded by this
    private final Set<String> runs = new HashSet<>();
    private final Map<Key, TaskRows> staged = new LinkedHashMap<>();
    private final Deque<TaskRows> committed = new ArrayDeque<>();
    /** Bytes that are committed and not taken. */
    private long behind;
    private boolean ended;
    private boolean closed;

    /**
     * @param operator the source
     * @param folder   for rows beyond memory
     * @param wake     wakes the source
     */
    public StagedEpochs(String operator, int instance, Path folder, Runnable wake) {
        name = "`" + operator + "` (instance " + instance + ")";
        this.instance = instance;
        limits = new TaskRows.Limits(folder, MOST_MEMORY, new AtomicLong());
        this.wake = wake;
    }

    /**
     * Stages whole packets.
     *
     * @param millis how long it waits for room, and for the run to be opened
     * @return whether there was room; else nothing is staged
     * @throws StagingException if nobody would commit them
     */
    boolean stage(Key key, byte[] packets, int rows, long millis) throws IOException, InterruptedException {
        TaskRows part;
        synchronized (this) {
            if (!awaitRoom(key.run(), millis)) {
                return false;
            }
            if (!runs.contains(key.run())) {
                throw new StagingException("the rows for " + name + " are of a query that has ended, or whose driver is gone");
            }
            part = staged.computeIfAbsent(key, none -> new TaskRows(name, limits));
        }
        part.add(packets, rows);
        return true;
    }

    /** As {@link #stage}, but the source sees them at once. */
    boolean append(byte[] packets, int rows, long millis) throws IOException, InterruptedException {
        TaskRows part = new TaskRows(name, limits);
        synchronized (this) {
            if (!awaitRoom(null, millis)) {
                return false;
            }
            part.add(packets, rows);
            committed.add(part);
            behind += packets.length;
        }
        wake.run();
        return true;
    }

    /** @param run which must be open; null for any */
    private boolean awaitRoom(String run, long millis) throws InterruptedException, StagingException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!closed && !ended && (isBehind() || run != null && !runs.contains(run))) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (closed || ended) {
            throw new StagingException(name + " takes no rows any more: "
                    + (ended ? "its input was ended" : "its job has ended"));
        }
        return !isBehind();
    }

    private boolean isBehind() {
        return behind >= MOST_BEHIND || committed.size() >= MOST_PARTS;
    }

    /** Throws away what a task has staged. */
    synchronized void drop(Key key) {
        drop(key::equals);
    }

    private void drop(Predicate<Key> which) {
        staged.entrySet().removeIf(each -> {
            if (which.test(each.getKey())) {
                each.getValue().release();
                return true;
            }
            return false;
        });
    }

    /**
     * Does what the coordinator has decided.
     *
     * @throws IllegalStateException if rows that are committed are not here
     */
    public void decided(Message.Fate fate) {
        synchronized (this) {
            String run = fate.run();
            switch (fate.what()) {
                case Message.Fate.OPEN -> runs.add(run);
                case Message.Fate.COMMIT -> commit(fate);
                case Message.Fate.ABORT -> drop(key -> key.run().equals(run) && key.epoch() <= fate.epoch());
                default -> {
                    runs.remove(run);
                    drop(key -> key.run().equals(run));
                }
            }
            notifyAll();
        }
        wake.run();
    }

    private void commit(Message.Fate fate) {
        for (StagedPart part : fate.parts()) {
            if (part.instance() != instance || closed) {
                continue;
            }
            TaskRows rows = staged.remove(new Key(fate.run(), fate.epoch(), part.task()));
            long found = rows == null ? 0 : rows.rows();
            if (found != part.rows()) {
                throw new IllegalStateException("epoch " + fate.epoch() + " of a query has " + part.rows() + " rows of task "
                        + part.task() + " for " + name + ", of which " + found + " are here");
            }
            committed.add(rows);
            behind += rows.bytes();
        }
        // of attempts at a task that did not count
        drop(key -> key.run().equals(fate.run()) && key.epoch() <= fate.epoch());
    }

    /** Nothing follows what is committed. */
    public void end() {
        synchronized (this) {
            ended = true;
            drop(any -> true);
            notifyAll();
        }
        wake.run();
    }

    /** The job is ending: nothing more is staged. */
    public synchronized void close() {
        closed = true;
        drop(any -> true);
        notifyAll();
    }

    /** The job has ended. */
    public synchronized void release() {
        close();
        committed.forEach(TaskRows::release);
        committed.clear();
    }

    @Override
    public byte[] next() {
        while (true) {
            TaskRows head;
            synchronized (this) {
                head = committed.peek();
            }
            if (head == null) {
                return null;
            }
            byte[] packets;
            try {
                packets = head.next();
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
            synchronized (this) {
                if (packets == null) {
                    committed.remove(head);
                } else {
                    behind -= packets.length;
                }
                notifyAll();
            }
            if (packets != null) {
                return packets;
            }
            head.release();
        }
    }

    @Override
    public synchronized boolean hasEnded() {
        return ended && committed.isEmpty();
    }
}
