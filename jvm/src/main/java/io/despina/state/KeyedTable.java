package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Values by key, where a key is the bytes of a key packet: open addressing over entries that keep their number. As long as
 * none is removed, entries are numbered 0, 1, 2 … in the order in which their keys came; a removed one's number is used again.
 *
 * <p>In a snapshot each entry tells its bucket, so that a restore can take some of them only.
 *
 * @param <V> the value, never null
 */
public final class KeyedTable<V> implements State {
    /** What {@link #find} answers for a key without a value. */
    public static final int NONE = -1;
    private static final String KIND = "keyed_table";
    private static final int FIRST = 16;
    private static final int ENTRY_BYTES = 2 * Long.BYTES + Long.BYTES + Integer.BYTES + Long.BYTES;

    private final String name;
    private final Schema keySchema;
    private final KeyBuckets buckets;
    private final ValueFormat<V> format;
    private final PacketArena keys = new PacketArena();
    private final Packet keyView;

    /** Hash of the key (upper half) and entry + 1 (lower half); 0 is free. Linear probing, at most half full. */
    private long[] slots = new long[2 * FIRST];
    private Object[] values = new Object[FIRST];
    private long[] places = new long[FIRST];
    private int[] hashes = new int[FIRST];
    /** Bytes of each value as counted last. */
    private long[] counted = new long[FIRST];
    private int limit;
    private int size;
    /** Removed entries, a stack. */
    private int[] free = {};
    private int freed;
    private long valueBytes;

    /** @param buckets how many buckets keys are spread over, see {@link KeyBuckets} */
    public KeyedTable(String name, Schema keySchema, int buckets, ValueFormat<V> format) {
        this.name = name;
        this.keySchema = keySchema;
        this.buckets = new KeyBuckets(keySchema, buckets);
        this.format = format;
        keyView = new Packet(keySchema.layout());
    }

    /** The entry of {@code key}, or {@link #NONE}. */
    public int find(Packet key) {
        int hash = hash(key);
        int mask = slots.length - 1;
        for (int k = hash & mask;; k = k + 1 & mask) {
            long slot = slots[k];
            if (slot == 0) {
                return NONE;
            }
            int entry = (int) slot - 1;
            if ((int) (slot >>> Integer.SIZE) == hash && keys.equal(places[entry], key)) {
                return entry;
            }
        }
    }

    /** Adds a key that has no entry yet. */
    public int add(Packet key, V value) {
        if (size == slots.length / 2) {
            grow();
        }
        int entry = freed > 0 ? free[--freed] : limit++;
        if (entry == values.length) {
            growEntries();
        }
        int hash = hash(key);
        places[entry] = keys.add(key);
        hashes[entry] = hash;
        values[entry] = value;
        counted[entry] = format.bytes(value);
        valueBytes += counted[entry];
        size++;
        place(hash, entry);
        return entry;
    }

    private void place(int hash, int entry) {
        int mask = slots.length - 1;
        int k = hash & mask;
        while (slots[k] != 0) {
            k = k + 1 & mask;
        }
        slots[k] = (long) hash << Integer.SIZE | entry + 1;
    }

    /** The value of an entry, or null if it was removed. */
    @SuppressWarnings("unchecked")
    public V get(int entry) {
        return (V) values[entry];
    }

    public void set(int entry, V value) {
        values[entry] = value;
        recount(entry);
    }

    /**
     * Counts the memory of a value that has changed in place.
     *
     * @return whether it differs from what was counted
     */
    public boolean recount(int entry) {
        long now = format.bytes(get(entry));
        long change = now - counted[entry];
        counted[entry] = now;
        valueBytes += change;
        return change != 0;
    }

    /** Moves {@code into} to the key of an entry. */
    public void key(int entry, Packet into) {
        keys.view(places[entry], into);
    }

    /** Removes an entry; its number may be used again. */
    public void remove(int entry) {
        removeSlot(hashes[entry], entry);
        keys.free(places[entry]);
        values[entry] = null;
        valueBytes -= counted[entry];
        if (freed == free.length) {
            free = Arrays.copyOf(free, Math.max(FIRST, 2 * free.length));
        }
        free[freed++] = entry;
        size--;
    }

    /** Frees the slot and moves back those that had to step over it. */
    private void removeSlot(int hash, int entry) {
        int mask = slots.length - 1;
        int hole = hash & mask;
        while ((int) slots[hole] != entry + 1) {
            hole = hole + 1 & mask;
        }
        int k = hole;
        while (true) {
            k = k + 1 & mask;
            if (slots[k] == 0) {
                slots[hole] = 0;
                return;
            }
            int home = (int) (slots[k] >>> Integer.SIZE) & mask;
            if ((k - home & mask) >= (k - hole & mask)) {
                slots[hole] = slots[k];
                hole = k;
            }
        }
    }

    /** How many keys have a value. */
    public int size() {
        return size;
    }

    /** Entries are numbered below this; removed ones among them have no value. */
    public int limit() {
        return limit;
    }

    /** Removes all, keeping the room for about as many. */
    public void clear() {
        Arrays.fill(slots, 0);
        Arrays.fill(values, 0, limit, null);
        keys.clear();
        limit = 0;
        size = 0;
        freed = 0;
        valueBytes = 0;
    }

    private void grow() {
        slots = new long[Math.multiplyExact(2, slots.length)];
        for (int entry = 0; entry < limit; entry++) {
            if (values[entry] != null) {
                place(hashes[entry], entry);
            }
        }
    }

    private void growEntries() {
        int to = Math.multiplyExact(2, values.length);
        values = Arrays.copyOf(values, to);
        places = Arrays.copyOf(places, to);
        hashes = Arrays.copyOf(hashes, to);
        counted = Arrays.copyOf(counted, to);
    }

    private static int hash(Packet key) {
        byte[] bytes = key.bytes();
        int k = key.bodyStart();
        int end = key.end();
        long h = (end - k) * 0x9E3779B97F4A7C15L;
        for (; k <= end - Long.BYTES; k += Long.BYTES) {
            h = (h ^ Bytes.getLong(bytes, k)) * 0xD6E8FEB86659FD93L;
            h ^= h >>> 32;
        }
        if (k <= end - Integer.BYTES) {
            h = (h ^ Bytes.getInt(bytes, k)) * 0x9E3779B97F4A7C15L;
            h ^= h >>> 32;
            k += Integer.BYTES;
        }
        for (; k < end; k++) {
            h = (h ^ bytes[k]) * 0x9E3779B97F4A7C15L;
        }
        h = (h ^ h >>> 32) * 0xD6E8FEB86659FD93L;
        return (int) (h >>> 32);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long bytes() {
        return keys.bytes() + (long) slots.length * Long.BYTES + (long) values.length * ENTRY_BYTES
                + (long) free.length * Integer.BYTES + valueBytes;
    }

    @Override
    public void snapshot(DataOutput out) throws IOException {
        StateFormat.writeHeader(out, KIND, schema());
        out.writeInt(size);
        for (int entry = 0; entry < limit; entry++) {
            if (values[entry] != null) {
                key(entry, keyView);
                out.writeInt(buckets.of(keyView));
                StateFormat.writePacket(out, keyView);
                format.write(get(entry), out);
            }
        }
        StateFormat.writeEnd(out);
    }

    private String schema() {
        return keySchema.sql() + " -> " + format.schema();
    }

    @Override
    public void restore(DataInput in) throws IOException {
        StateFormat.checkHeader(in, name, KIND, schema());
        clear();
        int count = StateFormat.readCount(in, name, Integer.MAX_VALUE);
        for (int k = 0; k < count; k++) {
            in.readInt();
            StateFormat.readPacket(in, name, keyView);
            if (find(keyView) != NONE) {
                throw new SnapshotException("state `" + name + "`: a key comes twice");
            }
            add(keyView, format.read(in));
        }
        StateFormat.checkEnd(in, name);
    }
}
