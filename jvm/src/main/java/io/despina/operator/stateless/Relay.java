package io.despina.operator.stateless;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;

/**
 * Passes packets on unchanged, many at once where packets need not be seen one by one. Also runs {@code union}, if all inputs
 * have the output's layout.
 */
public final class Relay implements Operator {
    private Output out;

    @Override
    public void open(OperatorContext context) {
        out = context.output(0);
    }

    @Override
    public boolean passesOn() {
        return true;
    }

    @Override
    public void process(int port, PacketCursor packets) {
        PacketWriter writer = out.writer();
        if (!out.hasRoom()) {
            return;
        }
        while (writer.copyRun(packets) || !packets.isEmpty()) {
            Packet packet = packets.next();
            if (packet != null) {
                writer.copy(packet);
            }
            if (writer.beganRegion() && !out.hasRoom()) {
                return;
            }
        }
    }
}
