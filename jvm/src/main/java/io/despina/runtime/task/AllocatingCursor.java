package io.despina.runtime.task;

import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;

/** A cursor that makes an object with bytes of its own for each packet: {@code object_reuse: false}, a switch for experiments. */
final class AllocatingCursor extends PacketCursor {
    private final PacketLayout layout;

    AllocatingCursor(PacketLayout layout) {
        this.layout = layout;
    }

    @Override
    public Packet next() {
        if (isEmpty()) {
            return null;
        }
        byte[] copy = advance(new Packet(layout)).copy();
        Packet packet = new Packet(layout);
        packet.wrap(copy, 0, copy.length);
        return packet;
    }
}
