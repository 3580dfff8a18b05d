package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;

/**
 * Rewrites packets for a schema of equal types whose columns may be nullable where the packet's are not, as the right side
 * of a left join needs.
 */
public final class LayoutAdapter {
    private final boolean same;
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
        this.from = from.layout();
        scratch = new ScratchPacket(to.layout());
    }

    /** {@code packet} in the other layout; stays until the next call, at most as long as {@code packet}. */
    public Packet adapt(Packet packet) {
        if (same) {
            return packet;
        }
        PacketWriter out = scratch.begin();
        for (int k = 0; k < from.columns(); k++) {
            if (packet.isNull(k)) {
                out.setNull(k);
            } else {
                copy(packet, k, out);
            }
        }
        return scratch.commit();
    }

    private void copy(Packet packet, int column, PacketWriter out) {
        switch (from.type(column).width()) {
            case Byte.BYTES -> out.setByte(column, packet.getByte(column));
            case Short.BYTES -> out.setShort(column, packet.getShort(column));
            case Integer.BYTES -> out.setInt(column, packet.getInt(column));
            case Long.BYTES -> out.setLong(column, packet.getLong(column));
            default -> {
                int start = packet.valueStart(column);
                out.setBytes(column, packet.bytes(), start, packet.valueEnd() - start);
            }
        }
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
