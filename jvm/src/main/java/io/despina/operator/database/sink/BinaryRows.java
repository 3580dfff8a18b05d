package io.despina.operator.database.sink;

import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;

/**
 * Rows as PostgreSQL's COPY takes them in binary, numbers with the highest byte first:
 * <pre>
 * "PGCOPY\\n\\377\\r\\n\\0" | int flags = 0 | int extension = 0
 * of each row:   short columns | of each: int length, -1 for NULL | value
 * short -1
 * </pre>
 */
final class BinaryRows {
    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0};
    /** When it is to be sent. */
    private static final int FULL = 1 << 16;
    private static final int NULL = -1;
    /** Bytes of a value at most, where it is of fixed width. */
    private static final int FIXED = 32;

    private final int[] ordinals;
    private final BinaryValue[] values;
    private byte[] bytes = new byte[2 * FULL];
    private int length;

    private BinaryRows(int[] ordinals, BinaryValue[] values) {
        this.ordinals = ordinals;
        this.values = values;
    }

    /** @return null if one of the columns has a type whose bytes are not known here */
    static BinaryRows of(TargetTable table, List<Type> types, ZoneId zone) {
        List<TargetTable.Target> columns = table.columns();
        BinaryValue[] values = new BinaryValue[columns.size()];
        for (int k = 0; k < values.length; k++) {
            values[k] = BinaryValue.of(types.get(k), columns.get(k), zone);
            if (values[k] == null) {
                return null;
            }
        }
        return new BinaryRows(columns.stream().mapToInt(TargetTable.Target::ordinal).toArray(), values);
    }

    void begin() {
        length = 0;
        System.arraycopy(SIGNATURE, 0, bytes, 0, SIGNATURE.length);
        Arrays.fill(bytes, SIGNATURE.length, SIGNATURE.length + 2 * Integer.BYTES, (byte) 0);
        length = SIGNATURE.length + 2 * Integer.BYTES;
    }

    /**
     * Adds a row.
     *
     * @return whether what there is should be sent
     * @throws IllegalArgumentException if a value does not fit its column
     */
    boolean add(Packet row) {
        int most = Short.BYTES + ordinals.length * (Integer.BYTES + FIXED) + BinaryValue.NUMERIC_FACTOR * row.size();
        if (length + most > bytes.length) {
            bytes = Arrays.copyOf(bytes, length + 2 * most);
        }
        int at = length;
        PostgresBytes.putShort(bytes, at, ordinals.length);
        at += Short.BYTES;
        for (int k = 0; k < ordinals.length; k++) {
            int size = row.isNull(ordinals[k]) ? NULL : values[k].put(row, ordinals[k], bytes, at + Integer.BYTES);
            PostgresBytes.putInt(bytes, at, size);
            at += Integer.BYTES + Math.max(0, size);
        }
        length = at;
        return length >= FULL;
    }

    /** No row follows. */
    void end() {
        if (length + Short.BYTES > bytes.length) {
            bytes = Arrays.copyOf(bytes, length + Short.BYTES);
        }
        PostgresBytes.putShort(bytes, length, NULL);
        length += Short.BYTES;
    }

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
    }
}
