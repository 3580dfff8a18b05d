package io.despina.api;

import java.io.IOException;

/**
 * The class of a {@code java} operator: takes rows, and writes rows of the graph's {@code schema}. One with several input ports
 * takes those of the others by {@link #process(String, Row, RowWriter)}; one with several output ports chooses among them by
 * {@link Context#writer}.
 *
 * <p>Calls come in this order: {@link #state}, {@link #open}, {@code process} for each row, {@link #end} when all inputs have
 * ended, finally {@link #close}. After a restart {@link #open} is called on a new object: data that must survive belongs in the
 * state, not in fields.
 *
 * <p>An exception in {@code process} makes the row a bad record: the job fails, or the graph's {@code on_error} drops the row or
 * passes it on. Rows and states that the call had already committed stay. An exception in any other call fails the job.
 */
public interface RowOperator extends AutoCloseable {

    /**
     * The columns of its state for each key, as Spark DDL, for example {@code "seen BIGINT NOT NULL, last STRING"}; null for no
     * state. Only a class that returns the same columns can read a snapshot.
     */
    default String state() {
        return null;
    }

    /** Called once, before the first row. */
    default void open(Context context) throws Exception {
    }

    /**
     * Takes one row of port {@code in}, in order of arrival. All rows of a key go to the same instance.
     *
     * @param row a view, only valid during the call
     * @param out for its output rows; a call should write few, because the engine makes room between calls
     */
    void process(Row row, RowWriter out) throws Exception;

    /**
     * Takes one row of another input port, one that the graph's {@code inputs} name. Rows of one port come in order of arrival;
     * between ports there is no order.
     *
     * @param row a view, only valid during the call
     * @param out as above: the writer of port {@code out}
     */
    default void process(String port, Row row, RowWriter out) throws Exception {
        throw new UnsupportedOperationException("no process(String, Row, RowWriter) takes rows of port " + port);
    }

    /**
     * All inputs have ended. With a {@link #state} this is called once for each key that has a row, in no defined order, with
     * {@link Context#state} at that key. Without state it is called once. It is not called when the job is stopped.
     */
    default void end(RowWriter out) throws Exception {
    }

    /** Called once at the end, even after a failure. */
    @Override
    default void close() throws IOException {
    }
}
