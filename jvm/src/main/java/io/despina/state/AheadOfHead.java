package io.despina.state;

import io.despina.packet.Packet;

/** What gives its packets one by one, the head first, and can show those behind it. */
public interface AheadOfHead {

    /**
     * Moves {@code into} to the packet that will probably be the head when {@code k} others have been dropped.
     *
     * @return false if none is known
     */
    boolean ahead(int k, Packet into);
}
