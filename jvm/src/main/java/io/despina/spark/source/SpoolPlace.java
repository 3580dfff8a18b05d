package io.despina.spark.source;

import io.despina.control.protocol.ProgramMessage;
import java.io.Serializable;

/**
 * Where an attempt of a job has the rows of an instance of a sink.
 *
 * @param host of the resource
 */
record SpoolPlace(int instance, int attempt, String host, int port) implements Serializable {
    private static final long serialVersionUID = 1L;

    static SpoolPlace of(ProgramMessage.Located located, int instance) {
        return new SpoolPlace(instance, located.attempt().number(), located.host(instance), located.port(instance));
    }
}
