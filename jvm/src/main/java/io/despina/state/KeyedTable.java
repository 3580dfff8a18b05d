package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Values by key, where a key is the bytes of a key packet. Uses open addressing over entries that keep their number. As long as
 * no entry is removed, entries are numbered 0, 1, 2 … in the order in which their keys appeared; the number of a removed entry is
 * reused.
 *
 * <p>Values of a {@link ValueFormat.Flat} are bytes beside their keys; {@link #get} then returns one shared view, which stays on
 * an entry until the next call. Other values are objects.
 *
 * <p>A snapshot shares the memory of the rows, and that of packets, until they change. Another object value is serialized
 * before its first change after the snapshot began, so a caller must use {@link #edit} to change one.
 *
 * @param <V> the value, never null
 */
public final class KeyedTable<V> implements State {
    /** What {@link #find} answers for a key without a value. */
    public static final int NONE = -1;
    private static final int FIRST = EntrySlots.FIRST;
    /** Slots and rows of so many entries are more than the cache that cores share: where they are less, to look ahead costs. */
    private static final int FAR = Boolean.getBoolean("despina.checks") ? 4 : 1 << 19;

    private final String name;
    private final Schema keySchema;
    private final KeyBuckets buckets;
    private final ValueFormat<V> format;
    /** Null if values are objects. */
    private final ValueFormat.Flat<V> flat;
    private final V view;
    private final EntryRows rows;
    private final EntrySlots slots;
    private final Packet keyView;

    /** Object values, by entry. */
    private Object[] values = {};
    /** The size of each at its last count. */
    private long[] counted = {};
    private int limit;
    private int size;
    /** Removed entries, a stack. */
    private int[] free = {};
    private int freed;
    private long valueBytes;
    /** Of no use but that its loads are not left out. */
    private int loaded;
    /** What a snapshot has yet to write; or null. */
    private FrozenTable<V> frozen;
    /** What snapshots have of long lists in object values. */
    private ListParts lists = new ListParts();
    private final ReturnedLists returned;

    /** @param buckets the number of buckets, see {@link KeyBuckets} */
    public KeyedTable(String name, Schema keySchema, int buckets, ValueFormat<V> format) {
        this(name, keySchema, new KeyBuckets(keySchema, buckets), format);
    }

    /** @param buckets of the keys */
    public KeyedTable(String name, Schema keySchema, KeyBuckets buckets, ValueFormat<V> format) {
        this.name = name;
        this.keySchema = keySchema;
        this.buckets = buckets;
        this.format = format;
        flat = format instanceof ValueFormat.Flat<V> f ? f : null;
        view = flat == null ? null : flat.view();
        rows = new EntryRows(keySchema.layout(), flat == null ? 0 : flat.width());
        keyView = new Packet(keySchema.layout());
        slots = new EntrySlots(rows, new Packet(keySchema.layout()));
        returned = new ReturnedLists(name);
    }

    /** The entry of {@code key}, or {@link #NONE}. */
    public int find(Packet key) {
        return slots.find(key);
    }

    /** Whether it has so many entries that a look-up mostly waits for memory. */
    public boolean isFar() {
        return size >= FAR;
    }

    /** The hash of a key, for {@link #load}. */
    public static int hash(Packet key) {
        return EntryRows.hash(key);
    }

    /** The same of the key of an entry. */
    public int hash(int entry) {
        return rows.hash(entry);
    }

    /**
     * Loads what look-ups of keys with these hashes will read, so that they wait for it together. Changes nothing.
     *
     * @param scratch is written over
     */
    public void load(int[] hashes, int count, int[] scratch) {
        loaded += slots.load(hashes, count, scratch);
        for (int k = 0; k < count && flat == null; k++) {
            loaded += scratch[k] != NONE && values[scratch[k]] != null ? 1 : 0;
        }
    }

    /** Adds a key that has no entry yet. */
    public int add(Packet key, V value) {
        slots.makeRoom(size, limit);
        int entry = freed > 0 ? free[--freed] : limit++;
        int hash = EntryRows.hash(key);
        rows.put(entry, hash, key);
        if (flat != null) {
            flat.put(value, rows.own(entry), rows.valueAt(entry));
        } else {
            keep(entry, value);
        }
        size++;
        slots.place(hash, entry);
        return entry;
    }

    private void keep(int entry, V value) {
        if (entry >= values.length) {
            int to = Math.max(FIRST, Math.multiplyExact(2, values.length));
            values = Arrays.copyOf(values, to);
            counted = Arrays.copyOf(counted, to);
        }
        values[entry] = value;
        counted[entry] = format.bytes(value);
        valueBytes += counted[entry];
    }

    /** The value of an entry, for reading; null if the entry was removed. */
    @SuppressWarnings("unchecked")
    public V get(int entry) {
        if (flat == null) {
            return (V) values[entry];
        }
        if (!rows.isLive(entry)) {
            return null;
        }
        flat.move(view, rows.chunk(entry), rows.valueAt(entry));
        return view;
    }

    /** The value of an entry that was not removed, to be changed in place before the next call of this table. */
    @SuppressWarnings("unchecked")
    public V edit(int entry) {
        if (flat == null) {
            aboutToChange(entry);
            return (V) values[entry];
        }
        flat.move(view, rows.own(entry), rows.valueAt(entry));
        return view;
    }

    /**
     * The value of an entry, whose memory may be written over before the next call of this table. Null if a snapshot shares it:
     * then another value is to be {@link #set}.
     */
    V reuse(int entry) {
        return frozen != null && frozen.shares(entry) ? null : edit(entry);
    }

    private void aboutToChange(int entry) {
        if (rows.isUntouched(entry)) {
            if (frozen != null) {
                frozen.save(entry);
            }
            rows.touch(entry);
        }
    }

    public void set(int entry, V value) {
        if (flat != null) {
            flat.put(value, rows.own(entry), rows.valueAt(entry));
        } else {
            aboutToChange(entry);
            values[entry] = value;
            recount(entry);
        }
    }

    /**
     * Counts the memory of a value again after a change in place.
     *
     * @return whether its size has changed
     */
    public boolean recount(int entry) {
        if (flat != null) {
            return false;
        }
        long now = format.bytes(get(entry));
        long change = now - counted[entry];
        counted[entry] = now;
        valueBytes += change;
        return change != 0;
    }

    /** Moves {@code into} to the key of an entry. */
    public void key(int entry, Packet into) {
        rows.key(entry, into);
    }

    /** Removes an entry; its number may be reused. */
    public void remove(int entry) {
        if (flat == null) {
            aboutToChange(entry);
        }
        slots.remove(rows.hash(entry), entry);
        rows.free(entry);
        if (flat == null) {
            lists.letGo(entry);
            values[entry] = null;
            valueBytes -= counted[entry];
        }
        if (freed == free.length) {
            free = Arrays.copyOf(free, Math.max(FIRST, 2 * free.length));
        }
        free[freed++] = entry;
        size--;
    }

    KeyBuckets buckets() {
        return buckets;
    }

    /** Whether the table stores values as bytes; {@link #add} then copies its argument. */
    boolean isFlat() {
        return flat != null;
    }

    /** How many keys have a value. */
    public int size() {
        return size;
    }

    /** All entry numbers are below this; removed entries have no value. */
    public int limit() {
        return limit;
    }

    /** Removes all entries. Keeps the memory for about as many. */
    @Override
    public void clear() {
        if (frozen != null && flat == null) {
            frozen.keep(values);
            values = new Object[values.length];
            frozen = null;
        }
        lists = new ListParts();
        returned.clear();
        slots.clear();
        Arrays.fill(values, null);
        rows.clear();
        limit = 0;
        size = 0;
        freed = 0;
        valueBytes = 0;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long bytes() {
        return rows.bytes() + slots.bytes() + (long) values.length * 2 * Long.BYTES
                + (long) free.length * Integer.BYTES + valueBytes + (frozen == null ? 0 : frozen.bytes());
    }

    @Override
    public long keys() {
        return size;
    }

    @Override
    public Held held() {
        Held sum = Held.NONE;
        for (int entry = 0; entry < limit; entry++) {
            V value = get(entry);
            sum = value == null ? sum : sum.plus(format.held(value));
        }
        return sum;
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return keySchema.sql() + " -> " + format.schema();
    }

    @Override
    public Frozen freeze() {
        return freeze(TablePart.whole(buckets, SectionForm.WHOLE));
    }

    @Override
    public Frozen freezeChanges() {
        return knowsChanges() ? freeze(TablePart.whole(buckets, SectionForm.CHANGES)) : freeze();
    }

    /** Whether it is known what has changed since it was last frozen. */
    boolean knowsChanges() {
        return rows.knowsChanges();
    }

    /** The same for a part of another state. All entries are changes if there was nothing of the table before. */
    FrozenTable<V> freeze(TablePart part) {
        FrozenTable<V> now = new FrozenTable<>(this, format, part,
                rows.freeze(limit, part.form() == SectionForm.CHANGES && knowsChanges()));
        frozen = flat == null ? now : null;
        return now;
    }

    /** The object values, by entry. */
    Object[] objects() {
        return values;
    }

    /** What snapshots have of lists in the values. */
    ListParts lists() {
        return lists;
    }

    Packet newKey() {
        return new Packet(keySchema.layout());
    }

    /** A snapshot was written or given up. */
    void thaw(FrozenTable<V> which) {
        if (frozen == which) {
            frozen = null;
        }
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        entry.packet(keyView);
        if (!rows.fits(keyView)) {
            throw new SnapshotException("state `" + name + "`: a key of " + keyView.size() + " bytes");
        }
        if (entry.isPart() || entry.isCut()) {
            returned.read(keyView, entry);
        } else {
            restore(keyView, entry.data());
        }
    }

    private void restore(Packet key, DataInput value) throws IOException {
        int number = limit++;
        rows.put(number, EntryRows.hash(key), key);
        size++;
        if (flat == null) {
            keep(number, format.read(value));
        } else {
            flat.read(value, rows.own(number), rows.valueAt(number));
        }
    }

    @Override
    public void restoredAll() throws SnapshotException {
        returned.giveTo(keyView, this::restore);
        if (!slots.placeAllOnce(size, limit)) {
            throw new SnapshotException("state `" + name + "`: a key comes twice");
        }
    }
}
