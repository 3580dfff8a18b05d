package io.despina.operator.lookup;

import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.state.ScratchPacket;

/** The keys of a table's rows, and of packets that ask for them. */
final class TableKeys {
    private final KeyReader reader;
    private final PacketLayout layout;
    /** A packet's key as the rows' keys are laid out. */
    private final ScratchPacket asked;

    TableKeys(Keys keys, int instance) {
        reader = new KeyReader(keys, instance);
        layout = keys.schema().layout();
        asked = new ScratchPacket(layout);
    }

    /** The key of a row, until the next call; null if a column of it is NULL: it equals nothing. */
    Packet of(Packet row) {
        Packet key = reader.of(row);
        return reader.hasNull() ? null : key;
    }

    /** A packet's key as the rows' keys are: keys are compared as bytes, which have bits for NULL only where one may be. */
    Packet like(Packet key) {
        if (key.layout().fixedBytes() == layout.fixedBytes()) {
            return key;
        }
        PacketWriter out = asked.begin();
        for (int k = 0; k < key.layout().columns(); k++) {
            out.setColumn(k, key, k);
        }
        return asked.commit();
    }
}
