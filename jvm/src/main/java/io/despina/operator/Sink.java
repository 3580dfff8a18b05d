package io.despina.operator;

/** An operator that takes packets out of the graph, epoch by epoch. */
public interface Sink extends Operator {

    /** Makes all that was processed so far durable, but not yet visible, as {@code epoch}. */
    default void prepare(long epoch) throws Exception {
    }

    /** Makes a prepared epoch visible. May be called again for the same epoch after a restart. */
    default void commit(long epoch) throws Exception {
    }

    /** Drops a prepared epoch, or what was processed since the last one. */
    default void abort(long epoch) throws Exception {
    }
}
