package io.despina.operator.lookup;

import java.util.Arrays;

/**
 * The names of places in compact memory. Folded names, the keys, are in a table of hashes; each has a list of the places that are
 * called so, with the name as it is written.
 */
final class PlaceNames {
    private static final int FIRST = 1 << 10;
    private static final int NONE = -1;
    private static final int BYTE = 8;
    private static final int LOW = 0xff;

    private byte[] written = new byte[FIRST];
    private int writtenEnd;
    private char[] folded = new char[FIRST];
    /** Of each key where it begins in {@link #folded}; of one more where the last one ends. */
    private int[] keyStarts = new int[FIRST];
    private int[] keyHashes = new int[FIRST];
    private int[] keyHeads = new int[FIRST];
    private int keys;
    private int[] table = empty(2 * FIRST);
    private int[] nexts = new int[FIRST];
    private int[] places = new int[FIRST];
    private int[] names = new int[FIRST];
    private int count;

    private static int[] empty(int size) {
        int[] slots = new int[size];
        Arrays.fill(slots, NONE);
        return slots;
    }

    /** Keeps a name as it is written. @return where */
    int write(byte[] bytes, int from, int length) {
        int end = Math.addExact(writtenEnd, length + 2);
        if (end > written.length) {
            written = Arrays.copyOf(written, (int) Math.min(Integer.MAX_VALUE - BYTE, Math.max(end, 2L * writtenEnd)));
        }
        int at = writtenEnd;
        written[at] = (byte) (length >> BYTE);
        written[at + 1] = (byte) length;
        System.arraycopy(bytes, from, written, at + 2, length);
        writtenEnd = end;
        return at;
    }

    /** Calls the place added last, or a new one, by a name; once, if it is called so twice. */
    void add(int place, FoldedName name, byte[] bytes, int from, int length) {
        int key = find(name);
        if (key == NONE) {
            key = addKey(name);
        }
        for (int entry = keyHeads[key]; entry != NONE && places[entry] == place; entry = nexts[entry]) {
            if (isWritten(entry, bytes, from, length)) {
                return;
            }
        }
        if (count == nexts.length) {
            nexts = Arrays.copyOf(nexts, 2 * count);
            places = Arrays.copyOf(places, 2 * count);
            names = Arrays.copyOf(names, 2 * count);
        }
        nexts[count] = keyHeads[key];
        places[count] = place;
        names[count] = write(bytes, from, length);
        keyHeads[key] = count++;
    }

    private int addKey(FoldedName name) {
        if (keys + 1 == keyStarts.length) {
            keyStarts = Arrays.copyOf(keyStarts, 2 * keyStarts.length);
            keyHashes = Arrays.copyOf(keyHashes, keyStarts.length);
            keyHeads = Arrays.copyOf(keyHeads, keyStarts.length);
            table = empty(2 * keyStarts.length);
            for (int key = 0; key < keys; key++) {
                table[slot(keyHashes[key])] = key;
            }
        }
        int start = keyStarts[keys];
        int end = Math.addExact(start, name.length());
        if (end > folded.length) {
            folded = Arrays.copyOf(folded, (int) Math.min(Integer.MAX_VALUE - BYTE, Math.max(end, 2L * folded.length)));
        }
        System.arraycopy(name.chars(), 0, folded, start, name.length());
        keyStarts[keys + 1] = end;
        keyHashes[keys] = name.hash();
        keyHeads[keys] = NONE;
        table[slot(name.hash())] = keys;
        return keys++;
    }

    /** The first empty slot of a hash. */
    private int slot(int hash) {
        int mask = table.length - 1;
        int slot = (hash ^ hash >>> 2 * BYTE) & mask;
        while (table[slot] != NONE) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    /** The key that is this name; negative if there is none. */
    int find(FoldedName name) {
        int mask = table.length - 1;
        for (int slot = (name.hash() ^ name.hash() >>> 2 * BYTE) & mask; table[slot] != NONE; slot = slot + 1 & mask) {
            int key = table[slot];
            if (keyHashes[key] == name.hash() && Arrays.equals(folded, keyStarts[key], keyStarts[key + 1], name.chars(), 0,
                    name.length())) {
                return key;
            }
        }
        return NONE;
    }

    int keys() {
        return keys;
    }

    int keyStart(int key) {
        return keyStarts[key];
    }

    int keyLength(int key) {
        return keyStarts[key + 1] - keyStarts[key];
    }

    /** Where the keys' letters are. */
    char[] letters() {
        return folded;
    }

    /** The first of a key's entries; negative if there is none. */
    int first(int key) {
        return keyHeads[key];
    }

    int next(int entry) {
        return nexts[entry];
    }

    int place(int entry) {
        return places[entry];
    }

    /** Whether an entry's name is these bytes, case and accents included. */
    boolean isWritten(int entry, byte[] bytes, int from, int length) {
        int at = names[entry];
        return length(at) == length && Arrays.equals(written, at + 2, at + 2 + length, bytes, from, from + length);
    }

    /** The bytes of the name that {@link #write} kept at {@code at} begin at {@code at + 2}. */
    byte[] text() {
        return written;
    }

    int length(int at) {
        return (written[at] & LOW) << BYTE | written[at + 1] & LOW;
    }

    /** Memory held. */
    long bytes() {
        return written.length + 2L * folded.length + 4L * (3L * keyStarts.length + table.length + 3L * nexts.length);
    }
}
