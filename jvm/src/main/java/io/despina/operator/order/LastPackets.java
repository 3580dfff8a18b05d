package io.despina.operator.order;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;
import java.util.ArrayList;
import java.util.List;

/** Stores some columns of a group's last packet after the columns of its state, and returns them as a packet. */
public final class LastPackets {
    private static final byte[] NOTHING = {};
    private static final int UNREAD = -1;

    private final Schema input;
    private final int[] columns;
    /** By column of the packet: its place among the stored ones, or {@link #UNREAD}. */
    private final int[] places;
    /** The number of columns of the state. */
    private final int first;
    private final ScratchPacket packet;

    /** @param columns ordinals of the columns that are read */
    public LastPackets(Schema input, Schema state, List<Integer> columns) {
        this.input = input;
        this.columns = columns.stream().mapToInt(Integer::intValue).toArray();
        first = state.size();
        places = new int[input.size()];
        for (int k = 0; k < places.length; k++) {
            places[k] = columns.contains(k) ? first + columns.indexOf(k) : UNREAD;
        }
        packet = new ScratchPacket(input.layout());
    }

    /** Columns of an operator's own, never NULL, with names that no column of {@code input} has. */
    public static Schema own(Schema input, Type... types) {
        List<Column> columns = new ArrayList<>();
        for (Type type : types) {
            String name = "own_" + columns.size();
            while (input.indexOf(name) >= 0) {
                name += "_";
            }
            columns.add(new Column(name, type, false));
        }
        return new Schema(columns);
    }

    /** The state's columns and the stored ones after them. */
    public Schema kept(Schema state) {
        List<Column> all = new ArrayList<>(state.columns());
        for (int column : columns) {
            all.add(input.column(column));
        }
        return new Schema(all);
    }

    /** Sets the stored columns of {@code last} in {@code out}, after the state's columns. */
    public void keep(Packet last, PacketWriter out) {
        for (int k = 0; k < columns.length; k++) {
            out.setColumn(first + k, last, columns[k]);
        }
    }

    /** The last packet, valid until the next call. Columns that are not read may hold anything. */
    public Packet of(Packet kept) {
        PacketWriter out = packet.begin();
        for (int k = 0; k < places.length; k++) {
            if (places[k] != UNREAD) {
                out.setColumn(k, kept, places[k]);
            } else if (input.column(k).nullable()) {
                out.setNull(k);
            } else if (input.layout().isVariable(k)) {
                out.setBytes(k, NOTHING, 0, 0);
            }
        }
        return packet.commit();
    }
}
