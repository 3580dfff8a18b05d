package io.despina.operator;

import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;

/** Where packets go that came too late. */
public final class LatePort {
    private final OperatorContext context;
    private final Output output;
    /** A join's port has the schema of its left packets: right ones of another schema are only counted. */
    private final boolean fits;

    public LatePort(OperatorContext context, Schema schema) {
        this.context = context;
        output = context.output(1);
        fits = isEqual(schema.layout(), output.writer().layout());
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

    private static boolean isEqual(PacketLayout a, PacketLayout b) {
        boolean equal = a.columns() == b.columns();
        for (int k = 0; equal && k < a.columns(); k++) {
            equal = a.type(k).equals(b.type(k)) && a.isNullable(k) == b.isNullable(k);
        }
        return equal;
    }
}
