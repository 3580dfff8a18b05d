package io.despina.operator.stateless;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;

/**
 * Passes on the packets of several streams as they come, with the columns of {@code result}: each input has those by
 * name and type, perhaps in another order, or never null where the result may be.
 */
public final class Union implements Operator {
    private final Schema result;
    private final int inputs;
    private OperatorContext context;
    private Output out;
    /** Per input port: for each column of the result the input's ordinal, or null where packets are copied as they are. */
    private int[][] origins;

    /** @param inputs how many input ports are opened */
    public Union(Schema result, int inputs) {
        this.result = result;
        this.inputs = inputs;
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        out = context.output(0);
        origins = new int[inputs][];
        for (int port = 0; port < inputs; port++) {
            origins[port] = origins(context.input(port));
        }
    }

    private int[] origins(Schema input) {
        int[] ordinals = new int[result.size()];
        boolean same = input.size() == result.size();
        for (int k = 0; k < result.size(); k++) {
            ordinals[k] = input.indexOf(result.column(k).name());
            if (ordinals[k] < 0 || !input.column(ordinals[k]).type().equals(result.column(k).type())) {
                throw new IllegalArgumentException(context.operatorId() + ": " + input + " has no column "
                        + result.column(k).sql());
            }
            same &= ordinals[k] == k && input.column(k).nullable() == result.column(k).nullable();
        }
        return same ? null : ordinals;
    }

    @Override
    public void process(int port, PacketCursor packets) {
        if (!out.hasRoom()) {
            return;
        }
        PacketWriter writer = out.writer();
        int[] ordinals = origins[port];
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (ordinals == null) {
                writer.copy(packet);
            } else {
                conform(packet, ordinals, writer);
            }
            if (writer.beganRegion() && !out.hasRoom()) {
                return;
            }
        }
    }

    private static void conform(Packet packet, int[] ordinals, PacketWriter writer) {
        PacketLayout layout = writer.layout();
        writer.begin();
        for (int k = 0; k < layout.columns(); k++) {
            writer.setColumn(k, packet, ordinals[k]);
        }
        writer.commit();
    }
}
