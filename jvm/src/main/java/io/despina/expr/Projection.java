package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;

/** A compiled list of expressions: one instance per task. */
public interface Projection {

    /**
     * Sets every column of the packet begun in {@code out}; the caller begins and commits.
     *
     * @param inputs one packet per input of the scope, in its order
     */
    void apply(Packet[] inputs, PacketWriter out);
}
