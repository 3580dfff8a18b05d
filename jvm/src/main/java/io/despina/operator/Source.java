package io.despina.operator;

import io.despina.packet.PacketCursor;

/** An operator that brings packets into the graph. Its {@link #states} have the place where it goes on. */
public interface Source extends Operator {

    /** What {@link #produce} answers when nothing follows. */
    long ENDED = Long.MAX_VALUE;
    /** What {@link #produce} answers when nothing is due before the source is woken. */
    long WHEN_WOKEN = Long.MAX_VALUE - 1;

    /**
     * Writes packets until an output has no room, about a segment or a millisecond is done, or nothing is due.
     * Sets the batch's due time with {@link Output#due} before the packets it holds for.
     *
     * @param now nanoseconds of the job's clock
     * @return when to call again: {@code now} or earlier for at once, a later time on the same clock,
     *         {@link #WHEN_WOKEN} or {@link #ENDED}
     */
    long produce(long now) throws Exception;

    /**
     * A snapshot of that epoch, which has the place where this source stood, is complete and kept. What came before that place is
     * not asked for again.
     */
    default void acknowledge(long epoch) throws Exception {
    }

    @Override
    default void process(int port, PacketCursor packets) {
        throw new UnsupportedOperationException("a source has no input");
    }
}
