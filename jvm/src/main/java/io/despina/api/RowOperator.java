package io.despina.api;

import java.io.IOException;

/**
 * The class of a {@code java} operator: takes rows, and writes rows of the graph's {@code schema}.
 *
 * <p>Calls come in this order: {@link #state}, {@link #open}, {@link #process} for each row, {@link #end} when the input has
 * ended, at last {@link #close}. After a restart {@link #open} is called again, on a new object: what shall outlive it belongs
 * into the state, not into fields.
 *
 * <p>An exception of {@link #process} makes the row a bad record: the job fails, or the graph's {@code on_error} drops the row or
 * hands it on. Rows and states that the call had committed by then stay. An exception of any other call fails the job.
 */
public interface RowOperator extends AutoCloseable {

    /**
     * The columns of what it keeps for each key, as Spark DDL, for example {@code "seen BIGINT NOT NULL, last STRING"}; null if
     * it keeps nothing. A snapshot can be read only by a class that answers the same.
     */
    default String state() {
        return null;
    }

    /** Called once, before rows come. */
    default void open(Context context) throws Exception {
    }

    /**
     * Takes one row. Rows come in the order in which they arrive; those of one key come to one instance.
     *
     * @param row a view, only valid during the call
     * @param out for the rows that it gives; a call writes few, since the engine makes room between calls
     */
    void process(Row row, RowWriter out) throws Exception;

    /**
     * The input has ended. With a {@link #state} it is called once for each key of which a row is kept, in no order to rely on,
     * and {@link Context#state} is on that key. Without one it is called once. A job that is stopped does not call it.
     */
    default void end(RowWriter out) throws Exception {
    }

    /** Called once at the very end, also after a failure. */
    @Override
    default void close() throws IOException {
    }
}
