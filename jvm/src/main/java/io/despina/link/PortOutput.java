package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.operator.Output;

/** One output port with all its links and channels, as its task sees it. Only the task's thread calls it. */
public interface PortOutput extends Output {

    /** Due time of the oldest packet that what is written next stems from, nanoseconds of the job's clock. */
    void origin(long nanos);

    /**
     * Lets leave what should leave now: called at the end of each run of the task.
     *
     * @return when to be called again at the latest (the flush timer), or {@link Long#MAX_VALUE}
     */
    long flush(long now);

    /**
     * Sends a segment on as it is, after the packets written before it, if this port need not look at its packets and a copy
     * would leave as a segment of its own.
     *
     * @return whether the segment is now somebody else's
     */
    default boolean passOn(Segment segment) {
        return false;
    }

    /** Sends on a signal to every channel, after the packets written before it. */
    void signal(Segment.Kind kind, long value, boolean exact);

    /** @param task run when room has come or something held back may leave */
    void wakes(Runnable task);

    /** Packets written to this port so far. */
    long packets();

    /** Releases every open segment; called once, after the last signal or after a failure. */
    void close();
}
