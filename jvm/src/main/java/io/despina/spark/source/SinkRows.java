package io.despina.spark.source;

import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.visit.JobAddress;
import io.despina.spool.SpoolId;
import io.despina.wire.Wire;
import java.io.Serializable;

/**
 * The rows of a sink, and who knows where they are: the coordinator of its job.
 *
 * @param host       at which the coordinator listens
 * @param tls        folder of the files for TLS, on the executors too; null for plain TCP
 * @param sink       empty for the only one that is read
 * @param generation of the spools
 */
record SinkRows(String host, int port, String job, String secret, String tls, String sink, String generation)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    static SinkRows of(JobAddress address, String sink, String generation) throws Refusal {
        return new SinkRows(address.host(), address.port(), address.job(), address.known(), address.tls(), sink, generation);
    }

    /** Without the secret, which belongs in no log. */
    @Override
    public String toString() {
        return sink + " of " + job + " at " + host + ":" + port;
    }

    SpoolId spool(int instance) {
        return new SpoolId(generation, instance);
    }

    /**
     * Where they are now. Waits until the job runs.
     *
     * @throws Refusal if the job has ended, or is not reached
     */
    ProgramMessage.Located locate(Wire wire) throws Refusal, InterruptedException {
        return new JobAddress(host, port, job, secret, null, tls).locate(wire, ProgramMessage.Located.OUT, sink);
    }
}
