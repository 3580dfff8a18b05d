package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;

/** Rewrites packets for a schema of equal types with more nullable columns, for the right side of a left join. */
public final class LayoutAdapter {
    private final boolean same;
    private final int columns;
    private final PacketLayout from;
    private final ScratchPacket scratch;

    /** @throws IllegalArgumentException if the types differ, or {@code to} is not nullable where {@code from} is */
    public LayoutAdapter(Schema from, Schema to) {
        boolean equal = from.size() == to.size();
        for (int k = 0; equal && k < from.size(); k++) {
            equal = from.column(k).type().equals(to.column(k).type())
                    && (to.column(k).nullable() || !from.column(k).nullable());
        }
        if (!equal) {
            throw new IllegalArgumentException("packets of `" + from + "` do not fit `" + to + "`");
        }
        boolean layoutsEqual = true;
        for (int k = 0; k < from.size(); k++) {
            layoutsEqual &= from.column(k).nullable() == to.column(k).nullable();
        }
        same = layoutsEqual;
        columns = from.size();
        this.from = from.layout();
        scratch = new ScratchPacket(to.layout());
    }

    /** {@code packet} in the other layout; valid until the next call, and no longer than {@code packet}. */
    public Packet adapt(Packet packet) {
        if (same) {
            return packet;
        }
        PacketWriter out = scratch.begin();
        for (int k = 0; k < columns; k++) {
            out.setColumn(k, packet, k);
        }
        return scratch.commit();
    }

    /** Converts an adapted packet back to its first layout. */
    public Packet back(Packet adapted) {
        ScratchPacket first = new ScratchPacket(from);
        PacketWriter out = first.begin();
        for (int k = 0; k < columns; k++) {
            out.setColumn(k, adapted, k);
        }
        return first.commit();
    }

    /** A packet of NULLs only. */
    public static Packet nulls(Schema schema) {
        ScratchPacket own = new ScratchPacket(schema.layout());
        PacketWriter out = own.begin();
        for (int k = 0; k < schema.size(); k++) {
            out.setNull(k);
        }
        return own.commit();
    }
}
