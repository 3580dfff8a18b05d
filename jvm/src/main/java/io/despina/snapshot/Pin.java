package io.despina.snapshot;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Says that somebody reads an epoch, so that whoever collects leaves it. It is renewed until it is closed, however long that
 * takes; of a reader that has died, it ends after {@link #MILLIS}. Any thread may close it.
 */
public final class Pin implements Closeable {
    /** So long after it was last renewed, it counts. */
    static final long MILLIS = 600_000;
    /** One that cannot be renewed at once is tried again some times before it ends. */
    static final long RENEW_MILLIS = MILLIS / 10;
    private static final byte[] CONTENT = new byte[0];

    private final SnapshotStore store;
    private final String path;
    private final Later later;
    // guarded by this
    private Future<?> renewal;
    private boolean closed;

    /** Runs something in so many milliseconds, on a thread that may wait for a disk. */
    @FunctionalInterface
    public interface Later {
        Future<?> run(Runnable what, long millis);
    }

    /** On a thread of the process, for commands. */
    public static final Later OF_PROCESS = (what, millis) ->
            CompletableFuture.runAsync(what, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));

    private Pin(SnapshotStore store, String path, Later later) {
        this.store = store;
        this.path = path;
        this.later = later;
    }

    /** Where the folder cannot be written to, nothing is said. */
    static Pin at(SnapshotStore store, String path, Later later) {
        Pin pin = new Pin(store, path, later);
        try {
            store.replace(path, CONTENT);
            pin.renewLater();
        } catch (IOException readOnly) {
            pin.closed = true;
        }
        return pin;
    }

    private synchronized void renewLater() {
        if (!closed) {
            renewal = later.run(this::renew, RENEW_MILLIS);
        }
    }

    private synchronized void renew() {
        try {
            if (!closed) {
                store.replace(path, CONTENT);
            }
        } catch (IOException again) {
            System.getLogger(Pin.class.getName()).log(System.Logger.Level.WARNING, path + " was not renewed: "
                    + again.getMessage());
        } finally {
            renewLater();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            renewal.cancel(false);
            store.delete(path);
        }
    }
}
