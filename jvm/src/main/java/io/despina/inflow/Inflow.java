package io.despina.inflow;

import io.despina.wake.Waker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What has arrived for one source and is not taken yet. Threads of its clients fill it and wake the source. When whole records of
 * {@link #most} bytes wait, nothing more is to be read. Records that have come in part may take as much again.
 *
 * @param <P> what arrives
 */
public final class Inflow<P extends Inflow.Piece> {

    /** Whole records that arrived together. */
    public interface Piece {
        /** Memory that it takes, in bytes. */
        long cost();
    }

    private final long most;
    private final Waker source;
    private final Queue<P> queue = new ConcurrentLinkedQueue<>();
    /** What lets those that wait for room read again. */
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** Any thread. */
    private final AtomicLong queued = new AtomicLong();
    private final AtomicLong parts = new AtomicLong();
    /** Written by the source's thread, read by any thread. */
    private volatile boolean stopped;
    private volatile boolean held;

    public Inflow(long most, Waker source) {
        this.most = most;
        this.source = source;
    }

    /** Whether more may be read. */
    public boolean hasRoom() {
        return queued.get() < most && !held;
    }

    /** @return whether parts of records may take so many bytes more; then they are counted */
    public boolean tryHold(long bytes) {
        if (parts.addAndGet(bytes) <= most || bytes <= 0) {
            return true;
        }
        parts.addAndGet(-bytes);
        return false;
    }

    /** Parts of records take so many bytes less. */
    public void letGo(long bytes) {
        parts.addAndGet(-bytes);
    }

    /** From any thread: it waits for the source, which is woken. */
    public void put(P received) {
        queued.addAndGet(received.cost());
        queue.add(received);
        source.wake();
    }

    /** @param resume run once, from any thread, as soon as there is room */
    public void whenRoom(Runnable resume) {
        waiting.add(resume);
        if (hasRoom()) {
            resume();
        }
    }

    /** The source takes nothing for now, or goes on: whether there is room in its queue or not. */
    public void hold(boolean on) {
        held = on;
        if (hasRoom()) {
            resume();
        }
    }

    private void resume() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    /** The source takes what came first; null if nothing waits. */
    public P poll() {
        return queue.poll();
    }

    /** The source has done with it. */
    public void done(P received) {
        if (queued.addAndGet(-received.cost()) <= most / 2 && !held) {
            resume();
        }
    }

    /** Nothing that arrives from now on counts. */
    public void stop() {
        stopped = true;
    }

    public boolean isStopped() {
        return stopped;
    }

    /** Memory that is taken now: by what waits, and by parts of records. */
    public long heldBytes() {
        return queued.get() + parts.get();
    }
}
