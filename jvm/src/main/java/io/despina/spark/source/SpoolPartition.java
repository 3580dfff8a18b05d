package io.despina.spark.source;

import io.despina.control.coordinator.JobAddress;
import io.despina.control.protocol.Refusal;
import io.despina.spool.SpoolId;
import java.io.Serializable;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Rows {@code [from, to)} of one instance's spool.
 *
 * @param instance of the output
 * @param place    where its resource is reached by a task in another process
 * @param to       {@link Long#MAX_VALUE} for all that will come
 */
record SpoolPartition(String generation, int instance, String name, Place place, long from, long to) implements InputPartition {
    private static final long serialVersionUID = 1L;

    /**
     * Where a resource listens, and what it takes to be let in.
     *
     * @param tls folder of its files on the executors; null for plain TCP
     */
    record Place(String host, int port, String secret, String tls) implements Serializable {
        private static final long serialVersionUID = 1L;

        /** @param at {@code host:port} of a resource of that job */
        static Place of(String at, JobAddress job) throws Refusal {
            int colon = at.lastIndexOf(':');
            return new Place(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)), job.known(), job.tls());
        }
    }

    SpoolId id() {
        return new SpoolId(generation, instance);
    }

    @Override
    public String[] preferredLocations() {
        return new String[] {place.host()};
    }
}
