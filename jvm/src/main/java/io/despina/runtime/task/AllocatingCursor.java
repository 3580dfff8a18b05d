package io.despina.runtime.task;

import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import java.util.List;

/** A cursor that makes an object with bytes of its own for each packet: {@code object_reuse: false}, a switch for experiments. */
final class AllocatingCursor extends PacketCursor {
    private final PacketLayout layout;

    AllocatingCursor(PacketLayout layout) {
        this.layout = layout;
    }

    /** One for each input port. @param reuses whether its packets may be one object */
    static PacketCursor[] of(List<Schema> inputs, boolean reuses) {
        return inputs.stream().map(Schema::layout)
                .map(layout -> reuses ? PacketCursor.reusing(layout) : new AllocatingCursor(layout)).toArray(PacketCursor[]::new);
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
