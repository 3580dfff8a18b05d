package io.despina.api;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The class of a {@code java_source}: brings rows into the graph.
 *
 * <p>Calls come in this order: {@link #open}, {@link #restore} if the graph goes on from a snapshot, {@link #produce} until it
 * answers {@link #ENDED} or the job is stopped, at last {@link #close}. {@link #position} comes between two calls of
 * {@link #produce}. What any of them throws fails the job.
 *
 * <p>The graph's {@code event_time} names a column of the rows; the engine makes the watermarks.
 */
public interface RowSource extends AutoCloseable {
    /** What {@link #produce} answers when no row follows. */
    long ENDED = -1;

    /** Called once, before anything else. */
    default void open(Context context) throws Exception {
    }

    /**
     * Writes a row, or a few, if there are any. The engine calls it as long as there is room for rows, so a call that has many
     * does not write all of them.
     *
     * @return in how many milliseconds to call it again, 0 for at once; or {@link #ENDED}
     */
    long produce(RowWriter out) throws Exception;

    /**
     * Where it goes on after the rows written so far, as texts by names of its own: a file and an offset, a queue and a number.
     * Part of snapshots. Neither names nor texts have more than 65,535 bytes.
     */
    default Map<String, String> position() {
        return Map.of();
    }

    /**
     * Goes on from a snapshot.
     *
     * @param positions what {@link #position} answered: its own; at another parallelism than the snapshot's those of all
     *                  instances, and each decides by the names what is its share
     */
    default void restore(List<Map<String, String>> positions) throws Exception {
    }

    /** Called once at the very end, also after a failure. */
    @Override
    default void close() throws IOException {
    }
}
