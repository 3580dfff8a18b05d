package io.despina.link;

import io.despina.buffer.Segment;

/** The sending end of one channel, local or remote. Only the sending task's thread calls it. */
public interface ChannelSender {

    /** False once the queue has reached its high watermark, until it has drained below the low one. */
    boolean hasRoom();

    /**
     * Whether the far side has nothing left to do: nothing unconsumed (local), no unfinished write (remote). Then a
     * part-filled segment leaves at once. When it answers false, the task is woken as soon as it would answer true.
     */
    boolean isFarSideIdle();

    /** Hands a segment over, with its ownership. Takes it even without room: a task stops on {@link #hasRoom}. */
    void send(Segment segment);

    /** @param task run (from any thread) when there is room again, or the far side has become idle */
    void wakes(Runnable task);

    /** What a segment should have at most now, in bytes, so that what is queued stays under {@code queue_target_ms}. */
    default int segmentBytes() {
        return Integer.MAX_VALUE;
    }

    /** This side cannot go on before something of what it sent is consumed: a receiver that waits for more shall not. */
    default void urge() {
    }

    /** What is queued and not yet consumed, in bytes of segments. */
    long queuedBytes();
}
