package io.despina.api;

/**
 * One row of state for each key. The graph's {@code group_by} gives the key of the current packet; without {@code group_by} all
 * packets share one row. The state is part of snapshots, counts against the memory of the resource, and moves with its key when
 * the graph resumes at another parallelism. A row is kept until {@link #remove}.
 */
public interface RowState {

    /** The values of {@code group_by}, a column each; a view. */
    Row key();

    /** Whether the key has a row. */
    boolean exists();

    /**
     * The row of the key; a view until {@link RowWriter#commit} of {@link #put}.
     *
     * @throws IllegalStateException if the key has no row
     */
    Row get();

    /**
     * Begins a new row that replaces the old one when it is committed. {@link #get} may be read meanwhile. Columns do not inherit
     * values of the old row: set or copy them.
     */
    RowWriter put();

    /** Removes the key's row, if it has one. */
    void remove();
}
