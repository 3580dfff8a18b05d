package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** One packet per key, overwritten in place if it fits. */
public final class KeyedPackets implements State {
    /** The headers of a view and of an array. */
    private static final int HEADER_BYTES = 56;
    /** Packets of at least this size are not copied; they are swapped with the stored array. */
    private static final int LARGE = 4 << 10;

    private final KeyedTable<Packet> table;

    public KeyedPackets(String name, Schema keySchema, int buckets, Schema schema) {
        this(name, keySchema, new KeyBuckets(keySchema, buckets), schema);
    }

    /** @param buckets of the keys */
    public KeyedPackets(String name, Schema keySchema, KeyBuckets buckets, Schema schema) {
        table = new KeyedTable<>(name, keySchema, buckets, format(name, schema));
    }

    static ValueFormat<Packet> format(String name, Schema schema) {
        return schema.layout().isFixed() ? new Flat(name, schema) : new Copies(name, schema);
    }

    /** Where the packets are. */
    public KeyedTable<Packet> table() {
        return table;
    }

    /** The entry of {@code key}, or {@link KeyedTable#NONE}. */
    public int find(Packet key) {
        return table.find(key);
    }

    /** Stores a copy of {@code packet} as the value of a key that has no entry yet, and returns the entry. */
    public int add(Packet key, Packet packet) {
        return table.add(key, table.isFlat() ? packet : packet.kept());
    }

    /**
     * Stores a copy of {@code packet} as the value of {@code key}, whose entry, or {@link KeyedTable#NONE}, is {@code entry}.
     *
     * @return whether {@link #bytes} may have changed
     */
    public boolean put(int entry, Packet key, Packet packet) {
        if (entry == KeyedTable.NONE) {
            add(key, packet);
            return true;
        }
        if (table.isFlat()) {
            table.set(entry, packet);
            return false;
        }
        Packet old = table.reuse(entry);
        int room = old == null ? 0 : old.bytes().length;
        if (packet.size() > room || packet.size() < room / 2) {
            table.set(entry, packet.kept());
            return true;
        }
        System.arraycopy(packet.bytes(), packet.start(), old.bytes(), 0, packet.size());
        old.wrap(old.bytes(), 0, packet.size());
        return false;
    }

    /** The same for the packet in {@code scratch}. A large packet is moved out of the scratch, not copied. */
    public boolean put(int entry, Packet key, ScratchPacket scratch) {
        Packet packet = scratch.packet();
        if (entry == KeyedTable.NONE || table.isFlat() || packet.size() < LARGE || packet.size() < scratch.capacity() / 2) {
            return put(entry, key, packet);
        }
        Packet old = table.reuse(entry);
        if (old == null) {
            table.set(entry, scratch.handOver());
            return true;
        }
        scratch.exchange(old);
        return table.recount(entry);
    }

    /** Moves {@code into} to the packet of an entry; false if the entry was removed. */
    public boolean view(int entry, Packet into) {
        Packet packet = table.get(entry);
        if (packet != null) {
            into.wrap(packet);
        }
        return packet != null;
    }

    /** Moves {@code into} to the key of an entry. */
    public void key(int entry, Packet into) {
        table.key(entry, into);
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
    public long keys() {
        return table.size();
    }

    @Override
    public RestoreRule rule() {
        return table.rule();
    }

    @Override
    public String schema() {
        return table.schema();
    }

    @Override
    public Frozen freeze() {
        return table.freeze();
    }

    @Override
    public Frozen freezeChanges() {
        return table.freezeChanges();
    }

    @Override
    public void clear() {
        table.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        table.restore(entry);
    }

    @Override
    public void restoredAll() throws SnapshotException {
        table.restoredAll();
    }

    /** Packets of any size, each a copy. */
    private static final class Copies implements ValueFormat.Replaced {
        private final String name;
        private final Schema schema;

        Copies(String name, Schema schema) {
            this.name = name;
            this.schema = schema;
        }

        @Override
        public String schema() {
            return schema.sql();
        }

        @Override
        public Packet read(DataInput in) throws IOException {
            Packet packet = new Packet(schema.layout());
            StateFormat.readPacket(in, name, packet);
            return packet;
        }

        @Override
        public long bytes(Packet value) {
            return HEADER_BYTES + value.bytes().length;
        }
    }

    /** Packets of one size. */
    private static final class Flat implements ValueFormat.Flat<Packet> {
        private final String name;
        private final Schema schema;
        private final int width;
        /** Looks at what was read. */
        private final Packet read;

        Flat(String name, Schema schema) {
            this.name = name;
            this.schema = schema;
            int body = schema.layout().fixedBytes();
            width = Bytes.varintBytes(body) + body;
            read = view();
        }

        @Override
        public String schema() {
            return schema.sql();
        }

        @Override
        public int width() {
            return width;
        }

        @Override
        public Packet view() {
            return new Packet(schema.layout());
        }

        @Override
        public void move(Packet view, byte[] bytes, int at) {
            view.wrap(bytes, at, at + width);
        }

        @Override
        public void put(Packet value, byte[] bytes, int at) {
            System.arraycopy(value.bytes(), value.start(), bytes, at, width);
        }

        @Override
        public void write(Packet value, DataOutput out) throws IOException {
            StateFormat.writePacket(out, value);
        }

        @Override
        public Packet read(DataInput in) throws IOException {
            byte[] bytes = new byte[width];
            read(in, bytes, 0);
            Packet packet = view();
            packet.wrap(bytes, 0, width);
            return packet;
        }

        @Override
        public void read(DataInput in, byte[] bytes, int at) throws IOException {
            int length = in.readInt();
            if (length != width) {
                throw new SnapshotException("state `" + name + "`: a packet of " + length + " bytes, not " + width);
            }
            in.readFully(bytes, at, width);
            StateFormat.view(bytes, at, width, name, read);
        }
    }
}
