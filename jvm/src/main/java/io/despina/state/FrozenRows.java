package io.despina.state;

import io.despina.packet.Packet;
import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * The rows of a table at one instant, one after the other. A row is copied when it is about to change and not read yet; the
 * copies are read first, so that there are few of them.
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
    /** In the first block: where the next copy lies. */
    private int first;
    /** In the last block: where its copies end. */
    private int last;
    private int next;
    /** What the table held when it was cleared; from then on nothing changes here. */
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

    /** Copies the row of an entry that is about to change, if it is still to be read. */
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

    /** The table keeps nothing of what lies here. */
    void cleared(long bytes) {
        cleared = bytes;
    }

    /** Whether an entry had a row, which is still to be read where the table has it. */
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

    /** Where the row lies. */
    byte[] row() {
        return row;
    }

    /** Where its value lies in {@link #row}. */
    int valueAt() {
        return at + table.valueOffset();
    }

    void key(Packet into) {
        table.key(row, at, keys, into);
    }

    /** Memory that it holds besides the table's, in bytes. */
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
