package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The rows of a keyed table's entries, by number: the key and, if it has a fixed width, the value beside it, so that a look-up
 * and an update touch one place in memory. Chunks hold the rows and do not move when others are added.
 *
 * <pre>
 * row  = hash (4) · live (1) · round of its last change (1) · the key's length as a varint, ending here (8) · key · value
 * key  = its body, padded to 8 bytes; with columns of variable width 16 bytes: the whole packet if it is as short,
 *        else its first 8 bytes and its place in the arena (8)
 * </pre>
 *
 * A round begins with each snapshot. At the first change of a row in a round, the row is noted as changed, and copied if a
 * snapshot has yet to read it; its other changes meet the number of the round in the row itself, and cost nothing more.
 */
final class EntryRows {
    private static final int HEAD = 8;
    private static final int LIVE = 4;
    private static final int ROUND = 5;
    /** The number of another round. */
    private static final byte LONG_AGO = 0;
    /** Rounds have numbers from 1 to this. Before one is used again, the rows of that round must be {@link #LONG_AGO}. */
    private static final int ROUNDS = 255;
    private static final int CHUNK_BYTES = 1 << 16;
    private static final int FIRST = 16;
    /**
     * Bytes in a row for a key of variable width. A packet that fits has a one-byte length below this number; the first byte of a
     * longer packet is not below it.
     */
    private static final int SHORT = 16;
    /** The length of a longer key does not fit into the head. */
    private static final int LONGEST_KEY = 1 << 14;
    private static final long FACTOR = 0xD6E8FEB86659FD93L;
    private static final long ANOTHER = 0x9E3779B97F4A7C15L;
    private static final boolean CHECKS = Boolean.getBoolean("despina.checks");

    /** Bytes of a key's body if all keys have the same number; else -1. */
    private final int keyBytes;
    private final int varint;
    private final int valueAt;
    private final int stride;
    private final int shift;
    private final PacketArena arena = new PacketArena();
    private byte[][] chunks = new byte[1][];
    private long bytes;
    /** Rows that a snapshot has yet to write; or null. */
    private FrozenRows frozen;
    private byte round = LONG_AGO;
    /** Rounds since all rows of other rounds were made {@link #LONG_AGO}. */
    private int rounds;
    /** Entries that were added, changed or removed in this round; null before the first snapshot. */
    private BitSet changed;

    /** @param valueBytes of the value, padded to 8 bytes; 0 if values are stored elsewhere */
    EntryRows(PacketLayout key, int valueBytes) {
        keyBytes = key.isFixed() && key.fixedBytes() < LONGEST_KEY ? key.fixedBytes() : -1;
        varint = keyBytes < 0 ? 0 : Bytes.varintBytes(keyBytes);
        valueAt = HEAD + (keyBytes < 0 ? SHORT : padded(keyBytes));
        stride = valueAt + padded(valueBytes);
        shift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, CHUNK_BYTES / stride));
    }

    private static int padded(int length) {
        return length + Long.BYTES - 1 & -Long.BYTES;
    }

    /**
     * Whether {@code key} is a valid key of this table; a damaged snapshot may hold others. A length written in more bytes than
     * needed would make equal keys differ, and a short key look long.
     */
    boolean fits(Packet key) {
        int length = key.end() - key.bodyStart();
        return keyBytes < 0 ? key.size() - length == Bytes.varintBytes(length) : length == keyBytes;
    }

    /** The chunk of an entry's row, for reading. */
    byte[] chunk(int entry) {
        return chunks[entry >> shift];
    }

    /** The chunk of an entry's row, for writing. A snapshot that has yet to write the row gets a copy first. */
    byte[] own(int entry) {
        byte[] chunk = chunks[entry >> shift];
        if (chunk[at(entry) + ROUND] != round) {
            touch(entry);
        }
        return chunk;
    }

    /** Whether an entry was not changed in this round. */
    boolean isUntouched(int entry) {
        return chunk(entry)[at(entry) + ROUND] != round;
    }

    /** An entry is about to change, for the first time in this round. */
    void touch(int entry) {
        if (frozen != null) {
            frozen.keep(entry);
        }
        if (changed != null) {
            changed.set(entry);
        }
        chunk(entry)[at(entry) + ROUND] = round;
    }

    /** A row was read in a round in which it has not changed. */
    static void leave(byte[] chunk, int row) {
        chunk[row + ROUND] = LONG_AGO;
    }

    /** All rows were read that have not changed in this round. */
    void left() {
        rounds = 0;
    }

    int chunkOf(int entry) {
        return entry >> shift;
    }

    int at(int entry) {
        return (entry & (1 << shift) - 1) * stride;
    }

    /** The offset of its value in {@link #chunk}. */
    int valueAt(int entry) {
        return at(entry) + valueAt;
    }

    /** The offset of a value in its row. */
    int valueOffset() {
        return valueAt;
    }

    /** Bytes of a row. */
    int stride() {
        return stride;
    }

    /** Writes a row, over that of a removed entry or after the last one. */
    void put(int entry, int hash, Packet key) {
        makeRoom(entry);
        byte[] chunk = chunk(entry);
        int at = at(entry);
        if (changed != null) {
            touch(entry);
        }
        Bytes.putInt(chunk, at, hash);
        Bytes.putInt(chunk, at + LIVE, 1);
        chunk[at + ROUND] = round;
        if (keyBytes < 0 && key.size() <= SHORT) {
            System.arraycopy(key.bytes(), key.start(), chunk, at + HEAD, key.size());
        } else if (keyBytes < 0) {
            Bytes.putLong(chunk, at + HEAD, Bytes.getLong(key.bytes(), key.start()));
            Bytes.putLong(chunk, at + HEAD + Long.BYTES, arena.add(key));
        } else {
            System.arraycopy(key.bytes(), key.bodyStart(), chunk, at + HEAD, keyBytes);
            Bytes.putVarint(chunk, at + HEAD - varint, keyBytes);
        }
    }

    private void makeRoom(int entry) {
        int k = entry >> shift;
        if (k == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * k);
        }
        byte[] chunk = chunks[k];
        int needed = at(entry) + stride;
        if (chunk == null || chunk.length < needed) {
            int full = stride << shift;
            int now = chunk == null ? 0 : chunk.length;
            int length = k > 0 ? full : Math.min(full, Math.max(FIRST * stride, 2 * now));
            chunks[k] = chunk == null ? new byte[length] : Arrays.copyOf(chunk, length);
            bytes += length - now;
        }
    }

    /** Whether the key of an entry has exactly the bytes of {@code key}. */
    boolean equal(int entry, Packet key) {
        byte[] chunk = chunk(entry);
        int at = at(entry) + HEAD;
        if (keyBytes >= 0) {
            return Bytes.equal(chunk, at, key.bytes(), key.bodyStart(), keyBytes);
        }
        int length = key.end() - key.bodyStart();
        return length < SHORT ? chunk[at] == length && Bytes.equal(chunk, at + 1, key.bytes(), key.bodyStart(), length)
                : Bytes.getLong(chunk, at) == Bytes.getLong(key.bytes(), key.start())
                        && arena.equal(Bytes.getLong(chunk, at + Long.BYTES), key);
    }

    /** Whether there may be keys that lie in the arena. */
    boolean mayHaveLongKeys() {
        return keyBytes < 0;
    }

    /** Some byte of an entry's key if it lies in the arena, else of its row. */
    int ofLongKey(int entry) {
        byte[] chunk = chunk(entry);
        int at = at(entry) + HEAD;
        return isShort(chunk, at) ? chunk[at] : arena.first(Bytes.getLong(chunk, at + Long.BYTES));
    }

    private static boolean isShort(byte[] chunk, int key) {
        return (chunk[key] & 0xFF) < SHORT;
    }

    boolean isLive(int entry) {
        return isLive(chunk(entry), at(entry));
    }

    static boolean isLive(byte[] chunk, int row) {
        return chunk[row + LIVE] != 0;
    }

    int hash(int entry) {
        return Bytes.getInt(chunk(entry), at(entry));
    }

    /** The entry number stored in a copied row, which does not need the hash. */
    static int number(byte[] copies, int row) {
        return Bytes.getInt(copies, row);
    }

    static void number(byte[] copies, int row, int entry) {
        Bytes.putInt(copies, row, entry);
    }

    /** Moves {@code into} to the key of an entry. */
    void key(int entry, Packet into) {
        byte[] chunk = chunk(entry);
        int at = at(entry) + HEAD;
        if (isInRow(chunk, at)) {
            keyInRow(chunk, at, into);
        } else {
            arena.view(Bytes.getLong(chunk, at + Long.BYTES), into);
        }
    }

    /** The same for a frozen row, whose long keys are in {@code keys}. */
    void key(byte[] chunk, int row, PacketArena.Frozen keys, Packet into) {
        if (isInRow(chunk, row + HEAD)) {
            keyInRow(chunk, row + HEAD, into);
        } else {
            keys.view(Bytes.getLong(chunk, row + HEAD + Long.BYTES), into);
        }
    }

    private boolean isInRow(byte[] chunk, int key) {
        return keyBytes >= 0 || isShort(chunk, key);
    }

    private void keyInRow(byte[] chunk, int at, Packet into) {
        if (keyBytes >= 0) {
            into.wrap(chunk, at - varint, at + keyBytes);
        } else {
            into.wrap(chunk, at, at + SHORT);
        }
    }

    /** Removes an entry; its row may be reused. */
    void free(int entry) {
        byte[] chunk = own(entry);
        int at = at(entry);
        if (keyBytes < 0 && !isShort(chunk, at + HEAD)) {
            arena.free(Bytes.getLong(chunk, at + HEAD + Long.BYTES));
        }
        if (CHECKS) {
            Arrays.fill(chunk, at, at + stride, (byte) 0xdb);
            chunk[at + ROUND] = round;
        }
        chunk[at + LIVE] = 0;
    }

    /** Removes all entries. Keeps the memory, unless a snapshot has yet to write it. */
    void clear() {
        arena.clear();
        changed = null;
        round = LONG_AGO;
        rounds = 0;
        if (frozen != null) {
            frozen.cleared(bytes);
            chunks = new byte[1][];
            bytes = 0;
        } else if (CHECKS) {
            for (byte[] chunk : chunks) {
                if (chunk != null) {
                    Arrays.fill(chunk, (byte) 0xdb);
                }
            }
        }
    }

    /** Memory held, in bytes; without the bit or two that tell for each row whether it has changed. */
    long bytes() {
        return arena.bytes() + bytes + (long) chunks.length * Long.BYTES + (frozen == null ? 0 : frozen.bytes());
    }

    /** Whether it is known what has changed since the rows were last frozen. */
    boolean knowsChanges() {
        return changed != null;
    }

    /**
     * The rows as they are now.
     *
     * @param end     entries are numbered below this
     * @param changes whether only of those that have changed since the rows were last frozen
     */
    FrozenRows freeze(int end, boolean changes) {
        BitSet wanted = changes ? changed : new BitSet(end);
        if (!changes) {
            wanted.set(0, end);
        }
        changed = new BitSet();
        if (++rounds == ROUNDS - 1) {
            leaveAll();
        }
        round = (byte) (Byte.toUnsignedInt(round) % ROUNDS + 1);
        frozen = new FrozenRows(this, new FrozenRows.Origin(chunks, arena.freeze(), end), wanted, changes);
        return frozen;
    }

    /** After so many rounds without a snapshot of all rows. */
    private void leaveAll() {
        for (byte[] chunk : chunks) {
            for (int row = 0; chunk != null && row + stride <= chunk.length; row += stride) {
                leave(chunk, row);
            }
        }
        rounds = 0;
    }

    /** A snapshot has read its rows, or no longer needs them. */
    void thaw(FrozenRows which) {
        if (frozen == which) {
            frozen = null;
        }
    }

    /** The hash of a key. */
    static int hash(Packet key) {
        return (int) (mixed(wideHash(key)) >>> Integer.SIZE);
    }

    /** A number that two keys share by chance only, once in 2^64; its bits are not mixed yet. */
    static long wideHash(Packet key) {
        byte[] bytes = key.bytes();
        int k = key.bodyStart();
        int last = key.end() - Long.BYTES;
        long h = key.end() - k;
        if (last < k) {
            return h + Bytes.getUpTo7(bytes, k, key.end() - k) * FACTOR;
        }
        for (; k < last - Long.BYTES; k += Long.BYTES) {
            h = (h ^ Bytes.getLong(bytes, k)) * FACTOR;
            h ^= h >>> 32;
        }
        return (h ^ Bytes.getLong(bytes, k)) * FACTOR + Bytes.getLong(bytes, last) * ANOTHER;
    }

    private static long mixed(long h) {
        return (h ^ h >>> 32) * FACTOR;
    }
}
