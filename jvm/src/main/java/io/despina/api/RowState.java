package io.despina.api;

/**
 * One row that is kept for each key, where the key is what the graph's {@code group_by} gives for the packet at hand; without
 * {@code group_by} all packets share one row. It is part of snapshots, counts against the memory of the resource, and moves with
 * its key when the graph goes on with another parallelism. It is kept until {@link #remove}.
 */
public interface RowState {

    /** The values of {@code group_by}, a column each; a view. */
    Row key();

    /** Whether a row is kept for the key. */
    boolean exists();

    /**
     * What is kept for the key; a view until {@link RowWriter#commit} of {@link #put}.
     *
     * @throws IllegalStateException if nothing is kept
     */
    Row get();

    /**
     * Begins the row that is kept from now on, in place of the one before, once it is committed. {@link #get} may be read
     * meanwhile. No column has the value of the row before unless it is set or copied.
     */
    RowWriter put();

    /** Forgets the key; nothing happens if nothing is kept. */
    void remove();
}
