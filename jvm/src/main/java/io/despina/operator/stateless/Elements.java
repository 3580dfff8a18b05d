package io.despina.operator.stateless;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;

/** The elements of successive arrays. */
interface Elements {

    /**
     * Starts with the array of {@code inputs}, when the last one has no next element. After NULL or an exception there is none
     * either.
     */
    void begin(Packet[] inputs);

    boolean hasNext();

    /** Sets {@code column} of the packet begun in {@code out} to the next element. Call it only if {@link #hasNext}. */
    void next(PacketWriter out, int column);
}
