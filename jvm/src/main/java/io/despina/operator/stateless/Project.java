package io.despina.operator.stateless;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;

/** Computes each output packet from one input packet by a compiled select list. */
public final class Project implements Operator {
    private final Compiled<Projection> select;
    private final Packet[] inputs = new Packet[1];
    private OperatorContext context;
    private Projection projection;
    private Output out;

    public Project(Compiled<Projection> select) {
        this.select = select;
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        projection = select.instance(context.instance());
        out = context.output(0);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        PacketWriter writer = out.writer();
        if (!out.hasRoom()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            inputs[0] = packet;
            try {
                projection.apply(inputs, writer.begin());
            } catch (MalformedPacketException broken) {
                throw broken;
            } catch (RuntimeException why) {
                context.badRecord(why, packet);
                continue;
            }
            writer.commit();
            if (writer.beganRegion() && !out.hasRoom()) {
                return;
            }
        }
    }
}
