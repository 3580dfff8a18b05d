package io.despina.control.coordinator;

import io.despina.control.protocol.Refusal;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where the rows are that a program reads.
 *
 * @param resources by instance of the sink, where its resource is reached; null for the coordinator's own process
 * @param secret    that all of them know
 */
public record SpoolPlaces(List<InetSocketAddress> resources, String secret) {

    /** Of a job that runs. */
    static SpoolPlaces of(JobAttempt job) throws Refusal {
        return new SpoolPlaces(job.exchange().spooled().addresses(job.members()),
                job.lease().access().at().secret());
    }

    public SpoolPlaces {
        resources = Collections.unmodifiableList(new ArrayList<>(resources));
    }
}
