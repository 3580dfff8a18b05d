package io.despina.snapshot;

import io.despina.json.RecordJson;
import io.despina.state.SnapshotException;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The hold of a coordinator on a state folder, so that a second start of a job is refused by name. Where the file system has
 * locks it is one, which ends with the process; elsewhere it is a lease that must be renewed, and that nobody takes from another
 * who renews it, but for whoever has claimed the job. It spares two starts the trouble; that only one of them completes epochs is
 * sure by the claims of {@link StateFolder}. Any thread may call it.
 */
public final class FolderHold implements AutoCloseable {
    private static final String LOCK = "lock";
    private static final String LEASE = "lease.json";
    /** A process may take so long to end. */
    private static final long LONGEST_END_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Who could ask nobody for a while may be later than others in asking again. */
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Whoever holds the lock has not said yet who it is. */
    private static final Holder UNKNOWN = new Holder("", "this machine", 0, 0, -1);
    /** Nobody's id: a lease that was given back lasts for its length, until who has the job renews it. */
    private static final String NOBODY = "given back";

    private final SnapshotStore store;
    private final String lockPath;
    private final String leasePath;
    private final Holder self;
    /** Null while it is not held, or where there are no locks. */
    private Closeable lock;
    private boolean leases;
    /** Whether the lease was taken, and not let go. */
    private boolean leased;
    private boolean given;
    /** When the lease was last written to, and when that was first seen. */
    private long seenModified = SnapshotStore.NOT_THERE;
    private long seenNanos;
    /** Since the lease could not be looked at. */
    private boolean wasAway;

    /** @param self who asks; its lease does not matter */
    public FolderHold(SnapshotStore store, FolderPaths paths, Holder self) {
        this.store = store;
        this.self = self;
        lockPath = paths.folder() + LOCK;
        leasePath = paths.folder() + LEASE;
    }

    /**
     * Takes the lock, if there are locks. A lease is watched: it has ended when it did not change for its length between two
     * looks, by a clock that nobody sets. What the file says of its time is another clock's.
     *
     * @param nanoTime of that clock
     * @return who holds the folder; null if nobody else does
     */
    public synchronized Holder look(long nanoTime) throws IOException {
        if (lock != null) {
            return null;
        }
        if (!leases) {
            try {
                lock = store.lock(lockPath, written(self));
                return lock == null ? read(lockPath, UNKNOWN).locking() : null;
            } catch (UnsupportedOperationException noLocks) {
                leases = true;
            }
        }
        return lease(nanoTime);
    }

    /** Waits between two looks. */
    @FunctionalInterface
    public interface BetweenLooks {
        void pause() throws IOException;
    }

    /**
     * As {@link #look}, again and again for {@link #leaseMillis} at most: until another's lease has been renewed or has
     * ended; or until another process of this machine has let go of its lock. One that was killed, or whose program was, may take
     * some seconds to end.
     *
     * @return who holds the folder; if not {@link Holder#isAlive}, it may be taken
     */
    public Holder watch(LongSupplier nanoTime, BetweenLooks between) throws IOException {
        long began = nanoTime.getAsLong();
        Holder before = look(began);
        Holder now = before;
        while (now != null && (isLease() ? now.leaseMillis() <= before.leaseMillis() && now.isAlive()
                : mayBeEnding(now) && nanoTime.getAsLong() - began < LONGEST_END_NANOS)) {
            between.pause();
            before = now;
            now = look(nanoTime.getAsLong());
        }
        return now;
    }

    private boolean mayBeEnding(Holder other) {
        return other.host().equals(self.host()) && other.pid() != self.pid();
    }

    private Holder read(String path, Holder otherwise) throws IOException {
        try {
            return RecordJson.read(ManifestText.content(path, bytes(path)), Holder.class);
        } catch (SnapshotException | FileNotFoundException | IllegalArgumentException unreadable) {
            return otherwise;
        }
    }

    private byte[] bytes(String path) throws IOException {
        try (var in = store.open(path, 0)) {
            return in.readAllBytes();
        }
    }

    private Holder lease(long nanoTime) throws IOException {
        long modified;
        Holder holder;
        try {
            modified = store.modifiedMillis(leasePath);
            holder = read(leasePath, UNKNOWN);
        } catch (FileNotFoundException free) {
            seenModified = SnapshotStore.NOT_THERE;
            return null;
        } catch (IOException away) {
            wasAway = true;
            throw away;
        }
        if (modified != seenModified || wasAway) {
            seenModified = modified;
            seenNanos = wasAway ? nanoTime + RECONNECT_NANOS : nanoTime;
            wasAway = false;
        }
        long watched = TimeUnit.NANOSECONDS.toMillis(nanoTime - seenNanos);
        return holder.coordinator().equals(self.coordinator()) ? null : holder.leasing(Math.max(0, leaseMillis() - watched));
    }

    /** Whether the lease is as it was left here, though it may have ended: nobody has taken it since. */
    public synchronized boolean isOwn() throws IOException {
        if (!leased || !store.exists(leasePath)) {      // which catches up with what others have written: reading does not
            return false;
        }
        return read(leasePath, UNKNOWN).coordinator().equals(given ? NOBODY : self.coordinator());
    }

    /** How long a lease of this folder lasts. */
    public long leaseMillis() {
        return store.leaseMillis();
    }

    /** Whether it is a lease: {@link #renew} it some times while it lasts, and take it when nobody else has it. */
    public synchronized boolean isLease() {
        return leases;
    }

    /**
     * Takes or renews the lease, unless another has it; does nothing about a lock. Who was held up may find that another has
     * taken it: it leaves it alone, and takes it again once that one has let it end, or has given it back.
     *
     * @param nanoTime as in {@link #look}
     * @return who has it; null if it is held here now
     */
    public synchronized Holder renew(long nanoTime) throws IOException {
        if (!leases) {
            return null;
        }
        Holder other = lease(nanoTime);
        boolean isLeft = leased && other != null && other.coordinator().equals(NOBODY);
        if (other == null || !other.isAlive() || isLeft) {
            other = store.replace(leasePath, seenModified, written(self)) ? null : lease(nanoTime);
        }
        leased |= other == null;
        return other;
    }

    /** Takes the lease, whoever has it: the job was claimed here. Does nothing about a lock. */
    public synchronized void seize() throws IOException {
        if (leases) {
            store.replace(leasePath, written(self));
            leased = true;
        }
    }

    /** Leaves a lease to whoever has the job, who was held up: for others it lasts on meanwhile. It is not renewed after that. */
    public synchronized void giveBack() throws IOException {
        if (isOwn()) {
            long modified = store.modifiedMillis(leasePath);
            Holder nobody = new Holder(NOBODY, self.host(), self.pid(), self.sinceMillis(), self.leaseMillis());
            given = isOwn() && store.replace(leasePath, modified, written(nobody));
        }
    }

    private static byte[] written(Holder holder) {
        return ManifestText.sealed(RecordJson.object(holder));
    }

    /** Lets go. A lease that another has taken meanwhile is left alone. */
    @Override
    public synchronized void close() throws IOException {
        if (isOwn()) {
            store.delete(leasePath);
        }
        leave();
    }

    /** Lets go of the lock. A lease ends by itself, unless whoever has the folder now renews it. */
    public synchronized void leave() throws IOException {
        leased = false;
        given = false;
        if (lock != null) {
            lock.close();
            lock = null;
        }
    }
}
