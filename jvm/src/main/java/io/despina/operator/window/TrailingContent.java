package io.despina.operator.window;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.KeyedDeques;
import io.despina.state.PacketDeque;
import io.despina.state.ValueFormat;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/**
 * A snapshot has the packets of a {@link TrailingWindow}; aggregates are rebuilt from them.
 *
 * @param keys    of packets, until the next call
 * @param times   of packets
 * @param windows a new one
 */
record TrailingContent(UnaryOperator<Packet> keys, ToLongFunction<Packet> times, Function<PacketDeque, TrailingWindow> windows)
        implements KeyedDeques.OfPackets<TrailingWindow> {

    /** @param packets of the windows */
    static ValueFormat<TrailingWindow> format(Schema packets) {
        return new Format(packets.sql());
    }

    private record Format(String schema) implements ValueFormat.Rebuilt<TrailingWindow> {
        @Override
        public long bytes(TrailingWindow value) {
            return value.bytes();
        }
    }

    @Override
    public Packet key(Packet packet) {
        return keys.apply(packet);
    }

    @Override
    public long time(Packet packet) {
        return times.applyAsLong(packet);
    }

    @Override
    public TrailingWindow restored(PacketDeque packets) {
        TrailingWindow window = windows.apply(packets);
        window.restored();
        return window;
    }

    @Override
    public PacketDeque packets(TrailingWindow value) {
        return value.packets();
    }
}
