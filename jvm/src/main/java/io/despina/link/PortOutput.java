package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.operator.Output;
import io.despina.wake.Waker;

/** One output port with all its links and channels, as its task sees it. Only the task's thread calls it. */
public interface PortOutput extends Output {

    /**
     * Sends what should be sent now: called at the end of each run of the task.
     *
     * @return when to be called again at the latest (the flush timer), or {@link Long#MAX_VALUE}
     */
    long flush(long now);

    /**
     * Sends a segment on as it is, after the packets written before it, if this port need not look at its packets and a copy
     * would fill a segment.
     *
     * @return whether the segment now belongs to the receiver
     */
    default boolean passOn(Segment segment) {
        return false;
    }

    /** Sends IDLE, a barrier or END to every channel, after the packets written before it. */
    void signal(SegmentKind kind, long value);

    @Override
    default void idle() {
        signal(SegmentKind.IDLE, 0);
    }

    /** @param task woken when there is room again, or a part-filled segment may be sent */
    void setWaker(Waker task);

    /** The first link without room at the last look, or null. Any thread may ask. */
    default NoRoom noRoom() {
        return null;
    }

    /** Packets written to this port so far. */
    long packets();

    /** Releases every open segment; called once, after the last signal or after a failure. */
    void close();
}
