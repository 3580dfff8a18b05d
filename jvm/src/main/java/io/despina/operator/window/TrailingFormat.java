package io.despina.operator.window;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.PacketArena;
import io.despina.state.PacketDeque;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.Function;

/** Stores a {@link TrailingWindow} as its packets; aggregates are rebuilt from them. */
final class TrailingFormat implements ValueFormat<TrailingWindow> {
    private final String schema;
    private final PacketArena arena;
    private final Function<PacketDeque, TrailingWindow> windows;
    private final Packet view;

    TrailingFormat(Schema packets, PacketArena arena, Function<PacketDeque, TrailingWindow> windows) {
        schema = packets.sql();
        this.arena = arena;
        this.windows = windows;
        view = new Packet(packets.layout());
    }

    @Override
    public String schema() {
        return schema;
    }

    @Override
    public void write(TrailingWindow value, DataOutput to) throws IOException {
        value.packets().write(to, value.packets().size() - value.unemitted(), view);
    }

    @Override
    public TrailingWindow read(DataInput in) throws IOException {
        PacketDeque packets = new PacketDeque(arena);
        packets.read(in, "trails", view);
        TrailingWindow window = windows.apply(packets);
        window.restored();
        return window;
    }

    @Override
    public long bytes(TrailingWindow value) {
        return value.bytes();
    }
}
