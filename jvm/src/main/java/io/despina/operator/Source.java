package io.despina.operator;

import io.despina.packet.PacketCursor;

/** An operator that brings packets into the graph. */
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

    /** Where this source stands, so that {@link #seek} in a fresh instance goes on with the next packet. */
    String position();

    /** Goes on from a {@link #position}; called after {@link #open}, before the first {@link #produce}. */
    void seek(String position) throws Exception;

    @Override
    default void process(int port, PacketCursor packets) {
        throw new UnsupportedOperationException("a source has no input");
    }
}
