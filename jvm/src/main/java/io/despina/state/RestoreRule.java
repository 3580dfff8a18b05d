package io.despina.state;

/**
 * Which instances take an entry when a snapshot is restored at another parallelism. At the same parallelism each takes its own.
 */
public enum RestoreRule {
    /** The owner of the entry's bucket; the first instance if the entry has none. */
    BY_BUCKET,
    /** Every instance takes every entry and keeps the least of each number. */
    LEAST,
    /** Every instance takes every entry and decides by the entry's name. */
    UNION
}
