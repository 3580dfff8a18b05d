package io.despina.snapshot;

/**
 * Who uses a state folder.
 *
 * @param coordinator    id of its process
 * @param host           where that runs
 * @param pid            of it
 * @param sinceMillis    since 1970-01-01T00:00Z, by its clock
 * @param leaseMillis    for how long it has not renewed its lease; -1 if it holds a lock, which ends with its process
 */
public record Holder(String coordinator, String host, long pid, long sinceMillis, long leaseMillis) {
    /** A lease that is not renewed for so long has ended. */
    public static final long LEASE_MILLIS = 5_000;

    public boolean isAlive() {
        return leaseMillis < LEASE_MILLIS;
    }

    /** When a lease that is not renewed will have ended; 0 for a lock. */
    public long againMillis() {
        return leaseMillis < 0 ? 0 : Math.max(1, LEASE_MILLIS - leaseMillis);
    }

    /** The same, with a lock. */
    Holder locking() {
        return new Holder(coordinator, host, pid, sinceMillis, -1);
    }

    public String words() {
        return "process " + pid + " on " + host;
    }
}
