package io.despina.operator.stateless;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import java.util.List;

/** Sends a packet to the port of the first case that is true, or of each; to the port after the last case where none is. */
public final class Route implements Operator {
    private final List<Compiled<Predicate>> cases;
    private final boolean first;
    private final Packet[] inputs = new Packet[1];
    private final int[] chosen;
    private OperatorContext context;
    private Predicate[] conditions;
    private Output[] outputs;

    /** @param first whether a packet goes to one case only */
    public Route(List<Compiled<Predicate>> cases, boolean first) {
        this.cases = List.copyOf(cases);
        this.first = first;
        chosen = new int[cases.size()];
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        conditions = new Predicate[cases.size()];
        outputs = new Output[cases.size() + 1];
        for (int k = 0; k < conditions.length; k++) {
            conditions[k] = cases.get(k).instance(context.instance());
        }
        for (int k = 0; k < outputs.length; k++) {
            outputs[k] = context.output(k);
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        for (Output each : outputs) {
            if (!each.hasRoom()) {
                return;
            }
        }
        Packet packet;
        boolean room = true;
        while (room && (packet = packets.next()) != null) {
            int count;
            try {
                count = choose(packet);
            } catch (MalformedPacketException broken) {
                throw broken;
            } catch (RuntimeException why) {
                context.badRecord(why, packet);
                continue;
            }
            for (int k = 0; k < count; k++) {
                room &= outputs[chosen[k]].pass(packet);
            }
        }
    }

    /** Fills {@link #chosen}: all conditions are evaluated before anything is written, so that a bad record leaves no trace. */
    private int choose(Packet packet) {
        inputs[0] = packet;
        int count = 0;
        for (int k = 0; k < conditions.length; k++) {
            if (conditions[k].test(inputs)) {
                chosen[count++] = k;
                if (first) {
                    return count;
                }
            }
        }
        if (count == 0) {
            chosen[count++] = conditions.length;
        }
        return count;
    }
}
