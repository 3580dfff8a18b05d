package io.despina.compare;

/** What a topology reads, the same on every peer. One thread. */
public interface Feeder {
    /** The next record; null if none is due yet, or {@link #isDone}. */
    byte[] next();

    /** Whether there will be no more. */
    boolean isDone();

    /** Of {@link #waitNanos}: there will be no record, and no end. */
    long NEVER = Long.MAX_VALUE;

    /** Nanoseconds until the next record is due, at least 0, or {@link #NEVER}. */
    default long waitNanos() {
        return 0;
    }
}
