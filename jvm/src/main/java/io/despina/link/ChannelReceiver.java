package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.wake.Waker;

/** The receiving end of one channel, as its task sees it. Only the task's thread calls it. */
public interface ChannelReceiver {

    /** The next segment (data or signal), or null. The caller owns it, and ends with {@link #consumed} or {@link #passedOn}. */
    Segment poll();

    /** Whether {@link #poll} would give a segment now. */
    boolean hasNext();

    /** Packets in the queue. */
    long packets();

    /** Bytes of segments that have come and are not yet consumed. Any thread may ask. */
    long queuedBytes();

    /** How many bytes the receiver took in a second when it was last busy; 0 if it has not been. Any thread may ask. */
    long bytesPerSecond();

    /** Whether it is of no use to wait for more: the sender can send no more, or an END is in the queue. */
    boolean isUrgent();

    /** Whether an END has been sent: nothing follows it. */
    boolean isEnded();

    /** Whether a barrier is in the queue: it and the segments before it are taken whatever the schedule. */
    boolean hasBarrier();

    /**
     * Releases a segment that {@link #poll} gave. The sender is woken if it waits for room and the queue has drained to its low
     * bound, or if it waits for the queue to drain.
     */
    void consumed(Segment segment);

    /** The same for a segment that now belongs to another owner. @param capacity of its array, in bytes */
    void passedOn(int capacity);

    /** @param task woken when a segment arrives in an empty queue, and when a barrier or the END arrives */
    void setReceiver(Waker task);

    /** Releases all segments that are queued or still arrive; called once, by the task when it ends or fails. */
    void close();
}
