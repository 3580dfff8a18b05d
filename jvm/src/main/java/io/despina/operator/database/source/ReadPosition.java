package io.despina.operator.database.source;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far rows have been read that come in the order of a column: the last value, and digests of the rows that have it. Rows
 * with this value that come later are told from those by their digests.
 */
final class ReadPosition {
    private static final String VALUE = "value";
    private static final String ROWS = "rows";
    private static final int MOST = 1 << 20;
    private static final int HEX = 16;
    private static final long FIRST = 0x9E37_79B9_7F4A_7C15L;
    private static final long SECOND = 0xC2B2_AE3D_27D4_EB4FL;

    private final int column;
    private final int width;
    private boolean begun;
    private long value;
    /** Two numbers for each row. */
    private long[] digests = new long[HEX];
    private int count;

    /** @param column of fixed width: a whole number, a decimal or a time */
    ReadPosition(PacketLayout layout, int column) {
        this.column = column;
        width = layout.type(column).width();
    }

    /** Whether a row has been read. */
    boolean hasBegun() {
        return begun;
    }

    long value() {
        return value;
    }

    long valueOf(Packet row) {
        return width == 1 ? row.getByte(column) : width == Short.BYTES ? row.getShort(column)
                : width == Integer.BYTES ? row.getInt(column) : row.getLong(column);
    }

    /** The row has been read. */
    void add(Packet row) {
        long next = valueOf(row);
        if (!begun || next != value) {
            begun = true;
            value = next;
            count = 0;
        }
        if (2 * count == digests.length) {
            if (count == MOST) {
                throw new IllegalStateException("more than " + MOST + " rows have one value of `column`: name one that tells "
                        + "more of them apart");
            }
            digests = Arrays.copyOf(digests, 4 * count);
        }
        digests[2 * count] = digest(row, FIRST);
        digests[2 * count + 1] = digest(row, SECOND);
        count++;
    }

    private static long digest(Packet row, long prime) {
        byte[] bytes = row.bytes();
        int at = row.bodyStart();
        int end = row.end();
        long hash = (end - at) * prime;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = mixed((hash ^ Bytes.getLong(bytes, at)) * prime);
        }
        if (at < end) {
            hash = mixed((hash ^ Bytes.getUpTo7(bytes, at, end - at)) * prime);
        }
        return mixed(hash * prime);
    }

    private static long mixed(long hash) {
        return hash ^ hash >>> 29;
    }

    /** Of a row. */
    record Digest(long first, long second) {
        static Digest of(Packet row) {
            return new Digest(digest(row, FIRST), digest(row, SECOND));
        }
    }

    /** How many rows with the last value have each digest. */
    Map<Digest, Integer> rows() {
        Map<Digest, Integer> rows = new HashMap<>();
        for (int k = 0; k < count; k++) {
            rows.merge(new Digest(digests[2 * k], digests[2 * k + 1]), 1, Integer::sum);
        }
        return rows;
    }

    Map<String, String> texts() {
        if (!begun) {
            return Map.of();
        }
        Map<String, String> texts = new LinkedHashMap<>();
        StringBuilder rows = new StringBuilder();
        for (int k = 0; k < 2 * count; k++) {
            rows.append(String.format("%016x", digests[k]));
        }
        texts.put(VALUE, Long.toString(value));
        texts.put(ROWS, rows.toString());
        return texts;
    }

    void restore(Map<String, String> texts) {
        if (!texts.containsKey(VALUE)) {
            return;
        }
        begun = true;
        value = Long.parseLong(texts.get(VALUE));
        String rows = texts.get(ROWS);
        count = rows.length() / (2 * HEX);
        digests = new long[Math.max(HEX, 2 * count)];
        for (int k = 0; k < 2 * count; k++) {
            digests[k] = Long.parseUnsignedLong(rows.substring(k * HEX, (k + 1) * HEX), HEX);
        }
    }
}
