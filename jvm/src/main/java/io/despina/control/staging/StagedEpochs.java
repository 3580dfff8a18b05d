package io.despina.control.staging;

import io.despina.control.protocol.Message;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.StagedPart;
import io.despina.operator.program.InputRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
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
    private static final long NONE = -1;

    /**
     * Whose rows.
     *
     * @param run   of the program's query, from {@link ProgramMessage.Located}
     * @param epoch of the query
     * @param task  of the program, in that run
     */
    record Key(String run, long epoch, long task) {
    }

    /**
     * An instance of a source.
     *
     * @param operator the source
     * @param instance from 0
     */
    public record Of(String operator, int instance) {
    }

    /**
     * Who is told.
     *
     * @param wake    there is something for the source
     * @param drained the source has sent on all rows of an epoch; null if nobody wants to know
     */
    public record Told(Runnable wake, Runnable drained) {
    }

    /**
     * What the source takes.
     *
     * @param rows null for the end of an epoch
     */
    private record Taken(TaskRows rows) {
        private static final Taken END = new Taken(null);
    }

    private final String name;
    private final int instance;
    private final Runnable drained;
    private final TaskRows.Limits limits;
    private final Runnable wake;
    private final LongSupplier clock;

    // all below: guarded by this
    /** By open run, the last of its epochs that was decided; {@link #NONE} before the first. */
    private final Map<String, Long> runs = new HashMap<>();
    private final Map<Key, TaskRows> staged = new LinkedHashMap<>();
    private final Deque<Taken> committed = new ArrayDeque<>();
    /** Bytes that are committed and not taken. */
    private long behind;
    private boolean ended;
    private boolean closed;

    /**
     * @param folder for rows beyond memory
     * @param told   about the source, which calls none of it
     * @param clock  nanoseconds
     */
    public StagedEpochs(Of of, Path folder, Told told, LongSupplier clock) {
        name = "`" + of.operator + "` (instance " + of.instance + ")";
        instance = of.instance;
        this.clock = clock;
        limits = new TaskRows.Limits(folder, MOST_MEMORY, new AtomicLong());
        wake = told.wake;
        drained = told.drained;
    }

    /**
     * Stages whole packets.
     *
     * @param millis how long it waits for room, and for the run to be opened
     * @return whether there was room; else nothing is staged
     * @throws StagingException if nobody would commit them: the run, or that epoch, is over
     */
    boolean stage(Key key, byte[] packets, int rows, long millis) throws IOException, InterruptedException {
        TaskRows part;
        synchronized (this) {
            if (!awaitRoom(key.run(), millis)) {
                return false;
            }
            Long decided = runs.get(key.run());
            if (decided == null) {
                throw new StagingException("the rows for " + name + " are of a query that has ended, or whose driver is gone");
            }
            if (key.epoch() <= decided) {
                throw new StagingException("the rows for " + name + " come too late: epoch " + key.epoch()
                        + " of their query is over");
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
            committed.add(new Taken(part));
            behind += packets.length;
        }
        wake.run();
        return true;
    }

    /** @param run which must be open; null for any */
    private boolean awaitRoom(String run, long millis) throws InterruptedException, StagingException {
        long deadline = clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!closed && !ended && (isBehind() || run != null && !runs.containsKey(run))) {
            long left = deadline - clock.getAsLong();
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
                case Message.Fate.OPEN -> runs.put(run, NONE);
                case Message.Fate.COMMIT -> commit(fate);
                case Message.Fate.ABORT -> dropDecided(fate);
                case Message.Fate.END -> {
                    ended = true;
                    tellDrained();
                    drop(any -> true);
                }
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
            committed.add(new Taken(rows));
            behind += rows.bytes();
        }
        tellDrained();
        dropDecided(fate);
    }

    /** When the source has sent on what is committed so far. */
    private void tellDrained() {
        if (drained != null) {
            committed.add(Taken.END);
        }
    }

    /** Drops what is left of decided epochs, as of attempts at a task that did not count; from now on no more of it comes. */
    private void dropDecided(Message.Fate fate) {
        runs.computeIfPresent(fate.run(), (run, before) -> Math.max(before, fate.epoch()));
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
        committed.stream().map(Taken::rows).filter(Objects::nonNull).forEach(TaskRows::release);
        committed.clear();
    }

    @Override
    public byte[] next() {
        while (true) {
            Taken head;
            synchronized (this) {
                head = committed.peek();
                if (head == Taken.END) {
                    committed.remove();
                }
            }
            if (head == null) {
                return null;
            }
            if (head == Taken.END) {
                drained.run();
                continue;
            }
            byte[] packets;
            try {
                packets = head.rows.next();
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
            head.rows.release();
        }
    }

    @Override
    public synchronized boolean hasEnded() {
        return ended && committed.isEmpty();
    }
}
