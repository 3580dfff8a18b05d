package io.despina.operator.record.value;

import io.despina.packet.Column;
import io.despina.packet.NestedWriter;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.Arrays;

/** The values of one row, which come in any order, until all of them are there. A column without one is NULL. */
public final class RowValues {
    /** Of values that are built. A short record may have many structs with many columns, and comes from anybody. */
    private static final int MOST_BYTES = 64 << 20;

    private final int[] widths;
    private final boolean[] has;
    private final long[] numbers;
    /** Null where the value is in {@link #built}. */
    private final byte[][] bytes;
    private final int[] from;
    private final int[] to;
    /** Values that the record does not have as they are. */
    private final NestedWriter built = new NestedWriter(MOST_BYTES);

    public RowValues(Schema schema) {
        int columns = schema.size();
        widths = schema.columns().stream().mapToInt(column -> column.type().width()).toArray();
        has = new boolean[columns];
        numbers = new long[columns];
        bytes = new byte[columns][];
        from = new int[columns];
        to = new int[columns];
    }

    public void begin() {
        Arrays.fill(has, false);
        built.clear();
    }

    public boolean has(int column) {
        return has[column];
    }

    /** A value of fixed width: a number, or the bits of one. */
    public void number(int column, long value) {
        has[column] = true;
        numbers[column] = value;
    }

    /** A value of variable width, which stays where it is until {@link #write}. */
    public void bytes(int column, byte[] source, int first, int last) {
        has[column] = true;
        bytes[column] = source;
        from[column] = first;
        to[column] = last;
    }

    /** The same, but the bytes are used again. */
    public void copy(int column, byte[] source, int first, int last) {
        int place = built.append(last - first);
        System.arraycopy(source, first, built.bytes(), place, last - first);
        built(column, place);
    }

    public void set(int column, Scalar value) {
        if (widths[column] > 0) {
            number(column, value.number());
        } else {
            bytes(column, value.bytes(), value.from(), value.to());
        }
    }

    /** A value of a column that the record does not have. @param defaults a row with them; null for none */
    public void setDefault(int column, Column of, Packet defaults) {
        if (defaults == null || of.absent() == null || defaults.isNull(column)) {
            return;
        }
        switch (widths[column]) {
            case Long.BYTES -> number(column, defaults.getLong(column));
            case Integer.BYTES -> number(column, defaults.getInt(column));
            case Short.BYTES -> number(column, defaults.getShort(column));
            case Byte.BYTES -> number(column, defaults.getByte(column));
            default -> {
                int start = defaults.valueStart(column);
                bytes(column, defaults.bytes(), start, defaults.valueEnd());
            }
        }
    }

    /** Where to build a value; then {@link #built(int, int)}. */
    public NestedWriter builder() {
        return built;
    }

    /** The column's value is what was built from there on. */
    public void built(int column, int start) {
        bytes(column, null, start, built.end());
    }

    /** Writes the packet. */
    public void write(PacketWriter out) {
        out.begin();
        for (int k = 0; k < widths.length; k++) {
            if (!has[k]) {
                out.setNull(k);
                continue;
            }
            switch (widths[k]) {
                case Long.BYTES -> out.setLong(k, numbers[k]);
                case Integer.BYTES -> out.setInt(k, (int) numbers[k]);
                case Short.BYTES -> out.setShort(k, (short) numbers[k]);
                case Byte.BYTES -> out.setByte(k, (byte) numbers[k]);
                default -> out.setBytes(k, bytes[k] == null ? built.bytes() : bytes[k], from[k], to[k] - from[k]);
            }
        }
        out.commit();
    }
}
