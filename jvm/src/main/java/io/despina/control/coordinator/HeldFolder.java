package io.despina.control.coordinator;

import io.despina.control.members.Environment;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A job's hold on its state folder, from before its attempt is claimed until the attempt has ended. A lease is renewed each
 * second, whatever the attempt does meanwhile and however long its epochs are. What waits for the folder's disk runs aside.
 */
final class HeldFolder {
    static final long RENEW_MILLIS = 1_000;
    private static final long LOOK_MILLIS = 250;

    private final FolderHold hold;
    private final Environment environment;
    // guarded by this
    /** The next one; null for a lock. */
    private Future<?> renewal;
    private boolean released;

    HeldFolder(FolderHold hold, Environment environment) {
        this.hold = hold;
        this.environment = environment;
    }

    /** Who else holds the folder; null if nobody does. Waits for some seconds where that one may be ending, or be dead. */
    Holder look() throws IOException {
        return hold.watch(environment.clock(), this::pause);
    }

    private void pause() throws IOException {
        try {
            environment.timer().schedule(() -> { }, LOOK_MILLIS, TimeUnit.MILLISECONDS).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while it waited for another run that has the state folder", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes the lease, if it is one, and renews it from now on. */
    void take() throws IOException {
        hold.renew();
        if (hold.isLease()) {
            renewLater();
        }
    }

    private synchronized void renewLater() {
        if (!released) {
            renewal = environment.timer().schedule(() -> environment.aside().execute(this::renew), RENEW_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    /** One that cannot be renewed now is tried again; if it lapses, whoever takes the folder fences this attempt off. */
    private synchronized void renew() {
        try {
            if (!released) {
                hold.renew();
            }
        } catch (IOException later) {
            log("the lease of a state folder was not renewed", later);
        } finally {
            renewLater();
        }
    }

    /** Lets go, aside. @return completes, never exceptionally, when another may have it */
    CompletableFuture<Void> release() {
        return CompletableFuture.runAsync(this::close, environment.aside());
    }

    /** Lets go. A lease that cannot be given back ends by itself. */
    synchronized void close() {
        released = true;
        if (renewal != null) {
            renewal.cancel(false);
        }
        try {
            hold.close();
        } catch (IOException | RuntimeException stays) {
            log("a state folder is held for some seconds more", stays);
        }
    }

    private static void log(String words, Exception why) {
        System.getLogger(HeldFolder.class.getName()).log(System.Logger.Level.WARNING, words, why);
    }
}
