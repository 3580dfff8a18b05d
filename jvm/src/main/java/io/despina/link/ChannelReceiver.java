package io.despina.link;

import io.despina.buffer.Segment;

/** The receiving end of one channel, as its task sees it. Only the task's thread calls it. */
public interface ChannelReceiver {

    /** The next segment (data or signal), or null. Ownership passes to the caller, who ends it with {@link #consumed}. */
    Segment poll();

    /** Whether {@link #poll} would give a segment now. */
    boolean hasNext();

    /** Packets that wait in the queue. */
    long packets();

    /** Whether waiting for more is of no use: the sender can send no more, or an END is in the queue. */
    boolean isUrgent();

    /** Whether an END has been sent: nothing follows it. */
    boolean isEnded();

    /** Whether a barrier waits in the queue: it and what is before it are taken whatever the schedule. */
    boolean hasBarrier();

    /**
     * Releases a segment that {@link #poll} gave, and tells the sending side: what was held back may now leave early, and a
     * sender that waits for room goes on once the queue is below its low watermark.
     */
    void consumed(Segment segment);

    /** The same for a segment that is somebody else's now. @param capacity of its array, in bytes */
    void passedOn(int capacity);

    /** @param task run (from any thread) when a segment arrives at an empty queue, and when a barrier or the END arrives */
    void wakes(Runnable task);

    /** Releases what is queued and whatever still arrives; called once, by the task when it ends or fails. */
    void close();
}
