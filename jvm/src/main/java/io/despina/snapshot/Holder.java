package io.despina.snapshot;

/**
 * Who uses a state folder.
 *
 * @param coordinator    id of its process
 * @param host           where that runs
 * @param pid            of it
 * @param sinceMillis    since 1970-01-01T00:00Z, by its clock
 * @param leaseMillis    after what time its lease ends if it is not renewed, 0 if it has ended; -1 if it holds a lock, which ends
 *                       with its process
 */
public record Holder(String coordinator, String host, long pid, long sinceMillis, long leaseMillis) {

    public boolean isAlive() {
        return leaseMillis != 0;
    }

    /** When a lease that is not renewed will have ended; 0 for a lock. */
    public long againMillis() {
        return Math.max(0, leaseMillis);
    }

    /** The same, with a lock. */
    Holder locking() {
        return leasing(-1);
    }

    /** The same, with so much of its lease left. */
    Holder leasing(long millis) {
        return new Holder(coordinator, host, pid, sinceMillis, millis);
    }

    public String words() {
        return "process " + pid + " on " + host;
    }
}
