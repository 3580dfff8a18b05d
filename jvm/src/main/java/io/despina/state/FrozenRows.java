package io.despina.state;

import io.despina.packet.Packet;
import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * The rows of a table at one instant, read one after the other. A row that is about to change before it is read is copied. Copies
 * are read first, which keeps their number small.
 */
final class FrozenRows implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 16;

    private final EntryRows table;
    private final byte[][] chunks;
    private final PacketArena.Frozen keys;
    private final int end;
    private final int stride;
    /** Entries from {@link #next} on that were copied, or had no row at the instant. */
    private final BitSet done = new BitSet();
    /** Copies of rows, with the number of the entry in place of its hash. */
    private final ArrayDeque<byte[]> copies = new ArrayDeque<>();
    /** The offset of the next copy in the first block. */
    private int first;
    /** The end of the copies in the last block. */
    private int last;
    private int next;
    /** The bytes that the table held when it was cleared; these rows do not change after that. */
    private long cleared = -1;
    private int entry;
    private byte[] row;
    private int at;

    /** @param end entries are numbered below this */
    FrozenRows(EntryRows table, byte[][] chunks, PacketArena.Frozen keys, int end) {
        this.table = table;
        this.chunks = chunks;
        this.keys = keys;
        this.end = end;
        stride = table.stride();
    }

    /** Copies the row of an entry that is about to change, if the row has not been read. */
    void keep(int entry) {
        if (cleared >= 0 || entry < next || entry >= end || done.get(entry)) {
            return;
        }
        done.set(entry);
        byte[] chunk = chunks[table.chunkOf(entry)];
        int from = table.at(entry);
        if (EntryRows.isLive(chunk, from)) {
            copy(entry, chunk, from);
        }
    }

    private void copy(int entry, byte[] chunk, int from) {
        byte[] block = copies.peekLast();
        if (block == null || last == block.length) {
            block = new byte[Math.max(1, BLOCK_BYTES / stride) * stride];
            copies.add(block);
            last = 0;
        }
        System.arraycopy(chunk, from, block, last, stride);
        EntryRows.number(block, last, entry);
        last += stride;
    }

    /** The table was cleared and no longer uses these rows. */
    void cleared(long bytes) {
        cleared = bytes;
    }

    /** Whether an entry had a row, which has not been read and was not copied. */
    boolean has(int entry) {
        return entry >= next && entry < end && !done.get(entry)
                && EntryRows.isLive(chunks[table.chunkOf(entry)], table.at(entry));
    }

    /** Moves to the next row. @return false if all are read */
    boolean advance() {
        if (advanceCopies()) {
            return true;
        }
        while (true) {
            entry = done.nextClearBit(next);
            if (entry >= end) {
                next = end;
                return false;
            }
            next = entry + 1;
            row = chunks[table.chunkOf(entry)];
            at = table.at(entry);
            if (EntryRows.isLive(row, at)) {
                return true;
            }
        }
    }

    private boolean advanceCopies() {
        byte[] block = copies.peekFirst();
        if (block != null && first == block.length) {
            copies.removeFirst();
            first = 0;
            block = copies.peekFirst();
        }
        if (block == null || copies.size() == 1 && first == last) {
            return false;
        }
        row = block;
        at = first;
        entry = EntryRows.number(block, at);
        first += stride;
        return true;
    }

    int entry() {
        return entry;
    }

    /** The bytes that contain the row. */
    byte[] row() {
        return row;
    }

    /** The offset of its value in {@link #row}. */
    int valueAt() {
        return at + table.valueOffset();
    }

    void key(Packet into) {
        table.key(row, at, keys, into);
    }

    /** Memory held beyond the table's own, in bytes. */
    long bytes() {
        long copied = copies.isEmpty() ? 0 : (long) copies.size() * copies.peekFirst().length;
        return copied + done.size() / Byte.SIZE + Math.max(0, cleared);
    }

    @Override
    public void close() {
        keys.close();
        table.thaw(this);
    }
}
