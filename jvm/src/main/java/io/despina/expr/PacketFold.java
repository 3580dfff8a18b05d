package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.Serializable;
import java.util.Iterator;

/**
 * Packets in event order to the packets they fold to, for Spark's sorted groups. Travels to Spark's tasks, so it holds what
 * can be sent (the graph's text), and makes the rest when it is called.
 */
public interface PacketFold extends Serializable {

    Schema input();

    Schema result();

    /**
     * Folds one group from its beginning to its end.
     *
     * @param sorted in event order; each packet is valid until the next is asked for
     * @return likewise valid one at a time
     */
    Iterator<Packet> fold(Iterator<Packet> sorted);
}
