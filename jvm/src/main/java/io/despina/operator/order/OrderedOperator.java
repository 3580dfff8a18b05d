package io.despina.operator.order;

import io.despina.operator.Operator;
import io.despina.packet.PacketCursor;
import io.despina.state.State;
import java.util.List;

/** An operator that takes packets in event order, or as they come. It holds an {@link Ordered}, which calls it. */
public interface OrderedOperator extends Operator, InOrder.Taking {

    /** What hands it the packets. */
    Ordered ordered();

    /**
     * Takes packets that have no event time, until there are none left or an output is full.
     *
     * @param now by the wall clock; 0 without it
     */
    default void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        throw new UnsupportedOperationException("its packets have an event time");
    }

    /** How far beyond a key's last packet it may have something open, in microseconds. */
    default long reach() {
        return 1;
    }

    /**
     * Gives what is due at that time by the clock whose packets are taken; at {@link Long#MAX_VALUE}, the end of the input, what
     * is due by any clock. By the wall clock it is called before packets are taken, and when {@link #firstDue} has come.
     *
     * @return false if there is no room for all of it: call again
     */
    default boolean giveDue(long time) throws Exception {
        return true;
    }

    /** By the wall clock, when {@link #giveDue} has something to give; {@link Long#MAX_VALUE} for never. */
    default long firstDue() {
        return Long.MAX_VALUE;
    }

    /** Restores what no snapshot has, because it follows from the state: what is due, by time. The clocks are there. */
    default void restoreQueues() {
    }

    @Override
    default void process(int port, PacketCursor packets) throws Exception {
        ordered().process(packets);
    }

    @Override
    default boolean timer(long micros) throws Exception {
        return ordered().timer(micros);
    }

    @Override
    default boolean watermark(long watermark) throws Exception {
        return ordered().watermark(watermark);
    }

    @Override
    default boolean end() throws Exception {
        return ordered().end();
    }

    @Override
    default List<State> states() {
        return ordered().states();
    }

    @Override
    default void restored() throws Exception {
        ordered().restored();
    }
}
