package io.despina.api;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The class of a {@code java_sink}: takes rows out of the graph.
 *
 * <p>Calls come in this order: {@link #open}, {@link #restore} if the graph goes on from a snapshot, {@link #write} for each
 * row, {@link #prepare} and {@link #commit}, at last {@link #close}. What {@link #write} throws makes the row a bad
 * record, as with a {@link RowOperator}. What any other call throws fails the job.
 *
 * <p>One that gives rows away when they are written, or prepared, may write rows again after a restart. One that keeps
 * them hidden until {@link #commit} shows each row once, together with all other sinks of the job, or not at all.
 */
public interface RowSink extends AutoCloseable {

    /** Called once, before rows come. */
    default void open(Context context) throws Exception {
    }

    /**
     * Takes one row.
     *
     * @param row a view, only valid during the call
     */
    void write(Row row) throws Exception;

    /**
     * Makes all that was written so far durable, as that epoch: when the input has ended, or the job is stopped. Not called if
     * the job fails. Epochs are numbered from 1.
     */
    default void prepare(long epoch) throws Exception {
    }

    /** Makes a prepared epoch visible. May be called again for the same epoch after a restart, and then changes nothing. */
    default void commit(long epoch) throws Exception {
    }

    /** The job failed: what is not committed must not become visible. */
    default void abort() throws Exception {
    }

    /**
     * What {@link #restore} needs of the epochs that are prepared and not committed, as texts by names of its own. Part of
     * snapshots. Neither names nor texts have more than 65,535 bytes.
     */
    default Map<String, String> position() {
        return Map.of();
    }

    /**
     * Goes on from a snapshot. What was prepared after it is dropped.
     *
     * @param positions what {@link #position} answered: its own; at another parallelism than the snapshot's those of all
     *                  instances
     */
    default void restore(List<Map<String, String>> positions) throws Exception {
    }

    /** Called once at the very end, also after a failure. */
    @Override
    default void close() throws IOException {
    }
}
