package io.despina.operator.record;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.Type;
import java.util.Arrays;

/** Which rows of several are the last with their key. Two keys are the same if their bytes are. */
public final class NewestRows {
    private static final int FREE = -1;
    private static final int LEAST = 1 << 6;
    private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

    /** Rows by their number. */
    public interface Numbered {
        /** A row, perhaps in a view that the next call moves. */
        Packet row(int k);
    }

    private final int[] keys;
    /** By the hash of a key: the number of a row from 0, which is its newest so far. */
    private int[] table = new int[LEAST];
    private boolean[] newest = new boolean[LEAST];
    /** The key that is looked for, as bytes. */
    private byte[] key = new byte[LEAST];
    private byte[] other = new byte[LEAST];

    /** @param keys ordinals of the packet's columns */
    public NewestRows(int[] keys) {
        this.keys = keys;
    }

    public boolean isNewest(int row) {
        return newest[row];
    }

    /** Looks at rows {@code from} to {@code to}, without the last. */
    public void find(Numbered rows, int from, int to) {
        int slots = Math.max(LEAST, Integer.highestOneBit(Math.max(1, 2 * (to - from) - 1)) << 1);
        if (table.length < slots) {
            table = new int[slots];
            newest = new boolean[slots];
        }
        Arrays.fill(table, FREE);
        for (int row = 0; row < to - from; row++) {
            key = room(key, rows.row(from + row));
            int length = copy(rows.row(from + row), key);
            int slot = slot(hash(length));
            while (table[slot] != FREE && !isKeyOf(rows, from + table[slot], length)) {
                slot = slot + 1 & table.length - 1;
            }
            if (table[slot] != FREE) {
                newest[table[slot]] = false;
            }
            table[slot] = row;
            newest[row] = true;
        }
    }

    private int slot(long hash) {
        return (int) (hash >>> Integer.SIZE) & table.length - 1;
    }

    private long hash(int length) {
        long hash = length;
        for (int k = 0; k < length; k++) {
            hash = (hash ^ key[k]) * PRIME;
        }
        return hash;
    }

    private boolean isKeyOf(Numbered rows, int row, int length) {
        Packet packet = rows.row(row);
        other = room(other, packet);
        return copy(packet, other) == length && Bytes.equal(other, 0, key, 0, length);
    }

    private byte[] room(byte[] bytes, Packet packet) {
        int most = packet.size() + keys.length * Integer.BYTES;
        return bytes.length >= most ? bytes : new byte[2 * most];
    }

    /** Of a packet whose keys are not NULL. */
    private int copy(Packet packet, byte[] to) {
        PacketLayout layout = packet.layout();
        int length = 0;
        for (int column : keys) {
            Type type = layout.type(column);
            int from = type.width() == Type.VARIABLE ? packet.valueStart(column) : packet.fixedStart(column);
            int size = type.width() == Type.VARIABLE ? packet.valueEnd() - from : type.width();
            Bytes.putInt(to, length, size);
            length += Integer.BYTES;
            System.arraycopy(packet.bytes(), from, to, length, size);
            length += size;
        }
        return length;
    }
}
