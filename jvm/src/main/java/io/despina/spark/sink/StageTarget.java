package io.despina.spark.sink;

import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.staging.StageClient;
import io.despina.control.staging.StagePlace;
import io.despina.control.visit.JobAddress;
import io.despina.link.Attempt;
import io.despina.wire.Wire;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;

/**
 * Where Spark's tasks give rows to a source, and what it takes to be let in.
 *
 * @param coordinator of the job, {@code host:port}
 * @param instances   by instance, the same
 * @param run         under which they stage; empty for rows of no epoch
 * @param tls         folder of the files for TLS on the executors; null for plain TCP
 */
record StageTarget(String coordinator, List<String> instances, String job, int attempt, String operator, String run,
        String secret, String tls)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    StageTarget {
        instances = List.copyOf(instances);
    }

    /** Without the secret, which belongs in no log. */
    @Override
    public String toString() {
        return operator + " of " + job + " at " + coordinator;
    }

    /** The instance that takes a partition's rows. */
    int instance(long partition) {
        return Math.floorMod(partition, instances.size());
    }

    StageClient connect(Wire wire, int instance) throws IOException {
        String at = instances.get(instance);
        return new StageClient(wire, host(at), port(at), new StagePlace(new Attempt(job, attempt), operator, instance));
    }

    /** Why rows were refused: if the job has ended, its coordinator may know more of it. */
    String cause(Wire wire, IOException refused) throws InterruptedException {
        try {
            JobAddress address = new JobAddress(host(coordinator), port(coordinator), job, secret, null, tls);
            address.locate(wire, ProgramMessage.Located.IN, operator);
            return refused.getMessage();
        } catch (Refusal why) {
            return refused.getMessage() + ": " + why.render();
        }
    }

    private static String host(String at) {
        return at.substring(0, at.lastIndexOf(':'));
    }

    private static int port(String at) {
        return Integer.parseInt(at.substring(at.lastIndexOf(':') + 1));
    }
}
