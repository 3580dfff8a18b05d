package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/**
 * The packets of one side of an interval join: by key and time to be met, by time alone to be forgotten, each with a mark
 * whether it has been met. Packets with a key that equals nothing are kept apart.
 */
public final class Timeline implements State {
    private static final String KIND = "timeline";

    private final String name;
    private final Schema schema;
    private final int timeColumn;
    private final EventBuffer packets;
    private final ListFormat format = new ListFormat();
    private final KeyedTable<TimedList> byKey;
    private TimedList keyless = new TimedList();
    private final Packet view;

    /** @param timeColumn ordinal of the event time in {@code schema} */
    public Timeline(String name, Schema schema, int timeColumn, Schema keySchema, int buckets) {
        this.name = name;
        this.schema = schema;
        this.timeColumn = timeColumn;
        packets = new EventBuffer(name, schema, new EventOrder(timeColumn, List.of()));
        byKey = new KeyedTable<>(name, keySchema, buckets, format);
        view = new Packet(schema.layout());
    }

    /** Keeps a copy of {@code packet} under {@code key}; null for a key that equals nothing. */
    public void add(Packet key, Packet packet) {
        int entry = key == null ? KeyedTable.NONE : byKey.find(key);
        TimedList list = key == null ? keyless : entry == KeyedTable.NONE ? new TimedList() : byKey.get(entry);
        list.add(packet.getLong(timeColumn), packets.add(packet));
        if (key != null && entry == KeyedTable.NONE) {
            byKey.add(key, list);
        } else if (key != null) {
            byKey.recount(entry);
        }
    }

    /** The packets of {@code key}, or null if there are none. */
    public TimedList of(Packet key) {
        int entry = byKey.find(key);
        return entry == KeyedTable.NONE ? null : byKey.get(entry);
    }

    /** The packets whose key equals nothing. */
    public TimedList keyless() {
        return keyless;
    }

    /** Moves {@code into} to a packet of one of the lists. */
    public void view(long place, Packet into) {
        packets.view(place, into);
    }

    public boolean isEmpty() {
        return packets.isEmpty();
    }

    /** Event time of the earliest packet. */
    public long headTime() {
        return packets.headTime();
    }

    /** A view of the earliest packet, until the next call. */
    public Packet head() {
        return packets.head();
    }

    /**
     * Forgets the earliest packet.
     *
     * @param key its key, or null as {@link #add} had it
     */
    public void removeHead(Packet key) {
        packets.take();
        packets.drop();
        if (key == null) {
            keyless.removeFirst();
            return;
        }
        int entry = byKey.find(key);
        TimedList list = byKey.get(entry);
        list.removeFirst();
        if (list.isEmpty()) {
            byKey.remove(entry);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long bytes() {
        return packets.bytes() + byKey.bytes() + keyless.bytes();
    }

    @Override
    public void snapshot(DataOutput out) throws IOException {
        StateFormat.writeHeader(out, KIND, schema.sql());
        format.write(keyless, out);
        byKey.snapshot(out);
        StateFormat.writeEnd(out);
    }

    @Override
    public void restore(DataInput in) throws IOException {
        StateFormat.checkHeader(in, name, KIND, schema.sql());
        packets.clear();
        keyless = format.read(in);
        byKey.restore(in);
        StateFormat.checkEnd(in, name);
    }

    private final class ListFormat implements ValueFormat<TimedList> {
        @Override
        public String schema() {
            return schema.sql();
        }

        @Override
        public void write(TimedList list, DataOutput out) throws IOException {
            out.writeInt(list.end() - list.first());
            for (int k = list.first(); k < list.end(); k++) {
                out.writeBoolean(list.isMarked(k));
                packets.view(list.place(k), view);
                StateFormat.writePacket(out, view);
            }
        }

        @Override
        public TimedList read(DataInput in) throws IOException {
            TimedList list = new TimedList();
            int count = StateFormat.readCount(in, name, Integer.MAX_VALUE);
            for (int k = 0; k < count; k++) {
                boolean marked = in.readBoolean();
                StateFormat.readPacket(in, name, view);
                if (view.isNull(timeColumn)) {
                    throw new SnapshotException("state `" + name + "`: a packet without event time");
                }
                long place = packets.add(view);
                packets.view(place, view);
                int at = list.add(view.getLong(timeColumn), place);
                if (marked) {
                    list.mark(at);
                }
            }
            return list;
        }

        @Override
        public long bytes(TimedList list) {
            return list.bytes();
        }
    }
}
