package io.despina.nats;

import io.despina.connect.SourceHost;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a source: takes step after step until it is closed. What it has of the server is its own from {@link #start} on.
 */
abstract class ReadingThread extends Thread {
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final SourceHost host;
    /** Written by the host's thread. */
    private volatile boolean stopped;
    private volatile boolean closed;
    /** Whether the host has been asked to say when it has room. */
    private volatile boolean waits;

    ReadingThread(SourceHost host) {
        super("despina-nats-" + host.operator() + "-" + host.instance());
        setDaemon(true);
        setContextClassLoader(ReadingThread.class.getClassLoader());
        this.host = host;
    }

    /** Before the first step. */
    void begin() {
        // most have nothing to do
    }

    /** A step of its work; it may wait for a moment. */
    abstract void step() throws Exception;

    /** The server, or what was made there, is gone. */
    abstract void lost(IOException why) throws IOException;

    /** Ends what it has of the server. */
    abstract void disconnect();

    /** The same, also for a thread that was told to end: an interrupt would cut short what is said to the server. */
    void release() {
        Thread.interrupted();
        disconnect();
    }

    boolean isStopped() {
        return stopped;
    }

    boolean isClosed() {
        return closed;
    }

    /** From any thread. @param close whether nothing is needed any more */
    void end(boolean close) {
        stopped = true;
        closed |= close;
        interrupt();
    }

    @Override
    public void run() {
        try {
            begin();
            while (!closed) {
                tryStep();
            }
        } catch (Throwable e) {         // an Error too must end the job that waits for records
            if (!closed) {
                host.failed(e instanceof Exception why ? why : new IllegalStateException(e));
            }
        } finally {
            release();
        }
    }

    private void tryStep() throws Exception {
        try {
            step();
        } catch (InterruptedException told) {
            return;         // the end
        } catch (RefusedException forGood) {
            throw forGood;
        } catch (IOException why) {
            lost(why);
        }
    }

    /** There is nothing to do until it is closed. */
    void rest() {
        Thread.interrupted();
        LockSupport.parkNanos(this, PARK_NANOS);
    }

    void awaitRoom() {
        if (!waits) {
            waits = true;
            host.whenRoom(() -> {
                waits = false;
                LockSupport.unpark(this);
            });
        }
        LockSupport.parkNanos(this, PARK_NANOS);
    }
}
