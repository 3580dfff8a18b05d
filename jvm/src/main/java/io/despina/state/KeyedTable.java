package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
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
 * <p>A snapshot shares the memory of the rows until they change. An object value is serialized before its first change after the
 * snapshot began, so a caller must use {@link #edit} to change one.
 *
 * @param <V> the value, never null
 */
public final class KeyedTable<V> implements State {
    /** What {@link #find} answers for a key without a value. */
    public static final int NONE = -1;
    private static final int FIRST = 16;

    private final String name;
    private final Schema keySchema;
    private final KeyBuckets buckets;
    private final ValueFormat<V> format;
    /** Null if values are objects. */
    private final ValueFormat.Flat<V> flat;
    private final V view;
    private final EntryRows rows;
    private final Packet keyView;

    /**
     * Linear probing, at most half full. The lower bits of a key's hash are its index, or it is in a slot after that. A slot
     * holds the entry + 1 in as many bits, and above them the rest of the hash, so that the rows of other keys are hardly ever
     * read. 0 is free. A slot whose lower bits are all 1 is vacated: its entry was removed, but a key after it may have passed
     * it. To move such keys back instead would read their rows, far from each other in memory.
     */
    private int[] slots = new int[2 * FIRST];
    private int vacated;
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
    /** What a snapshot has yet to write; or null. */
    private FrozenTable<V> frozen;

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
    }

    /** The entry of {@code key}, or {@link #NONE}. */
    public int find(Packet key) {
        int hash = EntryRows.hash(key);
        int mask = slots.length - 1;
        for (int k = hash & mask;; k = k + 1 & mask) {
            int slot = slots[k];
            if (slot == 0) {
                return NONE;
            }
            int entry = (slot & mask) - 1;
            if (((slot ^ hash) & ~mask) == 0 && (slot & mask) != mask && rows.equal(entry, key)) {
                return entry;
            }
        }
    }

    /** Adds a key that has no entry yet. */
    public int add(Packet key, V value) {
        if (size == slots.length / 2) {
            placeAll(Math.multiplyExact(2, slots.length));
        } else if (size + vacated >= slots.length / 4 * 3) {
            placeAll(slots.length);
        }
        int entry = freed > 0 ? free[--freed] : limit++;
        int hash = EntryRows.hash(key);
        rows.put(entry, hash, key);
        if (flat != null) {
            flat.put(value, rows.own(entry), rows.valueAt(entry));
        } else {
            keep(entry, value);
        }
        size++;
        place(hash, entry);
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

    private void place(int hash, int entry) {
        int mask = slots.length - 1;
        int k = hash & mask;
        while (slots[k] != 0 && (slots[k] & mask) != mask) {
            k = k + 1 & mask;
        }
        if (slots[k] != 0) {
            vacated--;
        }
        slots[k] = hash & ~mask | entry + 1;
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
        removeSlot(rows.hash(entry), entry);
        rows.free(entry);
        if (flat == null) {
            values[entry] = null;
            valueBytes -= counted[entry];
        }
        if (freed == free.length) {
            free = Arrays.copyOf(free, Math.max(FIRST, 2 * free.length));
        }
        free[freed++] = entry;
        size--;
    }

    /** Frees the slot if no key can have passed it, and with it those vacated before it; else vacates it. */
    private void removeSlot(int hash, int entry) {
        int mask = slots.length - 1;
        int k = hash & mask;
        while ((slots[k] & mask) != entry + 1) {
            k = k + 1 & mask;
        }
        slots[k] = mask;
        vacated++;
        if (slots[k + 1 & mask] != 0) {
            return;
        }
        for (; (slots[k] & mask) == mask; k = k - 1 & mask) {
            slots[k] = 0;
            vacated--;
        }
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
        Arrays.fill(slots, 0);
        vacated = 0;
        Arrays.fill(values, null);
        rows.clear();
        limit = 0;
        size = 0;
        freed = 0;
        valueBytes = 0;
    }

    private void placeAll(int length) {
        if (length == slots.length) {
            Arrays.fill(slots, 0);
        } else {
            slots = new int[length];
        }
        vacated = 0;
        for (int entry = 0; entry < limit; entry++) {
            if (rows.isLive(entry)) {
                place(rows.hash(entry), entry);
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long bytes() {
        return rows.bytes() + (long) slots.length * Integer.BYTES + (long) values.length * 2 * Long.BYTES
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
        return freeze(new FrozenTable.Part(buckets, out -> { }, SectionForm.WHOLE));
    }

    @Override
    public Frozen freezeChanges() {
        return knowsChanges() ? freeze(new FrozenTable.Part(buckets, out -> { }, SectionForm.CHANGES)) : freeze();
    }

    /** Whether it is known what has changed since it was last frozen. */
    boolean knowsChanges() {
        return rows.knowsChanges();
    }

    /** The same for a part of another state. All entries are changes if there was nothing of the table before. */
    FrozenTable<V> freeze(FrozenTable.Part part) {
        FrozenTable<V> now = new FrozenTable<>(this, format, part,
                rows.freeze(limit, part.form() == SectionForm.CHANGES && knowsChanges()));
        frozen = flat == null ? now : null;
        return now;
    }

    /** The object values, by entry. */
    Object[] objects() {
        return values;
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
        if (find(keyView) != NONE) {
            throw new SnapshotException("state `" + name + "`: a key comes twice");
        }
        add(keyView, format.read(entry.data()));
    }
}
