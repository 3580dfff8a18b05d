package io.despina.packet;

import java.util.List;

/**
 * Copies columns of packets in which none of them is NULL. Columns of fixed width that stand side by side in both packets are
 * copied together, so that four numbers cost little more than one. For one thread.
 */
public final class ColumnRuns {
    private static final PacketLayout NONE = new PacketLayout(List.of());

    /** By result column. */
    private final int[] columns;
    /** The layouts that the runs are of: nearly always those of the packets before. */
    private PacketLayout from = NONE;
    private PacketLayout to = NONE;
    /** By run: where it begins in either body, and its bytes. */
    private final int[] source;
    private final int[] target;
    private final int[] length;
    private int count;
    /** Result columns of variable width, in order. */
    private final int[] variable;
    private int variables;
    /** By byte of null bits that has some of the columns: which it is, and their bits. */
    private final int[] nullByte;
    private final int[] nullMask;
    private int nullBytes;

    /** @param columns by result column: the one that is copied */
    public ColumnRuns(int[] columns) {
        this.columns = columns.clone();
        source = new int[columns.length];
        target = new int[columns.length];
        length = new int[columns.length];
        variable = new int[columns.length];
        nullByte = new int[columns.length];
        nullMask = new int[columns.length];
    }

    /**
     * Sets the first columns of the packet begun in {@code out}.
     *
     * @return false if nothing was set, since one of the columns is NULL
     */
    public boolean copy(Packet packet, PacketWriter out) {
        if (packet.layout() != from || out.layout() != to) {
            measure(packet.layout(), out.layout());
        }
        byte[] bytes = packet.bytes();
        int body = packet.bodyStart();
        for (int k = 0; k < nullBytes; k++) {
            if ((bytes[body + nullByte[k]] & nullMask[k]) != 0) {
                return false;
            }
        }
        for (int k = 0; k < count; k++) {
            out.setFixed(target[k], bytes, body + source[k], length[k]);
        }
        for (int k = 0; k < variables; k++) {
            out.setColumn(variable[k], packet, columns[variable[k]]);
        }
        return true;
    }

    private void measure(PacketLayout packet, PacketLayout out) {
        from = packet;
        to = out;
        count = 0;
        variables = 0;
        nullBytes = 0;
        for (int k = 0; k < columns.length; k++) {
            addNull(packet.nullBit[columns[k]]);
            if (out.variable[k]) {
                variable[variables++] = k;
            } else {
                add(packet.offset[columns[k]], out.offset[k], out.width[k]);
            }
        }
    }

    private void addNull(int bit) {
        if (bit == PacketLayout.NOT_NULL) {
            return;
        }
        int k = 0;
        while (k < nullBytes && nullByte[k] != bit >> 3) {
            k++;
        }
        nullByte[k] = bit >> 3;
        nullMask[k] = (k < nullBytes ? nullMask[k] : 0) | 1 << (bit & 7);
        nullBytes = Math.max(nullBytes, k + 1);
    }

    private void add(int at, int there, int width) {
        int last = count - 1;
        if (last >= 0 && source[last] + length[last] == at && target[last] + length[last] == there) {
            length[last] += width;
            return;
        }
        source[count] = at;
        target[count] = there;
        length[count++] = width;
    }
}
