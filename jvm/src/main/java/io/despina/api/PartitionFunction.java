package io.despina.api;

/**
 * The class of a {@code custom} partition: chooses the receiving instance for each packet of a link. Every sending instance has
 * its own object, called by one thread at a time. An exception fails the job.
 *
 * <p>Its fields are not part of snapshots. If the receiver keeps state by key, the same row must always go to the same instance.
 */
public interface PartitionFunction {

    /** Called once, before the first row. */
    default void open(Columns columns) throws Exception {
    }

    /**
     * Chooses for one row.
     *
     * @param row a view, only valid during the call
     * @return any number n: the row goes to instance floorMod(n, number of instances)
     */
    int partition(Row row);
}
