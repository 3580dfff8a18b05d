package io.despina.operator.stateless;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;

/** The elements of one array after the other. */
interface Elements {

    /** Takes the array that {@code inputs} give, when there is no next one of that before; NULL, or a throw, leaves it so. */
    void begin(Packet[] inputs);

    boolean hasNext();

    /** Sets {@code column} of the packet that {@code out} has begun to the next element; to be called if {@link #hasNext}. */
    void next(PacketWriter out, int column);
}
