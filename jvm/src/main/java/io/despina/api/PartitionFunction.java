package io.despina.api;

/**
 * The class of a {@code custom} partition: says which instance of the receiver each packet of a link goes to. Every sending
 * instance has an object of it, and all calls come from one thread at a time. What it throws fails the job.
 *
 * <p>It keeps nothing that a snapshot has: the same row must always go to the same instance where the receiver keeps state by it.
 */
public interface PartitionFunction {

    /** Called once, before rows come. */
    default void open(Columns columns) throws Exception {
    }

    /**
     * Chooses for one row.
     *
     * @param row a view, only valid during the call
     * @return any number: n goes to instance n modulo their number, which is not negative
     */
    int partition(Row row);
}
