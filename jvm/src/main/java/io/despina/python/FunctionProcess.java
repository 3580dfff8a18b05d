package io.despina.python;

import java.io.Closeable;

/** A process with one function, as its operator sees it. One thread at a time uses it. */
public interface FunctionProcess extends Closeable {

    /** What it has said next, or null. */
    WorkerEvent poll();

    /** Sends a batch, once it has {@link WorkerEvent.Opened}. @param number greater than that of the batch before */
    void send(long number, byte[] message);

    /**
     * Ends one that does not answer, after it has been asked to say where it is.
     *
     * @param why its end is reported with this, and with where it was
     */
    void kill(String why);
}
