package io.despina.control.visit;

import io.despina.operator.HintedException;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.ScratchPacket;
import java.util.Arrays;

/** Rows of one graph as those of another: columns of the same names and types, in any order. One thread. */
final class RowCopy {
    /** Where each column is; null where the packets are the same. */
    private final int[] ordinals;
    private final PacketCursor packets;
    private final ScratchPacket row;
    private final PacketBlock copies = new PacketBlock(0, Integer.MAX_VALUE);

    private RowCopy(Schema from, Schema to, int[] ordinals) {
        this.ordinals = ordinals;
        packets = PacketCursor.reusing(from.layout());
        row = new ScratchPacket(to.layout());
    }

    /** @param what of the rows, for messages: {@code the rows of `alarms`} */
    static RowCopy of(Schema from, Schema to, String what) throws HintedException {
        int[] ordinals = new int[to.size()];
        boolean same = from.size() == to.size();
        for (int k = 0; k < ordinals.length; k++) {
            Column wanted = to.column(k);
            ordinals[k] = from.indexOf(wanted.name());
            Column found = ordinals[k] < 0 ? null : from.column(ordinals[k]);
            if (found == null || from.size() != to.size() || !found.type().equals(wanted.type())
                    || found.nullable() && !wanted.nullable()) {
                throw new HintedException(what + " are " + from.sql() + ", and those wanted are " + to.sql(),
                        "the columns have the same names and types in both graphs, and one that may be NULL there may be NULL "
                        + "here", null);
            }
            same &= ordinals[k] == k && found.nullable() == wanted.nullable();
        }
        return new RowCopy(from, to, same ? null : ordinals);
    }

    /** Whole packets of the other schema. @param known how many of the first ones to leave out */
    byte[] copy(byte[] bytes, int begin, int end, int known) {
        packets.reset(bytes, begin, end);
        for (int k = 0; k < known; k++) {
            packets.next();
        }
        if (ordinals == null) {
            return Arrays.copyOfRange(bytes, packets.position(), end);
        }
        copies.clear();
        Packet packet;
        while ((packet = packets.next()) != null) {
            PacketWriter to = row.begin();
            for (int k = 0; k < ordinals.length; k++) {
                to.setColumn(k, packet, ordinals[k]);
            }
            copies.add(row.commit());
        }
        return Arrays.copyOf(copies.bytes(), copies.length());
    }
}
