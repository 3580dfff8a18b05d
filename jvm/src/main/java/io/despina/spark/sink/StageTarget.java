package io.despina.spark.sink;

import io.despina.control.epoch.StageClient;
import io.despina.control.epoch.StagePlace;
import io.despina.link.Attempt;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;

/**
 * Where Spark's tasks give rows to a source, and what it takes to be let in.
 *
 * @param instances by instance, {@code host:port}
 * @param run       under which they stage; empty for rows of no epoch
 * @param tls       folder of the files for TLS on the executors; null for plain TCP
 */
record StageTarget(List<String> instances, String job, int attempt, String operator, String run, String secret, String tls)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    StageTarget {
        instances = List.copyOf(instances);
    }

    /** The instance that takes a partition's rows. */
    int instance(long partition) {
        return Math.floorMod(partition, instances.size());
    }

    StageClient connect(Wire wire, int instance) throws IOException {
        String at = instances.get(instance);
        int colon = at.lastIndexOf(':');
        return new StageClient(wire, at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)),
                new StagePlace(new Attempt(job, attempt), operator, instance));
    }
}
