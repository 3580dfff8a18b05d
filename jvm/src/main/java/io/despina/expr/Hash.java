package io.despina.expr;

import io.despina.packet.Packet;

/** A compiled {@code hash(keys)} as Spark computes it (Murmur3, seed 42): one instance per task. */
public interface Hash {

    /** @param inputs one packet per input of the scope, in its order */
    int hash(Packet[] inputs);
}
