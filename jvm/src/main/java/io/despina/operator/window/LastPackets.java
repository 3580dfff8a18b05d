package io.despina.operator.window;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.ScratchPacket;
import java.util.ArrayList;
import java.util.List;

/** Keeps some columns of a group's last packet behind the columns of its state, and gives them back as a packet. */
final class LastPackets {
    private static final byte[] NOTHING = {};
    private static final int UNREAD = -1;

    private final Schema input;
    private final int[] columns;
    /** Per column of the packet, where it is among those kept, or {@link #UNREAD}. */
    private final int[] places;
    /** Columns of the state. */
    private final int first;
    private final ScratchPacket packet;

    /** @param columns ordinals of those that somebody reads */
    LastPackets(Schema input, Schema state, List<Integer> columns) {
        this.input = input;
        this.columns = columns.stream().mapToInt(Integer::intValue).toArray();
        first = state.size();
        places = new int[input.size()];
        for (int k = 0; k < places.length; k++) {
            places[k] = columns.contains(k) ? first + columns.indexOf(k) : UNREAD;
        }
        packet = new ScratchPacket(input.layout());
    }

    /** A state's columns and those kept behind them. */
    Schema kept(Schema state) {
        List<Column> all = new ArrayList<>(state.columns());
        for (int column : columns) {
            all.add(input.column(column));
        }
        return new Schema(all);
    }

    /** Sets what is kept of {@code last} in {@code out}, where the state is set already. */
    void keep(Packet last, PacketWriter out) {
        for (int k = 0; k < columns.length; k++) {
            out.setColumn(first + k, last, columns[k]);
        }
    }

    /** The last packet, until the next call; columns that nobody reads may hold anything. */
    Packet of(Packet kept) {
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
