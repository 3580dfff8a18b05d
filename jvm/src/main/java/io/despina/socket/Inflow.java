package io.despina.socket;

import io.despina.wake.Waker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What has arrived for one source and is not taken yet. IO threads fill it and wake the source. When whole records of
 * {@link #most} bytes wait, sockets are no longer read. Records that have come in part may take as much again.
 */
public final class Inflow {
    /** A socket that is read just when the room ends still brings so many bytes, at most. */
    static final int LEAST_READ = 256;

    private final long most;
    private final Waker source;
    private final Queue<Received> queue = new ConcurrentLinkedQueue<>();
    /** What lets the sockets that wait for room be read again. */
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    /** Any thread. */
    private final AtomicLong queued = new AtomicLong();
    private final AtomicLong parts = new AtomicLong();
    /** Written by the source's thread, read by IO threads. */
    private volatile boolean stopped;

    public Inflow(long most, Waker source) {
        this.most = most;
        this.source = source;
    }

    boolean hasRoom() {
        return queued.get() < most;
    }

    /** @return whether parts of records may take so many bytes more; then they are counted */
    boolean tryHold(long bytes) {
        if (parts.addAndGet(bytes) <= most || bytes <= 0) {
            return true;
        }
        parts.addAndGet(-bytes);
        return false;
    }

    void letGo(long bytes) {
        parts.addAndGet(-bytes);
    }

    void put(Received received) {
        queued.addAndGet(received.cost());
        queue.add(received);
        source.wake();
    }

    /** @param resume run once, from any thread, as soon as there is room */
    void whenRoom(Runnable resume) {
        waiting.add(resume);
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
    public Received poll() {
        return queue.poll();
    }

    /** The source has done with it. */
    public void done(Received received) {
        if (queued.addAndGet(-received.cost()) <= most / 2) {
            resume();
        }
    }

    /** Nothing that arrives from now on counts. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Memory that is taken now: by what waits, and by parts of records. */
    public long heldBytes() {
        return queued.get() + parts.get();
    }
}
