package io.despina.runtime.worker;

import io.despina.wake.Waker;
import io.despina.wire.IoLoop;
import java.util.function.Supplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * A loop over a run queue: {@link #crank} does one turn, called by a thread or by a test. The queue is bounded by the number of
 * the worker's tasks, since each is queued at most once.
 */
public final class Worker {
    private static final int CHUNK = 64;

    private final MpscUnboundedAtomicArrayQueue<TaskSlot> queue = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
    private final Timers timers = new Timers();
    private final Waker thread;
    private final Supplier<IoLoop> io;

    /** @param thread woken after something was queued */
    public Worker(Waker thread) {
        this(thread, () -> null);
    }

    /** @param io made when it is asked for */
    Worker(Waker thread, Supplier<IoLoop> io) {
        this.thread = thread;
        this.io = io;
    }

    /** Serves the connections of this worker's tasks; null if another thread does. */
    public IoLoop io() {
        return io.get();
    }

    /** Work of one of its tasks for another thread: sockets that it opens are served as the task's connections are. */
    public Runnable aside(Runnable work) {
        return IoLoop.serving(io, work);
    }

    /**
     * Wakes the tasks whose time has come and runs the one at the queue's head. Only one thread at a time calls it.
     *
     * @param now nanoseconds of the clock
     * @return false if there was nothing to do
     */
    public boolean crank(long now) {
        boolean fired = fire(now);
        return turn(now) || fired;
    }

    /** The first half of {@link #crank}: wakes the tasks whose time has come. */
    boolean fire(long now) {
        boolean fired = false;
        for (Timers.Entry due = timers.due(now); due != null; due = timers.due(now)) {
            due.wake();
            fired = true;
        }
        return fired;
    }

    /** The second half: runs the task at the queue's head. */
    boolean turn(long now) {
        TaskSlot slot = queue.poll();
        if (slot == null) {
            return false;
        }
        slot.run(now);
        return true;
    }

    /** Whether a task waits to be run; timers apart. */
    public boolean hasWork() {
        return !queue.isEmpty();
    }

    /** When the next timer fires, or {@link Long#MAX_VALUE}. Only the worker's thread asks. */
    public long nextDeadline() {
        return timers.next();
    }

    void enqueue(TaskSlot slot) {
        queue.offer(slot);
        thread.wake();
    }

    Timers timers() {
        return timers;
    }
}
