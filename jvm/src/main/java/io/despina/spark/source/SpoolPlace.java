package io.despina.spark.source;

import io.despina.control.protocol.Message;
import java.io.Serializable;

/**
 * Where an attempt of a job has the rows of an instance of a sink.
 *
 * @param host of the resource
 */
record SpoolPlace(int instance, int attempt, String host, int port) implements Serializable {
    private static final long serialVersionUID = 1L;

    static SpoolPlace of(Message.Located located, int instance) {
        String at = located.instances().get(instance);
        int colon = at.lastIndexOf(':');
        return new SpoolPlace(instance, located.attempt().number(), at.substring(0, colon),
                Integer.parseInt(at.substring(colon + 1)));
    }
}
