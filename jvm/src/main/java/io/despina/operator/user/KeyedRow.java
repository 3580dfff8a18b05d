package io.despina.operator.user;

import io.despina.api.Row;
import io.despina.api.RowState;
import io.despina.api.RowWriter;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;

/** A packet per key, with a position at one key for the user's class. */
final class KeyedRow implements RowState, UserRowWriter.Destination {
    private final KeyedPackets kept;
    private final ScratchPacket next;
    private final UserRowWriter writer;
    private final UserRow value;
    private final Packet valueView;
    private final UserRow key;
    private final Packet keyView;
    private Packet at;
    private int entry;

    /** @param most bytes that a packet may have */
    KeyedRow(Keys keys, Schema schema, int most) {
        kept = new KeyedPackets("rows", keys.schema(), keys.buckets(), schema);
        next = new ScratchPacket(schema.layout(), most);
        UserColumns columns = new UserColumns(schema);
        writer = new UserRowWriter(columns, this);
        value = new UserRow(columns);
        valueView = new Packet(schema.layout());
        key = new UserRow(new UserColumns(keys.schema()));
        keyView = new Packet(keys.schema().layout());
    }

    KeyedPackets kept() {
        return kept;
    }

    UserRowWriter writer() {
        return writer;
    }

    /** Moves to the current packet's key, until the next call. */
    void at(Packet ofPacket) {
        at = ofPacket;
        entry = kept.find(ofPacket);
    }

    /** Moves to an entry; false if it was removed. */
    boolean atEntry(int number) {
        if (!kept.view(number, valueView)) {
            return false;
        }
        kept.key(number, keyView);
        at = keyView;
        entry = number;
        return true;
    }

    @Override
    public Row key() {
        return key.on(at);
    }

    @Override
    public boolean exists() {
        return entry != KeyedTable.NONE;
    }

    @Override
    public Row get() {
        if (entry == KeyedTable.NONE) {
            throw new IllegalStateException("nothing is kept for this key: ask exists() first");
        }
        kept.view(entry, valueView);
        return value.on(valueView);
    }

    @Override
    public RowWriter put() {
        return writer.begin();
    }

    @Override
    public PacketWriter begin() {
        return next.begin();
    }

    @Override
    public void commit() {
        next.commit();
        kept.put(entry, at, next);
        if (entry == KeyedTable.NONE) {
            entry = kept.find(at);
        }
    }

    @Override
    public void remove() {
        if (entry != KeyedTable.NONE) {
            kept.remove(entry);
            entry = KeyedTable.NONE;
        }
    }
}
