package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;

/** Writes a packet that leaves a window to port {@code out}: whole, or as a row over the packet and its window. */
public final class WindowedRow {
    /** What {@code window.start} and {@code window.end} are read from. */
    public static final Schema WINDOW = Schema.of(new Column("start", Type.Simple.TIMESTAMP, false),
            new Column("end", Type.Simple.TIMESTAMP, false));
    /** The window's last microsecond. */
    public static final Schema WINDOW_TIME = Schema.of(new Column("window_time", Type.Simple.TIMESTAMP, false));

    private final OperatorContext context;
    private final Output out;
    private final Projection select;
    private final ScratchPacket window = new ScratchPacket(WINDOW.layout());
    private final ScratchPacket windowTime = new ScratchPacket(WINDOW_TIME.layout());
    /** The inputs of {@code select}. */
    private final Packet[] three = new Packet[3];

    /** @param select over (packet, {@link #WINDOW}, {@link #WINDOW_TIME}): the row; null for the packet */
    WindowedRow(OperatorContext context, Compiled<Projection> select) {
        this.context = context;
        out = context.output(0);
        this.select = select == null ? null : select.instance(context.instance());
    }

    /** The window of the packets that follow. */
    void bound(long start, long end) {
        PacketWriter bounds = window.begin();
        bounds.setLong(0, start);
        bounds.setLong(1, end);
        three[1] = window.commit();
        windowTime.begin().setLong(0, end - 1);
        three[2] = windowTime.commit();
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
