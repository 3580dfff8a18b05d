package io.despina.operator.stateless;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;

/** Passes each packet on as it is. Also {@code union}, where all inputs have the output's layout. */
public final class Relay implements Operator {
    private Output out;

    @Override
    public void open(OperatorContext context) {
        out = context.output(0);
    }

    @Override
    public void process(int port, PacketCursor packets) {
        PacketWriter writer = out.writer();
        if (!out.hasRoom()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            writer.copy(packet);
            if (writer.beganRegion() && !out.hasRoom()) {
                return;
            }
        }
    }
}
