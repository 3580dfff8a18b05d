package io.despina.operator.order;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;

/** A window's bounds as packets, for select lists with {@code window.start}, {@code window.end} or {@code window_time}. */
public final class WindowBounds {
    /** What {@code window.start} and {@code window.end} are read from. */
    public static final Schema WINDOW = Schema.of(new Column("start", Type.Simple.TIMESTAMP, false),
            new Column("end", Type.Simple.TIMESTAMP, false));
    /** The same for {@link io.despina.expr.Scope#andPaths}, which hides no column of that name. */
    public static final Schema WINDOW_PATHS = Schema.of(new Column("window.start", Type.Simple.TIMESTAMP, false),
            new Column("window.end", Type.Simple.TIMESTAMP, false));
    /** The window's last microsecond. */
    public static final Schema TIME = Schema.of(new Column("window_time", Type.Simple.TIMESTAMP, false));

    private final ScratchPacket window = new ScratchPacket(WINDOW.layout());
    private final ScratchPacket time = new ScratchPacket(TIME.layout());

    /**
     * Makes both packets, the window and its time, of bounds in microseconds. They are valid until the next call.
     *
     * @param inputs of a select list; the window is put at {@code at}, its time after it
     */
    public void put(long start, long end, Packet[] inputs, int at) {
        PacketWriter bounds = window.begin();
        bounds.setLong(0, start);
        bounds.setLong(1, end);
        inputs[at] = window.commit();
        time.begin().setLong(0, end - 1);
        inputs[at + 1] = time.commit();
    }
}
