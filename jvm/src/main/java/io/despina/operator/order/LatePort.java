package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.Schema;

/** The port for packets that came too late. */
public final class LatePort {
    private final OperatorContext context;
    private final Output output;
    /** The port has the schema of the first input (of a join, the left one). Right packets of another schema are only counted. */
    private final boolean fits;

    public LatePort(OperatorContext context, Schema schema) {
        this.context = context;
        output = context.output(1);
        fits = schema.equals(context.input(0));
    }

    public boolean hasRoom() {
        return output.hasRoom();
    }

    /** Counts the packet, and writes it as it came. */
    public void write(Packet packet) {
        context.countLate();
        if (fits) {
            output.writer().copy(packet);
        }
    }
}
