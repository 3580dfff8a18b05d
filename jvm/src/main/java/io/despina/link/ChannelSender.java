package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.wake.Waker;

/** The sending end of one channel, local or remote. Only the sending task's thread calls it. */
public interface ChannelSender {

    /** False once the queue has reached its high bound, until it has drained to the low one; then the sender is woken. */
    boolean hasRoom();

    /**
     * Whether the far side has nothing left to do: everything sent is consumed (local) or written (remote). Then a part-filled
     * segment is sent at once. If not, the sender is woken as soon as it is.
     */
    boolean isDrained();

    /** Hands a segment over, with its ownership. The queue takes it even without room: a task stops on {@link #hasRoom}. */
    void send(Segment segment);

    /** @param task woken when there is room again, or the queue has drained */
    void setSender(Waker task);

    /** What a segment should have at most now, in bytes, so that the queue stays under {@code queue_target_ms}. */
    int segmentBytes();

    /** The sender cannot go on before something of what it sent is consumed: the receiver shall not wait for more. */
    void urge();

    /** Bytes of segments sent and not yet consumed. Any thread may ask. */
    long queuedBytes();

    /** Bytes at which there is no room now: never more than the queue's high bound. Any thread may ask. */
    long limit();
}
