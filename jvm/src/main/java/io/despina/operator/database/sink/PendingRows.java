package io.despina.operator.database.sink;

import io.despina.operator.record.NewestRows;
import io.despina.packet.Packet;
import io.despina.packet.PacketBlock;
import io.despina.packet.PacketLayout;
import java.util.Arrays;

/** Copies of rows that are not written yet, by their number from 0. */
final class PendingRows implements NewestRows.Numbered {
    private static final int FIRST_ROWS = 1 << 10;

    private final PacketBlock block;
    private final Packet view;
    private int[] starts = new int[FIRST_ROWS];
    /** By row: which of its epoch it is. */
    private long[] numbers = new long[FIRST_ROWS];
    private int count;

    /** @param bytes with which it is full */
    PendingRows(PacketLayout layout, int bytes) {
        block = new PacketBlock(0, bytes);
        view = new Packet(layout);
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
        return block.add(packet);
    }

    int count() {
        return count;
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
