package io.despina.expr;

import io.despina.packet.Packet;

/** A compiled condition: one instance per task. NULL counts as false. */
public interface Predicate {

    /** @param inputs one packet per input of the scope, in its order */
    boolean test(Packet[] inputs);
}
