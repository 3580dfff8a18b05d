package io.despina.state;

import io.despina.packet.Packet;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The rows of a table at one instant, or those of them that have changed since the instant before, read one after the other. A
 * row that is about to change before it is read is copied. Copies are read first, which keeps their number small.
 */
final class FrozenRows implements AutoCloseable {
    private static final int BLOCK_BYTES = 1 << 16;

    private final EntryRows table;
    private final Origin origin;
    /** Whether entries without a row are read too: they are gone. */
    private final boolean changes;
    private final int stride;
    /** Entries that are to be read, and were not copied. */
    private final BitSet left;
    /** Copies of rows, with the number of the entry in place of its hash. */
    private final ArrayDeque<byte[]> copies = new ArrayDeque<>();
    /** The offset of the next copy in the first block. */
    private int first;
    /** The end of the copies in the last block. */
    private int last;
    /** Entries that had no row at the instant, and were given one before they were read: a stack. */
    private int[] gone = {};
    private int goneCount;
    private int next;
    /** The bytes that the table held when it was cleared; these rows do not change after that. */
    private long cleared = -1;
    private int entry;
    /** Null for an entry that is gone. */
    private byte[] row;
    private int at;

    /**
     * The table at the instant.
     *
     * @param keys those that are not in a row
     * @param end  entries are numbered below this
     */
    record Origin(byte[][] chunks, PacketArena.Frozen keys, int end) {
    }

    /** @param wanted entries below the end */
    FrozenRows(EntryRows table, Origin origin, BitSet wanted, boolean changes) {
        this.table = table;
        this.origin = origin;
        this.changes = changes;
        left = wanted;
        stride = table.stride();
    }

    /** Copies the row of an entry that is about to change, if the row has not been read. */
    void keep(int entry) {
        if (cleared >= 0 || entry >= origin.end || !left.get(entry)) {
            return;
        }
        left.clear(entry);
        byte[] chunk = origin.chunks[table.chunkOf(entry)];
        int from = table.at(entry);
        if (EntryRows.isLive(chunk, from)) {
            copy(entry, chunk, from);
        } else if (changes) {
            gone = goneCount == gone.length ? Arrays.copyOf(gone, 2 * goneCount + 1) : gone;
            gone[goneCount++] = entry;
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
        return entry < origin.end && left.get(entry) && EntryRows.isLive(origin.chunks[table.chunkOf(entry)], table.at(entry));
    }

    /** Moves to the next row, or to an entry that is gone. @return false if all are read */
    boolean advance() {
        if (advanceCopies()) {
            return true;
        }
        if (goneCount > 0) {
            entry = gone[--goneCount];
            row = null;
            return true;
        }
        for (entry = left.nextSetBit(next); entry >= 0; entry = left.nextSetBit(next)) {
            next = entry + 1;
            left.clear(entry);
            row = origin.chunks[table.chunkOf(entry)];
            at = table.at(entry);
            if (EntryRows.isLive(row, at)) {
                if (!changes) {
                    EntryRows.leave(row, at);
                }
                return true;
            }
            if (changes) {
                row = null;
                return true;
            }
        }
        if (!changes && cleared < 0) {
            table.left();
        }
        return false;
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

    /** Whether the entry was removed since the instant before. */
    boolean isGone() {
        return row == null;
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
        table.key(row, at, origin.keys, into);
    }

    /** Memory held beyond the table's own, in bytes. */
    long bytes() {
        long copied = copies.isEmpty() ? 0 : (long) copies.size() * copies.peekFirst().length;
        return copied + (long) gone.length * Integer.BYTES + Math.max(0, cleared);
    }

    @Override
    public void close() {
        origin.keys.close();
        table.thaw(this);
    }
}
