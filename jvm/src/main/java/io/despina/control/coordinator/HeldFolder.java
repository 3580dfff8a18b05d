package io.despina.control.coordinator;

import io.despina.control.members.Environment;
import io.despina.operator.Reason;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
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
    /** What lasts is told again after so long. */
    private static final long TELL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final FolderHold hold;
    private final Environment environment;
    /** Ids of those that were seen to hold it; of the thread that stands by. */
    private final Set<String> seen = new HashSet<>();
    // guarded by this
    /** Where it is told that the run has ended by itself, and as whose; null before it has the job. */
    private StateFolder told;
    private Holder as;
    /** The next one; null for a lock. */
    private Future<?> renewal;
    private boolean released;
    /** Why it is not renewed, as it was told last, and when; null while it is. */
    private String trouble;
    private long troubleNanos;

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
     * @param before whether another did before
     * @param waits  is told when it is known that another does
     * @return whether another did
     * @throws IOException if nobody can be asked at first
     */
    boolean standBy(boolean before, Runnable waits) throws IOException {
        boolean waited = before;
        while (isHeld(waited)) {
            if (!waited) {
                waits.run();
            }
            waited = true;
            pause(STANDBY_MILLIS);
        }
        return waited;
    }

    /** Waits before it stands by again. */
    void rest() throws IOException {
        pause(STANDBY_MILLIS);
    }

    /** Whether the process of that coordinator has held the folder while this run stood by. */
    boolean hasSeen(String coordinator) {
        return seen.contains(process(coordinator));
    }

    private static String process(String coordinator) {
        return coordinator.replaceFirst("/.*", "");
    }

    private boolean isHeld(boolean waited) throws IOException {
        try {
            Holder other = hold.look(environment.clock().getAsLong());
            if (other != null) {
                seen.add(process(other.coordinator()));
            }
            return other != null && other.isAlive();
        } catch (IOException away) {
            if (!waited) {
                throw away;
            }
            return true;
        }
    }

    /**
     * Gives back a lease that was taken from another who has the job, or gets it. That one has time to renew it, also if it is
     * slow: where there is no lease, whoever stands by takes the job from a coordinator that lives.
     *
     * @return whether it is held then
     */
    boolean giveWay() {
        renewNoMore();
        try {
            hold.giveBack();
            long waited = 0;
            while (hold.isOwn() && waited < LATEST_RENEWAL_MILLIS) {
                pause(hold.leaseMillis());
                waited += hold.leaseMillis();
            }
            boolean isLeft = hold.isOwn();
            close();
            return hold.isLease() && !isLeft && isHeld(true);
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

    /** Takes the lease, if it is one, and renews it from now on. @return whether nobody was quicker */
    synchronized boolean take() throws IOException {
        boolean isTaken = hold.renew(environment.clock().getAsLong()) == null;
        if (isTaken) {
            keepRenewing();
        }
        return isTaken;
    }

    /** The same, whoever has it: the job was claimed here. */
    synchronized void seize() throws IOException {
        hold.seize();
        keepRenewing();
    }

    private void keepRenewing() {
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

    /**
     * One that cannot be renewed now is tried again. If it lapses, and another takes it, it is left to that one, which fences
     * this attempt off when it claims the job, or gives the lease back.
     */
    private synchronized void renew() {
        try {
            if (!released) {
                Holder other = hold.renew(environment.clock().getAsLong());
                tell(other == null ? null : other.words() + " has it, since it was not renewed in time");
            }
        } catch (IOException later) {
            tell(Reason.of(later));
        } finally {
            renewLater();
        }
    }

    /** @param why it is not renewed; null if it is */
    private void tell(String why) {
        long now = environment.clock().getAsLong();
        if (why == null && trouble != null) {
            log("the lease of the state folder is renewed again");
        } else if (why != null && (trouble == null || now - troubleNanos >= TELL_NANOS)) {
            log("the lease of the state folder is not renewed: " + why);
            troubleNanos = now;
        }
        trouble = why;
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
            log("nobody is told that the run has ended, and another may try to take its job over: " + Reason.of(untold));
        }
        try {
            if (isLost) {
                hold.leave();
            } else {
                hold.close();
            }
        } catch (IOException | RuntimeException stays) {
            log("the state folder is held for some seconds more: " + Reason.of(stays));
        }
    }

    private static void log(String words) {
        System.getLogger(HeldFolder.class.getName()).log(System.Logger.Level.WARNING, words);
    }
}
