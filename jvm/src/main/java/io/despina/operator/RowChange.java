package io.despina.operator;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import java.nio.charset.StandardCharsets;

/** What a packet of a changelog does to the row of its key: its column {@code op} says so. */
public final class RowChange {
    /** The name of the column. */
    public static final String COLUMN = "op";
    /** In place of its ordinal: each packet is the row of its key. */
    public static final int NONE = -1;
    private static final byte[] INSERT = "insert".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] UPDATE = "update".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DELETE = "delete".getBytes(StandardCharsets.US_ASCII);

    private RowChange() {
    }

    /**
     * Whether the packet removes the row, rather than puts it there.
     *
     * @param op ordinal of the column, or {@link #NONE}
     * @throws IllegalArgumentException if it says neither
     */
    public static boolean deletes(Packet packet, int op) {
        if (op == NONE) {
            return false;
        }
        if (!packet.isNull(op)) {
            int from = packet.valueStart(op);
            int length = packet.valueEnd() - from;
            if (is(DELETE, packet, from, length)) {
                return true;
            }
            if (is(INSERT, packet, from, length) || is(UPDATE, packet, from, length)) {
                return false;
            }
        }
        String found = packet.isNull(op) ? "NULL"
                : "`" + new String(packet.copyOfValue(op), StandardCharsets.UTF_8) + "`";
        throw new IllegalArgumentException("`op` is " + found + ", not insert, update or delete");
    }

    private static boolean is(byte[] word, Packet packet, int from, int length) {
        return length == word.length && Bytes.equal(packet.bytes(), from, word, 0, length);
    }
}
