package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;

/**
 * Values by key that are made of the latest packets of their key. A snapshot has those packets, each as an entry of its own, see
 * {@link ListedPackets}; keys and values are made of them again.
 *
 * @param <V> the value, which has a {@link PacketDeque}
 */
public final class KeyedDeques<V> implements State {
    private final KeyedTable<V> table;
    private final Schema schema;
    private final OfPackets<V> content;
    private final ListedPackets listed;
    private final Packet key;
    private final Packet view;

    /** What the values are made of. */
    public interface OfPackets<V> {

        /** The key of a packet, until the next call. */
        Packet key(Packet packet);

        /** The time of a packet that was restored; it does not fall within a key. */
        long time(Packet packet);

        /** A new value, whose deque is filled from a snapshot. */
        V restored(PacketDeque packets);

        PacketDeque packets(V value);
    }

    /**
     * @param table  of the values, whose format is {@link ValueFormat.Rebuilt}
     * @param schema of the packets
     */
    public KeyedDeques(KeyedTable<V> table, Schema schema, OfPackets<V> content) {
        this.table = table;
        this.schema = schema;
        this.content = content;
        listed = new ListedPackets(new PacketArena(), schema, ListedPackets.Part.ALL);
        key = table.newKey();
        view = new Packet(schema.layout());
    }

    /** An empty deque for the value of another key. */
    public PacketDeque newDeque() {
        return new PacketDeque(listed);
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return table.schema();
    }

    @Override
    public long bytes() {
        return table.bytes() + listed.arena().bytes() + listed.bytes();
    }

    @Override
    public long keys() {
        return table.size();
    }

    @Override
    public Held held() {
        return table.held();
    }

    @Override
    public Frozen freeze() {
        return listed.freeze(this::bucket);
    }

    @Override
    public Frozen freezeChanges() {
        return listed.freezeChanges(this::bucket);
    }

    private int bucket(Packet packet) {
        return table.buckets().of(content.key(packet));
    }

    @Override
    public void clear() {
        table.clear();
        listed.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        if (ListedPackets.isListed(entry)) {
            ListedPackets.read(entry, view);
            restore(view);
            return;
        }
        entry.packet(key);
        for (int left = StateFormat.readCount(entry.data(), name(), Integer.MAX_VALUE); left > 0; left--) {
            entry.data().readLong();        // its time, which the packet has too
            StateFormat.readPacket(entry.data(), name(), view);
            restore(view);
        }
    }

    private void restore(Packet packet) throws SnapshotException {
        long time = content.time(packet);
        Packet of = content.key(packet);
        int at = table.find(of);
        V value = at == KeyedTable.NONE ? content.restored(newDeque()) : table.get(at);
        PacketDeque packets = content.packets(value);
        if (!packets.isEmpty() && time < packets.lastTime()) {
            throw new SnapshotException("state `" + name() + "`: packets are not in order");
        }
        packets.add(time, packet);
        packets.list(packets.size() - 1);
        if (at == KeyedTable.NONE) {
            table.add(of, value);
        }
    }

    @Override
    public void restoredAll() {
        for (int entry = 0; entry < table.limit(); entry++) {
            table.recount(entry);
        }
    }
}
