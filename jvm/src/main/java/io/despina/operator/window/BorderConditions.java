package io.despina.operator.window;

import io.despina.expr.Predicate;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.ScratchPacket;
import java.util.Arrays;

/** What opens and closes windows, tried on packets of one input. */
final class BorderConditions {
    private static final int COUNT = 0;
    private static final int AGE = 1;
    private static final long MICROS = 1000;

    private final Predicate opens;
    private final Predicate closes;
    private final boolean asks;
    /** What the conditions are over; the window is the last. */
    private final Packet[] scope;
    private final int place;
    private final ScratchPacket asked = new ScratchPacket(ControlAggregate.WINDOW.layout());

    /**
     * @param place   of the packet that is tried, in the conditions' scope
     * @param packets of the scope: what stands for a packet of another input; the window comes behind them
     */
    BorderConditions(ControlAggregate.Borders borders, int instance, int place, Packet[] packets) {
        opens = borders.open().instance(instance);
        closes = borders.close().instance(instance);
        asks = borders.asks();
        this.place = place;
        scope = Arrays.copyOf(packets, packets.length + 1);
    }

    boolean opens(Packet packet) {
        scope[place] = packet;
        return opens.test(scope);
    }

    /**
     * @param count  the window's packets, with this one if it is in the window
     * @param micros from the window's start to this packet
     */
    boolean closes(Packet packet, long count, long micros) {
        scope[place] = packet;
        if (asks) {
            PacketWriter writer = asked.begin();
            writer.setLong(COUNT, count);
            writer.setLong(AGE, (micros < 0 ? Long.MAX_VALUE : micros) / MICROS);     // less than 0: more than a long holds
            scope[scope.length - 1] = asked.commit();
        }
        return closes.test(scope);
    }
}
