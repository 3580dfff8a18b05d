package io.despina.operator.database.source;

import io.despina.wake.Waker;
import java.util.ArrayDeque;
import java.util.Deque;

/** What one thread has read and the source has not taken yet: a few blocks of rows. The source is woken for each. */
final class ReadRows {
    /** Blocks that may wait. */
    private static final int MOST = 4;

    /** One thing that was read. */
    sealed interface Read {
    }

    /** Packets, one after the other. */
    record Block(byte[] bytes, int length) implements Read {
    }

    /** A row that is none of the schema. */
    record BadRow(String why, String row) implements Read {
    }

    /** Nothing follows. */
    record Ended() implements Read {
    }

    /** It cannot be read on. */
    record Failed(Exception why) implements Read {
    }

    private final Waker source;
    /** Guarded by this, as the field behind it is. */
    private final Deque<Read> waiting = new ArrayDeque<>();
    private boolean stopped;

    ReadRows(Waker source) {
        this.source = source;
    }

    /** From the reading thread: waits for room. @return whether anything more is wanted */
    boolean put(Read read) throws InterruptedException {
        synchronized (this) {
            while (waiting.size() >= MOST && !stopped) {
                wait();
            }
            if (stopped) {
                return false;
            }
            waiting.add(read);
        }
        source.wake();
        return true;
    }

    /** From the reading thread: waits, unless nothing more is wanted. */
    synchronized void pause(long millis) throws InterruptedException {
        if (!stopped && millis > 0) {
            wait(millis);
        }
    }

    synchronized boolean isStopped() {
        return stopped;
    }

    /** From the source. @return what was read first; null if nothing waits */
    synchronized Read poll() {
        Read first = waiting.poll();
        if (first != null) {
            notifyAll();
        }
        return first;
    }

    /** From the source: nothing more is wanted. */
    synchronized void stop() {
        stopped = true;
        waiting.clear();
        notifyAll();
    }
}
