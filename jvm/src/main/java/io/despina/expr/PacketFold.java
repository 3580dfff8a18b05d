package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.Serializable;
import java.util.Iterator;

/**
 * Folds packets in event order to other packets, for Spark's sorted groups. It is sent to Spark's tasks, so it holds only what
 * can be sent (the graph's text), and makes the rest when it is called.
 */
public interface PacketFold extends Serializable {

    Schema input();

    Schema result();

    /**
     * Folds one group from its beginning to its end.
     *
     * @param sorted in event order; each packet is valid until the next is requested
     * @return packets, each valid until the next is requested
     */
    Iterator<Packet> fold(Iterator<Packet> sorted);
}
