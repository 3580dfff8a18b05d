package io.despina.operator.order;

import io.despina.operator.Operator;
import io.despina.operator.OperatorState;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.AheadOfHead;
import io.despina.state.State;

/**
 * An input port that delivers its packets in event order: in that of all, as a watermark passes them, or key by key, as the
 * clocks of their keys do. {@link InOrderInputs} opens one.
 */
public interface InOrder extends AheadOfHead {

    /** Takes packets. */
    @FunctionalInterface
    interface Taking {
        /**
         * Takes the packets that are ready, in order, and gives what is due by the watermark.
         *
         * @param input holds the packets
         * @return false if there is no room for more: call again
         */
        boolean takeReady(InOrder input) throws Exception;
    }

    /** Takes packets until there are none left or an output is full. */
    void accept(PacketCursor packets) throws Exception;

    /** The watermark of the input has grown. */
    void watermark(long grown);

    /**
     * Called by {@link Operator#timer}. Moves on the clocks of keys that have fallen silent, and has the operator take what their
     * watermarks have passed.
     *
     * @param micros since 1970
     * @param reach  how far beyond a key's last packet the operator may have something open, in microseconds
     * @return false if there is no room for more
     */
    default boolean timer(long micros, long reach) throws Exception {
        return true;
    }

    /** The watermark up to which packets have been delivered; with clocks, that of {@link #clock}. */
    long watermark();

    /** The number of the clock whose packets are delivered; 0 if all share one. */
    int clock();

    /** The number of the clock by which a group goes; 0 if all share one. The clock is there. */
    int clockOf(Packet group);

    /** Whether a packet waits that its watermark has passed. */
    boolean isReady();

    /** The event time of the first packet that is ready. */
    long headTime();

    /** A view of that packet, until the next call. */
    Packet head();

    @Override
    default boolean ahead(int k, Packet into) {
        return false;
    }

    /** Drops that packet. */
    void dropHead();

    /** A packet that waited here has come too late for another reason than its time. There is room for it. */
    void late(Packet kept);

    boolean hasRoomForLate();

    /** For {@link OperatorState}. */
    State[] states();

    /** Called by the operator's {@link Operator#restored}. */
    void restored();
}
