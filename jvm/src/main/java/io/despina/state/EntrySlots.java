package io.despina.state;

import io.despina.packet.Packet;
import java.util.Arrays;

/**
 * Finds the entry of a key. Linear probing, at most half full. The lower bits of a key's hash are its index, or it is in a slot
 * after that. A slot holds the entry + 1 in as many bits, and above them the rest of the hash, so that the rows of other keys are
 * hardly ever read. 0 is free. A slot whose lower bits are all 1 is vacated: its entry was removed, but a key after it may have
 * passed it. To move such keys back instead would read their rows, far from each other in memory.
 */
final class EntrySlots {
    static final int FIRST = 16;

    private final EntryRows rows;
    private final Packet keyView;
    private int[] slots = new int[2 * FIRST];
    private int vacated;

    /** @param keyView moves over their keys */
    EntrySlots(EntryRows rows, Packet keyView) {
        this.rows = rows;
        this.keyView = keyView;
    }

    /** The entry of {@code key}, or {@link KeyedTable#NONE}. */
    int find(Packet key) {
        int hash = EntryRows.hash(key);
        int[] all = slots;
        int mask = all.length - 1;
        for (int k = hash & mask;; k = k + 1 & mask) {
            int slot = all[k];
            if (slot == 0) {
                return KeyedTable.NONE;
            }
            int entry = (slot & mask) - 1;
            if (((slot ^ hash) & ~mask) == 0 && (slot & mask) != mask && rows.equal(entry, key)) {
                return entry;
            }
        }
    }

    /**
     * Loads the slots that keys with these hashes begin at, the rows of those that may be theirs, and long keys of these rows.
     *
     * @param found takes the entries of these rows, or {@link KeyedTable#NONE}
     * @return of no use; without it Java would leave the loads out
     */
    int load(int[] hashes, int count, int[] found) {
        int[] all = slots;
        int mask = all.length - 1;
        for (int k = 0; k < count; k++) {
            found[k] = all[hashes[k] & mask];       // nothing here waits for the value, so the next load begins
        }
        int sum = 0;
        for (int k = 0; k < count; k++) {
            int slot = found[k];
            boolean isTheirs = slot != 0 && ((slot ^ hashes[k]) & ~mask) == 0 && (slot & mask) != mask;
            found[k] = isTheirs ? (slot & mask) - 1 : KeyedTable.NONE;
            sum += isTheirs ? rows.hash(found[k]) : slot;
        }
        for (int k = 0; k < count && rows.mayHaveLongKeys(); k++) {
            sum += found[k] == KeyedTable.NONE ? 0 : rows.ofLongKey(found[k]);
        }
        return sum;
    }

    /**
     * Before another entry is placed.
     *
     * @param size  entries that are placed
     * @param limit all are below it
     */
    void makeRoom(int size, int limit) {
        if (size == slots.length / 2) {
            placeAll(Math.multiplyExact(2, slots.length), limit);
        } else if (size + vacated >= slots.length / 4 * 3) {
            placeAll(slots.length, limit);
        }
    }

    private void placeAll(int length, int limit) {
        empty(length);
        for (int entry = 0; entry < limit; entry++) {
            if (rows.isLive(entry)) {
                place(rows.hash(entry), entry);
            }
        }
    }

    private void empty(int length) {
        if (length == slots.length) {
            Arrays.fill(slots, 0);
        } else {
            slots = new int[length];
        }
        vacated = 0;
    }

    void place(int hash, int entry) {
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

    /**
     * Places the entries of a snapshot, of which none is removed. Each would wait for its own part of the memory if it came
     * alone; these wait together.
     *
     * @return false if two have the same key
     */
    boolean placeAllOnce(int size, int limit) {
        int length = slots.length;
        while (size > length / 2) {
            length = Math.multiplyExact(2, length);
        }
        empty(length);
        int[] all = slots;
        int mask = length - 1;
        for (int entry = 0; entry < limit; entry++) {
            int hash = rows.hash(entry);
            int k = hash & mask;
            for (; all[k] != 0; k = k + 1 & mask) {
                if (((all[k] ^ hash) & ~mask) == 0 && areEqual((all[k] & mask) - 1, entry)) {
                    return false;
                }
            }
            all[k] = hash & ~mask | entry + 1;
        }
        return true;
    }

    private boolean areEqual(int entry, int other) {
        rows.key(other, keyView);
        return rows.equal(entry, keyView);
    }

    /** Frees the slot if no key can have passed it, and with it those vacated before it; else vacates it. */
    void remove(int hash, int entry) {
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

    void clear() {
        Arrays.fill(slots, 0);
        vacated = 0;
    }

    long bytes() {
        return (long) slots.length * Integer.BYTES;
    }
}
