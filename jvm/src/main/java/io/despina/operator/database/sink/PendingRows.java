package io.despina.operator.database.sink;

import io.despina.operator.record.NewestRows;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketLayout;
import java.util.Arrays;
import java.util.List;

/** Copies of rows that are not written yet, by their number from 0: all of them, or the last of each key. */
final class PendingRows implements NewestRows.Numbered {
    private static final int FIRST_ROWS = 1 << 10;
    private static final int BYTES = 1 << 20;
    /**
     * Where the last row of a key is all that an epoch leaves: a database that is told each one keeps as many versions of the
     * row until the transaction ends, and looks at all of them for the next. So as many as memory allows are never told.
     */
    private static final int NEWEST_BYTES = 1 << 23;

    private final PacketBlock block;
    private final Packet view;
    private final int mostBytes;
    private final int mostRows;
    /** Null to keep all rows. */
    private final NewestRows newest;
    private int[] starts = new int[FIRST_ROWS];
    /** By row: which of its epoch it is. */
    private long[] numbers = new long[FIRST_ROWS];
    private int count;

    private PendingRows(PacketLayout layout, int mostBytes, int mostRows, NewestRows newest) {
        this.mostBytes = mostBytes;
        this.mostRows = mostRows;
        this.newest = newest;
        block = new PacketBlock(0, mostBytes);
        view = new Packet(layout);
    }

    /** @param mostRows with which it is full, if it is not before */
    static PendingRows all(PacketLayout layout, int mostRows) {
        return new PendingRows(layout, BYTES, mostRows, null);
    }

    /** @param keys ordinals of the columns that say which row it is; none is NULL */
    static PendingRows newest(PacketLayout layout, List<Integer> keys) {
        return new PendingRows(layout, NEWEST_BYTES, Integer.MAX_VALUE,
                new NewestRows(keys.stream().mapToInt(Integer::intValue).toArray()));
    }

    /** Of rows, with which it is full. */
    int mostBytes() {
        return mostBytes;
    }

    /** @return whether it is full */
    boolean add(Packet packet, long number) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            numbers = Arrays.copyOf(numbers, 2 * count);
        }
        starts[count] = block.length();
        numbers[count] = number;
        count++;
        return block.add(packet) || count >= mostRows;
    }

    int count() {
        return count;
    }

    /**
     * Drops all rows but the last of each key, where no other is wanted.
     *
     * @return whether a quarter of the room is free now, so that it was worth it
     */
    boolean makesRoom() {
        if (newest == null) {
            return false;
        }
        newest.find(this, 0, count);
        byte[] bytes = block.bytes();
        int kept = 0;
        int end = 0;
        for (int k = 0; k < count; k++) {
            if (newest.isNewest(k)) {
                int size = row(k).size();
                System.arraycopy(bytes, starts[k], bytes, end, size);
                starts[kept] = end;
                numbers[kept] = numbers[k];
                kept++;
                end += size;
            }
        }
        count = kept;
        block.cut(end, kept);
        return end < mostBytes / 4 * 3;
    }

    @Override
    public Packet row(int k) {
        view.wrap(block.bytes(), starts[k], block.length());
        return view;
    }

    long number(int k) {
        return numbers[k];
    }

    void clear() {
        count = 0;
        block.clear();
    }
}
