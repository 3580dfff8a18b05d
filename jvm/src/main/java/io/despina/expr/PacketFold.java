package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.Serializable;
import java.util.List;

/**
 * Folds packets in event order to other packets, for Spark's sorted groups: one operator, or several that read the same packets.
 * It is sent to Spark's tasks, so it holds only what can be sent (the graph's text), and makes the rest when it is called.
 */
public interface PacketFold extends Serializable {

    /** What all operators read, by input port. */
    List<Schema> inputs();

    /** What each operator gives. */
    List<Schema> outputs();

    /** Begins one group, with new operators. */
    Results begin();

    /**
     * The fold of one group. Call {@link #next} until it is false after each packet, and after the end: only then is the packet
     * done with.
     */
    interface Results {

        /**
         * Gives all operators the next packet in order of event time. It must stay as it is until {@link #next} is false.
         *
         * @param port to which it comes
         */
        void take(int port, Packet packet);

        /** No packet follows. */
        void end();

        /** Goes on to the next result; false if there is none before another packet is taken. */
        boolean next();

        /** Number of the operator that gave this result. */
        int operator();

        /** This result, valid until {@link #next} is called. */
        Packet packet();
    }
}
