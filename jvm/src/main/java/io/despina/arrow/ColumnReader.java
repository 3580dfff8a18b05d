package io.despina.arrow;

import io.despina.packet.Bytes;
import io.despina.packet.NestedWriter;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;

/**
 * A column of an Arrow record batch. {@link #wrap} checks that its buffers are long enough for its rows; offsets found inside
 * are checked on each use, so no batch makes it read outside of its message.
 */
abstract class ColumnReader {
    private byte[] bytes;
    private int count;
    /** Where the validity bits begin; -1 if no value is NULL. */
    private int validity;

    static ColumnReader of(Type type) {
        if (type instanceof Type.Void) {
            return new Nulls();
        }
        if (type instanceof Type.Decimal decimal) {
            return decimal.width() == Type.VARIABLE ? new WideDecimals() : new Decimals();
        }
        if (type instanceof Type.Array array) {
            return new NestedReaders.Lists(array);
        }
        if (type instanceof Type.MapOf map) {
            return new NestedReaders.Maps(map);
        }
        if (type instanceof Type.Struct struct) {
            return new NestedReaders.Structs(struct);
        }
        Type stored = type.stored();
        return stored == Type.Simple.BOOLEAN ? new Bits() : stored.width() == Type.VARIABLE ? new Texts()
                : new Fixed(stored.width());
    }

    /** Moves it to its node and buffers, the next of {@code parts}. */
    void wrap(BatchParts parts) {
        bytes = parts.bytes();
        count = parts.nextNode();
        validity = -1;
    }

    /** Takes the buffer of validity bits. */
    final void wrapValidity(BatchParts parts) {
        int nulls = parts.nulls();
        int at = parts.nextBuffer(nulls == 0 ? 0 : (count + Byte.SIZE - 1L) / Byte.SIZE);
        validity = nulls == 0 ? -1 : at;
    }

    final int count() {
        return count;
    }

    final byte[] bytes() {
        return bytes;
    }

    boolean isNull(int row) {
        if (row < 0 || row >= count) {
            throw new ArrowException("value " + row + " of " + count);
        }
        return validity >= 0 && !bit(validity, row);
    }

    final boolean bit(int at, int row) {
        return (bytes[at + (row >> 3)] >> (row & 7) & 1) != 0;
    }

    /** Sets a column of a packet to a value that is not NULL. */
    abstract void set(int row, PacketWriter to, int column);

    /** Puts a value of fixed width, as a packet has it. */
    void put(int row, byte[] to, int at) {
        throw new IllegalStateException("a value of variable width");
    }

    /** Appends a value of variable width, as a packet has it. */
    void append(int row, NestedWriter to) {
        throw new IllegalStateException("a value of fixed width");
    }

    boolean isVariable() {
        return false;
    }

    private static final class Nulls extends ColumnReader {
        @Override
        boolean isNull(int row) {
            return true;
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            throw new IllegalStateException("a value of VOID");
        }
    }

    private static final class Bits extends ColumnReader {
        private int values;

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            wrapValidity(parts);
            values = parts.nextBuffer((count() + Byte.SIZE - 1L) / Byte.SIZE);
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            to.setBoolean(column, bit(values, row));
        }

        @Override
        void put(int row, byte[] to, int at) {
            to[at] = (byte) (bit(values, row) ? 1 : 0);
        }
    }

    /** Values that a packet has alike. */
    private static final class Fixed extends ColumnReader {
        private final int width;
        private int values;

        Fixed(int width) {
            this.width = width;
        }

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            wrapValidity(parts);
            values = parts.nextBuffer((long) count() * width);
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            to.setFixed(column, bytes(), values + row * width);
        }

        @Override
        void put(int row, byte[] to, int at) {
            System.arraycopy(bytes(), values + row * width, to, at, width);
        }
    }

    /** Of up to 18 digits. */
    private static final class Decimals extends ColumnReader {
        private int values;

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            wrapValidity(parts);
            values = parts.nextBuffer((long) count() * WideDecimals.WIDTH);
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            to.setLong(column, unscaled(row));
        }

        @Override
        void put(int row, byte[] to, int at) {
            Bytes.putLong(to, at, unscaled(row));
        }

        private long unscaled(int row) {
            int at = values + row * WideDecimals.WIDTH;
            long low = Bytes.getLong(bytes(), at);
            if (Bytes.getLong(bytes(), at + Long.BYTES) != low >> Long.SIZE - 1) {
                throw new ArrowException("a decimal of more than 18 digits");
            }
            return low;
        }
    }

    /** The unscaled value: here 16 bytes, in a packet as few as it needs, with the highest first. */
    private static final class WideDecimals extends ColumnReader {
        static final int WIDTH = 16;

        private final byte[] scratch = new byte[WIDTH];
        private int values;
        private int length;

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            wrapValidity(parts);
            values = parts.nextBuffer((long) count() * WIDTH);
        }

        private void unpack(int row) {
            int at = values + row * WIDTH;
            byte sign = (byte) (bytes()[at + WIDTH - 1] >> Byte.SIZE - 1);
            length = WIDTH;
            while (length > 1 && bytes()[at + length - 1] == sign && (bytes()[at + length - 2] ^ sign) >= 0) {
                length--;
            }
            for (int k = 0; k < length; k++) {
                scratch[k] = bytes()[at + length - 1 - k];
            }
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            unpack(row);
            to.setBytes(column, scratch, 0, length);
        }

        @Override
        void append(int row, NestedWriter to) {
            unpack(row);
            int at = to.append(length);
            System.arraycopy(scratch, 0, to.bytes(), at, length);
        }

        @Override
        boolean isVariable() {
            return true;
        }
    }

    /** Values between offsets. */
    abstract static class Spans extends ColumnReader {
        private int offsets;

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            wrapValidity(parts);
            offsets = parts.nextBuffer(count() == 0 ? 0 : (count() + 1L) * Integer.BYTES);
        }

        /** Where the value begins. */
        final int from(int row) {
            return Bytes.getInt(bytes(), offsets + row * Integer.BYTES);
        }

        /** Where it ends, no less than that and within {@code limit}. */
        final int to(int row, int limit) {
            int from = from(row);
            int to = Bytes.getInt(bytes(), offsets + (row + 1) * Integer.BYTES);
            if (from < 0 || to < from || to > limit) {
                throw new ArrowException("a value from " + from + " to " + to + " of " + limit);
            }
            return to;
        }

        @Override
        boolean isVariable() {
            return true;
        }
    }

    private static final class Texts extends Spans {
        private int values;
        private int limit;

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            values = parts.nextBuffer(0);
            limit = parts.length();
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            int end = to(row, limit);
            to.setBytes(column, bytes(), values + from(row), end - from(row));
        }

        @Override
        void append(int row, NestedWriter to) {
            int length = to(row, limit) - from(row);
            int at = to.append(length);
            System.arraycopy(bytes(), values + from(row), to.bytes(), at, length);
        }
    }
}
