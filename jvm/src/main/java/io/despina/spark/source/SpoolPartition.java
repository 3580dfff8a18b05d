package io.despina.spark.source;

import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Rows {@code [from, to)} of one instance's spool.
 *
 * @param place    where they were when this was planned
 * @param to       {@link Long#MAX_VALUE} for all that will come
 */
record SpoolPartition(SinkRows of, String name, SpoolPlace place, long from, long to) implements InputPartition {
    private static final long serialVersionUID = 1L;

    @Override
    public String[] preferredLocations() {
        return new String[] {place.host()};
    }
}
