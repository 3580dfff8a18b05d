package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.order.WindowBounds;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;

/** Writes a packet that leaves a window to port {@code out}: whole, or as a row over the packet and its window. */
final class WindowedRow {
    private final OperatorContext context;
    private final Output out;
    private final Projection select;
    private final WindowBounds bounds = new WindowBounds();
    /** The inputs of {@code select}. */
    private final Packet[] three = new Packet[3];

    /** @param select over (packet, {@link WindowBounds#WINDOW}, {@link WindowBounds#TIME}): the row; null for the packet */
    WindowedRow(OperatorContext context, Compiled<Projection> select) {
        this.context = context;
        out = context.output(0);
        this.select = select == null ? null : select.instance(context.instance());
    }

    /** The window of the packets that follow. */
    void bound(long start, long end) {
        bounds.put(start, end, three, 1);
    }

    void write(Packet packet) throws Exception {
        if (select == null) {
            out.writer().copy(packet);
            return;
        }
        three[0] = packet;
        try {
            PacketWriter row = out.writer().begin();
            select.apply(three, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }
}
