package io.despina.operator.stateless;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;

/** Sends a packet to port {@code out} (0) where the condition is true, to {@code rejected} (1) where it is false or NULL. */
public final class Filter implements Operator {
    private final Compiled<Predicate> where;
    private final Packet[] inputs = new Packet[1];
    private OperatorContext context;
    private Predicate predicate;
    private Output out;
    private Output rejected;

    public Filter(Compiled<Predicate> where) {
        this.where = where;
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        predicate = where.instance(context.instance());
        out = context.output(0);
        rejected = context.output(1);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom() || !rejected.hasRoom()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            inputs[0] = packet;
            boolean passes;
            try {
                passes = predicate.test(inputs);
            } catch (MalformedPacketException broken) {
                throw broken;
            } catch (RuntimeException why) {
                context.badRecord(why, packet);
                continue;
            }
            if (!(passes ? out : rejected).pass(packet)) {
                return;
            }
        }
    }
}
