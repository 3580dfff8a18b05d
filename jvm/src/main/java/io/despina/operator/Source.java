package io.despina.operator;

import io.despina.packet.PacketCursor;

/** An operator that brings packets into the graph. Its {@link #states} hold the position where it resumes. */
public interface Source extends Operator {

    /** What {@link #produce} answers when nothing follows. */
    long ENDED = Long.MAX_VALUE;
    /** What {@link #produce} answers when nothing is due before the source is woken. */
    long WHEN_WOKEN = Long.MAX_VALUE - 1;

    /**
     * Writes packets until an output is full, about a segment is written, about a millisecond has passed, or nothing is due. Sets
     * the batch's due time with {@link Output#due} before the packets it holds for.
     *
     * @param now nanoseconds of the job's clock
     * @return when to call again: {@code now} or earlier for at once, a later time on the same clock,
     *         {@link #WHEN_WOKEN} or {@link #ENDED}
     */
    long produce(long now) throws Exception;

    /**
     * Called in place of {@link #produce} while the source is held, or its schedule keeps it from making rows: when it is woken,
     * and at the time that it has answered. What a user has told it is done all the same.
     *
     * @return when to call again, as {@link #produce} says it
     */
    default long held(long now) throws Exception {
        return WHEN_WOKEN;
    }

    /**
     * The job is being stopped: the source takes nothing more in from outside.
     *
     * @return whether what it has taken in must still be written: {@link #produce} is then called until it answers
     *         {@link #ENDED}, which must not take long
     */
    default boolean stop() throws Exception {
        return false;
    }

    /** A barrier goes by: what {@link #states} has right after this call is the position of that epoch. */
    default void barrier(long epoch) throws Exception {
    }

    /**
     * The snapshot of that epoch is complete. It holds this source's position, and nothing before that position will be read
     * again.
     */
    default void acknowledge(long epoch) throws Exception {
    }

    @Override
    default void process(int port, PacketCursor packets) {
        throw new UnsupportedOperationException("a source has no input");
    }
}
