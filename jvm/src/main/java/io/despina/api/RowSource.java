package io.despina.api;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The class of a {@code java_source}: brings rows into the graph.
 *
 * <p>Calls come in this order, one at a time: {@link #open}, {@link #restore} if the graph resumes from a snapshot, {@link
 * #produce} until it returns {@link #ENDED} or the job is stopped, finally {@link #close}. {@link #position} and {@link
 * #acknowledge} are called between two calls of {@link #produce}, also after the last. An exception in any call fails the job.
 *
 * <p>The graph's {@code event_time} names a column of the rows; the engine makes the watermarks.
 */
public interface RowSource extends AutoCloseable {
    /** The result of {@link #produce} when no row follows. */
    long ENDED = -1;

    /** Called once, before anything else. */
    default void open(Context context) throws Exception {
    }

    /**
     * Writes a row or a few, if there are any. The engine calls it again as long as there is room, so a call should not write
     * many rows at once.
     *
     * @return in how many milliseconds to call it again, 0 for at once; or {@link #ENDED}
     */
    long produce(RowWriter out) throws Exception;

    /**
     * The position after the rows written so far, as texts by names that the class chooses, such as a file and an offset. Part of
     * snapshots. Neither names nor texts may exceed 65,535 bytes.
     */
    default Map<String, String> position() {
        return Map.of();
    }

    /**
     * An epoch is complete: after any loss the source resumes at this position or at a later one, so what it reads may forget
     * what lies before. Called for one epoch after the other, in order. Epochs may be left out, as the one from which a job
     * resumes: the next position covers them. A class that overrides this method has a thread of its own, so the call may wait
     * for an answer; meanwhile the source brings no rows.
     *
     * @param epoch    greater than those before, also over restarts
     * @param position what {@link #position} answered for that epoch
     */
    default void acknowledge(long epoch, Map<String, String> position) throws Exception {
    }

    /**
     * Resumes from a snapshot.
     *
     * @param positions results of {@link #position}: the instance's own; at another parallelism than the snapshot's those of all
     *                  instances, and each chooses its share by the names
     */
    default void restore(List<Map<String, String>> positions) throws Exception {
    }

    /** Called once at the end, even after a failure. */
    @Override
    default void close() throws IOException {
    }
}
