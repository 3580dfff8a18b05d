package io.despina.connect;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a source whose library has none for it: takes step after step until it is closed. What it has of the server is
 * its own from {@link #start} on.
 */
public abstract class ReadingThread extends Thread {
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final SourceHost host;
    private final LoginPatience login;
    /** Written by the host's thread. */
    private volatile boolean stopped;
    private volatile boolean closed;
    /** Whether the host has been asked to say when it has room. */
    private volatile boolean waits;

    /** @param connector by which threads are named */
    protected ReadingThread(String connector, SourceHost host, ConnectorSettings settings) {
        super("despina-" + connector + "-" + host.operator() + "-" + host.instance());
        setDaemon(true);
        setContextClassLoader(getClass().getClassLoader());
        this.host = host;
        login = new LoginPatience(settings);
    }

    /** Before the first step. */
    protected void begin() {
        // most have nothing to do
    }

    /** From the host's thread, see {@link AcknowledgingReader#goOn}. */
    protected void goOn(Map<String, String> digests) {
        // most need none
    }

    /** A step of its work; it may wait for a moment. */
    protected abstract void step() throws Exception;

    /** The server, or what was made there, is gone. Its connection has not been ended yet. */
    protected abstract void lost(IOException why) throws IOException;

    /** Ends what it has of the server. */
    protected abstract void disconnect();

    /** From any thread: ends a wait for the server that no interrupt ends. */
    protected void cut() {
        // most need none
    }

    /** The same, also for a thread that was told to end: an interrupt would cut short what is said to the server. */
    public final void release() {
        Thread.interrupted();
        disconnect();
    }

    protected final boolean isStopped() {
        return stopped;
    }

    protected final boolean isClosed() {
        return closed;
    }

    /** From any thread. @param close whether nothing is needed any more */
    public final void end(boolean close) {
        stopped = true;
        closed |= close;
        interrupt();
        if (close) {
            cut();
        }
    }

    @Override
    public final void run() {
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
            login.ends();
        } catch (InterruptedException told) {
            return;         // the end
        } catch (RefusedException forGood) {
            throw forGood;
        } catch (IOException why) {
            login.lost(why);
            lost(why);
        }
    }

    /** There is nothing to do until it is closed. */
    protected final void rest() {
        Thread.interrupted();
        LockSupport.parkNanos(this, PARK_NANOS);
    }

    protected final void awaitRoom() {
        if (!waits) {
            waits = true;
            host.whenRoom(() -> {
                waits = false;
                LockSupport.unpark(this);
            });
        }
        LockSupport.parkNanos(this, PARK_NANOS);
    }

    /** Ends it, and waits for so long until it has ended what it has of the server. */
    public final void close(long millis) {
        end(true);
        try {
            if (isAlive()) {
                join(millis);
            } else {
                release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
