package io.despina.connect;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/**
 * Reads a server that forgets a record once it is acknowledged, for one instance of a source. The engine keeps each record in a
 * log, if the job keeps its state, and acknowledges it as soon as that is durable; without state, when its rows are in the graph.
 *
 * <p>Calls come from one thread at a time: {@link #open}, then {@link #content}, {@link #goOn} and {@link #stop}, finally
 * {@link #close}.
 * Between {@code open} and {@code close} threads of the reader's own give what they read to its {@link DeliveryHost}. While that
 * has no room, they read nothing, but keep their connection alive.
 */
public interface AcknowledgingReader extends Closeable {

    /**
     * Connects, and begins to read. Blocks.
     *
     * @throws Exception soon, if the server cannot be reached or will not do; the message names the field to look at
     */
    void open() throws Exception;

    /**
     * What an earlier process had taken is read to its end: what is given from here on comes behind it. Once; a reader that asks
     * its server for what it has missed gives nothing before.
     *
     * @param digests of the last records, by the keys of their deliveries
     */
    default void goOn(Map<String, String> digests) {
        // most servers know what they have not given
    }

    /** Reads nothing more. What the host was given still counts, and may still be acknowledged. */
    void stop();

    /**
     * What is in a record.
     *
     * @param bytes  those of a {@link Delivery}, perhaps of one to an earlier process
     * @param length how many of them count
     * @return valid until the next call
     * @throws IOException if another version of the connector made them
     */
    RecordContent content(byte[] bytes, int length) throws IOException;
}
