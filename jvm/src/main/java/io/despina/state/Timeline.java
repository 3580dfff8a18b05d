package io.despina.state;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;

/**
 * The packets of one side of an interval join: by key and time for matching, by time alone for dropping, each with a mark whether
 * it was matched. Packets whose key equals nothing are stored apart.
 */
public final class Timeline implements State {
    private static final Schema NO_KEY = Schema.of(new Column("none", Type.Simple.TINYINT, false));

    private final String name;
    private final Schema schema;
    private final int timeColumn;
    private final EventBuffer packets;
    private final ListFormat format = new ListFormat();
    private final KeyedTable<TimedList> byKey;
    /** Holds at most one list. */
    private final KeyedTable<TimedList> keyless;
    private final Packet noKey;
    private final Packet view;
    /** Where the list of the earliest packet is, since {@link #headList}. */
    private KeyedTable<TimedList> headTable;
    private int headEntry;

    /** The columns of keys, and the number of buckets. */
    public record Keys(Schema schema, int buckets) {
    }

    /** @param timeColumn ordinal of the event time in {@code schema} */
    public Timeline(String name, Schema schema, int timeColumn, Keys keys) {
        this.name = name;
        this.schema = schema;
        this.timeColumn = timeColumn;
        packets = new EventBuffer(name, schema, new EventOrder(timeColumn, List.of()), packet -> SectionWriter.NO_BUCKET);
        byKey = new KeyedTable<>(name, keys.schema, keys.buckets, format);
        keyless = new KeyedTable<>(name, NO_KEY, 1, format);
        ScratchPacket none = new ScratchPacket(NO_KEY.layout());
        none.begin().setByte(0, (byte) 0);
        noKey = none.commit();
        view = new Packet(schema.layout());
    }

    /** Stores a copy of {@code packet} under {@code key}; null stands for a key that equals nothing. */
    public void add(Packet key, Packet packet) {
        KeyedTable<TimedList> table = key == null ? keyless : byKey;
        Packet of = key == null ? noKey : key;
        int entry = table.find(of);
        TimedList list = entry == KeyedTable.NONE ? new TimedList() : table.edit(entry);
        list.add(packet.getLong(timeColumn), packets.add(packet));
        if (entry == KeyedTable.NONE) {
            table.add(of, list);
        } else {
            table.recount(entry);
        }
    }

    /** The packets of {@code key}, or for null those whose key equals nothing, for reading; null if there are none. */
    public TimedList of(Packet key) {
        KeyedTable<TimedList> table = key == null ? keyless : byKey;
        int entry = table.find(key == null ? noKey : key);
        return entry == KeyedTable.NONE ? null : table.get(entry);
    }

    /** Marks the packet of {@code key} at that index of its list. */
    public void mark(Packet key, int index) {
        byKey.edit(byKey.find(key)).mark(index);
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
     * Looks up the list of the earliest packet, which is its first one there, for reading. A key is long out of the caches when
     * its packet is dropped, so this look-up is the only one.
     *
     * @param key that of the packet, or null, as given to {@link #add}
     */
    public TimedList headList(Packet key) {
        headTable = key == null ? keyless : byKey;
        headEntry = headTable.find(key == null ? noKey : key);
        return headTable.get(headEntry);
    }

    /** Drops the earliest packet, whose list was looked up last. */
    public void removeHead() {
        TimedList list = headTable.edit(headEntry);     // before its packet is dropped: a snapshot may have to write it
        packets.dropHead();
        list.removeFirst();
        if (list.isEmpty()) {
            headTable.remove(headEntry);
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
    public long keys() {
        return byKey.size();
    }

    @Override
    public long packets() {
        return packets.packets();
    }

    /** Those that have met no other. */
    @Override
    public Held held() {
        return byKey.held().plus(keyless.held());
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return "timeline of " + byKey.schema();
    }

    @Override
    public Frozen freeze() {
        return new FrozenTimeline(SectionForm.WHOLE);
    }

    @Override
    public Frozen freezeChanges() {
        return byKey.knowsChanges() ? new FrozenTimeline(SectionForm.CHANGES) : freeze();
    }

    private final class FrozenTimeline implements Frozen {
        private static final int KEYED = 0;
        private static final int KEYLESS = 1;

        private final SectionForm form;
        private final Frozen keyed;
        private final Frozen others;
        private boolean begun;
        private boolean othersAreWritten;

        FrozenTimeline(SectionForm form) {
            this.form = form;
            keyed = byKey.freeze(new FrozenTable.Part(byKey.buckets(), entry -> entry.writeBoolean(true), form));
            others = keyless.freeze(new FrozenTable.Part(null, entry -> entry.writeBoolean(false), form));
        }

        @Override
        public SectionForm form() {
            return form;
        }

        @Override
        public boolean write(SectionWriter to) throws IOException {
            if (!begun) {
                to.group(KEYLESS);
                begun = true;
            }
            if (!othersAreWritten) {
                if (!others.write(to)) {
                    return false;
                }
                othersAreWritten = true;
                to.group(KEYED);
            }
            return keyed.write(to);
        }

        @Override
        public void close() {
            keyed.close();
            others.close();
        }
    }

    @Override
    public void clear() {
        packets.clear();
        byKey.clear();
        keyless.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        if (entry.data().readBoolean()) {
            byKey.restore(entry);
            return;
        }
        entry.packet(new Packet(NO_KEY.layout()));
        int at = keyless.find(noKey);
        TimedList list = at == KeyedTable.NONE ? new TimedList() : keyless.edit(at);
        format.read(entry.data(), list);
        if (at == KeyedTable.NONE) {
            keyless.add(noKey, list);
        }
    }

    @Override
    public void restoredAll() throws SnapshotException {
        byKey.restoredAll();
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
            read(in, list);
            return list;
        }

        void read(DataInput in, TimedList list) throws IOException {
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
        }

        @Override
        public Held held(TimedList list) {
            long unmarked = 0;
            for (int k = list.first(); k < list.end(); k++) {
                unmarked += list.isMarked(k) ? 0 : 1;
            }
            return Held.waiting(unmarked);
        }

        @Override
        public long bytes(TimedList list) {
            return list.bytes();
        }
    }
}
