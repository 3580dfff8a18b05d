package io.despina.control.coordinator;

import io.despina.control.members.Environment;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A job's hold on its state folder, from before its attempt is claimed until the attempt has ended. A lease is renewed
 * {@value #RENEWALS} times while it lasts, whatever the attempt does meanwhile and however long its epochs are. What waits for
 * the folder's disk runs aside.
 */
final class HeldFolder {
    private static final int RENEWALS = 5;
    private static final long LOOK_MILLIS = 250;
    /** What the commands of a job wait for, at most, when its coordinator is lost. */
    private static final long STANDBY_MILLIS = 100;
    /** A process that begins a job on a busy machine may be so late in renewing its lease. */
    private static final long LATEST_RENEWAL_MILLIS = 10_000;

    private final FolderHold hold;
    private final Environment environment;
    // guarded by this
    /** Where it is told that the run has ended by itself, and as whose; null before it has the job. */
    private StateFolder told;
    private Holder as;
    /** The next one; null for a lock. */
    private Future<?> renewal;
    private boolean released;

    HeldFolder(FolderHold hold, Environment environment) {
        this.hold = hold;
        this.environment = environment;
    }

    /** Who else holds the folder; null if nobody does. Waits for some seconds where that one may be ending, or be dead. */
    Holder look() throws IOException {
        return hold.watch(environment.clock(), () -> pause(LOOK_MILLIS));
    }

    private void pause(long millis) throws IOException {
        try {
            environment.timer().schedule(() -> { }, millis, TimeUnit.MILLISECONDS).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while it waited for another run that has the state folder", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Waits for as long as another holds the folder, also while nobody can be asked: whoever it is may run all the same.
     *
     * @param waits is told when it is known that another does
     * @return whether another did
     * @throws IOException if nobody can be asked at first
     */
    boolean standBy(Runnable waits) throws IOException {
        boolean waited = false;
        while (isHeld(waited)) {
            if (!waited) {
                waits.run();
            }
            waited = true;
            pause(STANDBY_MILLIS);
        }
        return waited;
    }

    private boolean isHeld(boolean waited) throws IOException {
        try {
            Holder other = hold.look(environment.clock().getAsLong());
            return other != null && other.isAlive();
        } catch (IOException away) {
            if (!waited) {
                throw away;
            }
            return true;
        }
    }

    /**
     * Lets go of a lease that another has, too. That one has time to renew it before, also if it is slow: where there is no
     * lease, whoever stands by takes the job from a coordinator that lives.
     *
     * @return whether it is held then
     */
    boolean giveWay() {
        renewNoMore();
        try {
            long waited = 0;
            while (hold.isLease() && hold.isOwn() && waited < LATEST_RENEWAL_MILLIS) {
                pause(hold.leaseMillis());
                waited += hold.leaseMillis();
            }
            close();
            return hold.isLease() && isHeld(true);
        } catch (IOException interrupted) {
            return false;
        }
    }

    private synchronized void renewNoMore() {
        released = true;
        if (renewal != null) {
            renewal.cancel(false);
        }
    }

    /** A run has the folder as that one, and another would take its job over unless it is told here that it has ended. */
    synchronized void tells(StateFolder folder, Holder self) {
        told = folder;
        as = self;
    }

    /** Takes the lease, if it is one, and renews it from now on. */
    synchronized void take() throws IOException {
        hold.renew();
        if (hold.isLease() && renewal == null) {
            renewLater();
        }
    }

    private synchronized void renewLater() {
        if (!released) {
            renewal = environment.timer().schedule(() -> environment.aside().execute(this::renew),
                    hold.leaseMillis() / RENEWALS, TimeUnit.MILLISECONDS);
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

    /** Lets go. A lease that cannot be given back ends by itself; that of a run which has lost the job is another's to renew. */
    synchronized void close() {
        renewNoMore();
        boolean isLost = false;
        try {
            isLost = told != null && !told.ended(as);
        } catch (IOException | RuntimeException untold) {
            log("nobody is told that the run has ended: another may try to take its job over", untold);
        }
        try {
            if (isLost) {
                hold.leave();
            } else {
                hold.close();
            }
        } catch (IOException | RuntimeException stays) {
            log("a state folder is held for some seconds more", stays);
        }
    }

    private static void log(String words, Exception why) {
        System.getLogger(HeldFolder.class.getName()).log(System.Logger.Level.WARNING, words, why);
    }
}
