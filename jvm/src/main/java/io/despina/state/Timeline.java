package io.despina.state;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/**
 * The packets of one side of an interval join: by key and time for matching, by time alone for dropping, each with a mark whether
 * it was matched. Packets whose key equals nothing are stored apart.
 */
public final class Timeline implements State {
    private static final Schema NO_KEY = Schema.of(new Column("none", Type.Simple.TINYINT, false));

    private final String name;
    private final int timeColumn;
    private final EventBuffer packets;
    private final ListedPackets listed;
    private final ReturnedPackets returned;
    private final Function<Packet, Packet> keys;
    private final KeyedTable<TimedList> byKey;
    /** Holds at most one list. */
    private final KeyedTable<TimedList> keyless;
    private final Packet noKey;
    private final Packet view;
    /** Where the list of the earliest packet is, since {@link #headList}. */
    private KeyedTable<TimedList> headTable;
    private int headEntry;

    /**
     * What keys are.
     *
     * @param schema  of a key
     * @param buckets that the graph deals keys out to
     * @param of      the key of a packet, until the next call; null if it equals nothing
     */
    public record Keys(Schema schema, int buckets, Function<Packet, Packet> of) {
    }

    /** @param timeColumn ordinal of the event time in {@code schema} */
    public Timeline(String name, Schema schema, int timeColumn, Keys keys) {
        this.name = name;
        this.timeColumn = timeColumn;
        packets = new EventBuffer(name, schema, new EventOrder(timeColumn, List.of()), packet -> SectionWriter.NO_BUCKET);
        listed = new ListedPackets(packets.arena(), schema, ListedPackets.Part.ALL_MARKABLE);
        returned = new ReturnedPackets(name, schema, true);
        this.keys = keys.of;
        Lists lists = new Lists(schema.sql());
        byKey = new KeyedTable<>(name, keys.schema, keys.buckets, lists);
        keyless = new KeyedTable<>(name, NO_KEY, 1, lists);
        ScratchPacket none = new ScratchPacket(NO_KEY.layout());
        none.begin().setByte(0, (byte) 0);
        noKey = none.commit();
        view = new Packet(schema.layout());
    }

    /** Stores a copy of {@code packet} under {@code key}; null stands for a key that equals nothing. */
    public void add(Packet key, Packet packet) {
        put(key, packet, false);
    }

    private void put(Packet key, Packet packet, boolean marked) {
        KeyedTable<TimedList> table = key == null ? keyless : byKey;
        Packet of = key == null ? noKey : key;
        int entry = table.find(of);
        TimedList list = entry == KeyedTable.NONE ? new TimedList() : table.get(entry);
        long place = packets.add(packet);
        int at = list.add(packet.getLong(timeColumn), place);
        listed.list(place);
        if (marked) {
            list.mark(at);
            listed.mark(place);
        }
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
        TimedList list = of(key);
        list.mark(index);
        listed.mark(list.place(index));
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

    /** The packets, the earliest first. */
    public AheadOfHead earliest() {
        return packets;
    }

    /** Where the lists of keys are. */
    public KeyedTable<TimedList> table() {
        return byKey;
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
        TimedList list = headTable.get(headEntry);
        listed.drop(list.place(list.first()));
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
        return packets.bytes() + byKey.bytes() + keyless.bytes() + listed.bytes() + returned.bytes();
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
        return listed.freeze(this::bucket);
    }

    @Override
    public Frozen freezeChanges() {
        return listed.freezeChanges(this::bucket);
    }

    private int bucket(Packet packet) {
        Packet key = keys.apply(packet);
        return key == null ? SectionWriter.NO_BUCKET : byKey.buckets().of(key);
    }

    @Override
    public void clear() {
        packets.clear();
        byKey.clear();
        keyless.clear();
        listed.clear();
        returned.clear();
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        if (ListedPackets.isListed(entry)) {
            StateFormat.checkTime(name, returned.read(entry), timeColumn);
            return;
        }
        boolean keyed = entry.data().readBoolean();
        entry.packet(keyed ? byKey.newKey() : new Packet(NO_KEY.layout()));
        for (int left = StateFormat.readCount(entry.data(), name, Integer.MAX_VALUE); left > 0; left--) {
            boolean marked = entry.data().readBoolean();
            StateFormat.readPacket(entry.data(), name, view);
            StateFormat.checkTime(name, view, timeColumn);
            put(keys.apply(view), view, marked);
        }
    }

    @Override
    public void restoredAll() throws SnapshotException {
        returned.giveTo((packet, marked) -> put(keys.apply(packet), packet, marked));
    }

    private record Lists(String schema) implements ValueFormat.Rebuilt<TimedList> {
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
