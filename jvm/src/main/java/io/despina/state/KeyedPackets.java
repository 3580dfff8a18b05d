package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** One packet per key, overwritten in place while its size stays. */
public final class KeyedPackets implements State {
    private static final int HEADER_BYTES = 16;

    private final KeyedTable<byte[]> table;

    public KeyedPackets(String name, Schema keySchema, int buckets, Schema schema) {
        table = new KeyedTable<>(name, keySchema, buckets, new Format(name, schema));
    }

    /** The entry of {@code key}, or {@link KeyedTable#NONE}. */
    public int find(Packet key) {
        return table.find(key);
    }

    /** Keeps a copy of {@code packet} as the value of {@code key}, whose entry is {@code entry} as found, perhaps none. */
    public void put(int entry, Packet key, Packet packet) {
        if (entry == KeyedTable.NONE) {
            table.add(key, packet.copy());
            return;
        }
        byte[] old = table.get(entry);
        if (old.length == packet.size()) {
            System.arraycopy(packet.bytes(), packet.start(), old, 0, old.length);
        } else {
            table.set(entry, packet.copy());
        }
    }

    /** Moves {@code into} to the packet of an entry; false if the entry was removed. */
    public boolean view(int entry, Packet into) {
        byte[] bytes = table.get(entry);
        if (bytes != null) {
            into.wrap(bytes, 0, bytes.length);
        }
        return bytes != null;
    }

    public void remove(int entry) {
        table.remove(entry);
    }

    public int size() {
        return table.size();
    }

    /** Entries are numbered below this. */
    public int limit() {
        return table.limit();
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public long bytes() {
        return table.bytes();
    }

    @Override
    public void snapshot(DataOutput out) throws IOException {
        table.snapshot(out);
    }

    @Override
    public void restore(DataInput in) throws IOException {
        table.restore(in);
    }

    private static final class Format implements ValueFormat<byte[]> {
        private final String name;
        private final Schema schema;
        private final Packet view;

        Format(String name, Schema schema) {
            this.name = name;
            this.schema = schema;
            view = new Packet(schema.layout());
        }

        @Override
        public String schema() {
            return schema.sql();
        }

        @Override
        public void write(byte[] value, DataOutput out) throws IOException {
            view.wrap(value, 0, value.length);
            StateFormat.writePacket(out, view);
        }

        @Override
        public byte[] read(DataInput in) throws IOException {
            return StateFormat.readPacket(in, name, view);
        }

        @Override
        public long bytes(byte[] value) {
            return HEADER_BYTES + value.length;
        }
    }
}
