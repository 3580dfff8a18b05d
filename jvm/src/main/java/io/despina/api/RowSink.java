package io.despina.api;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The class of a {@code java_sink}: takes rows out of the graph.
 *
 * <p>Calls come in this order: {@link #open}, {@link #restore} if the graph resumes from a snapshot, {@link #write} for each row,
 * {@link #prepare} and {@link #commit}, finally {@link #close}. An exception in {@link #write} makes the row a bad record, as
 * with a {@link RowOperator}. An exception in any other call fails the job. A class that overrides {@link #prepare}, {@link
 * #commit} or {@link #abort} has a thread of its own, so these calls may wait for a disk or an answer; meanwhile no row comes.
 *
 * <p>A sink that publishes rows when they are written or prepared may write rows again after a restart. A sink that hides them
 * until {@link #commit} publishes each row once, together with all other sinks of the job, or not at all.
 */
public interface RowSink extends AutoCloseable {

    /** Called once, before the first row. */
    default void open(Context context) throws Exception {
    }

    /**
     * Takes one row.
     *
     * @param row a view, only valid during the call
     */
    void write(Row row) throws Exception;

    /**
     * Makes everything written so far durable as that epoch. Called at each epoch of a job that keeps a state, and when the input
     * has ended or the job is stopped, not if the job fails. Epochs ascend, and some may be left out.
     */
    default void prepare(long epoch) throws Exception {
    }

    /** Makes a prepared epoch visible. May be called again for the same epoch after a restart, and must then change nothing. */
    default void commit(long epoch) throws Exception {
    }

    /** The job failed: uncommitted rows must not become visible. */
    default void abort() throws Exception {
    }

    /**
     * What {@link #restore} needs to know of epochs that are prepared and not committed, as texts by names that the class
     * chooses. Part of snapshots. Neither names nor texts may exceed 65,535 bytes.
     */
    default Map<String, String> position() {
        return Map.of();
    }

    /**
     * Resumes from a snapshot. Drops what was prepared after it.
     *
     * @param positions results of {@link #position}: the instance's own; at another parallelism than the snapshot's those of all
     *                  instances
     */
    default void restore(List<Map<String, String>> positions) throws Exception {
    }

    /** Called once at the end, even after a failure. */
    @Override
    default void close() throws IOException {
    }
}
