package io.despina.arrow;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Type;
import java.util.function.Consumer;

/**
 * The buffers of an Arrow column that grows. A value is given by the bytes that a packet, an array or a map has of it, so
 * columns and elements are written alike.
 */
abstract class ColumnWriter {
    private final boolean hasValidity;
    private final ByteList validity = new ByteList();
    private int count;
    private int nulls;

    ColumnWriter(boolean hasValidity) {
        this.hasValidity = hasValidity;
    }

    static ColumnWriter of(Type type) {
        Type stored = type.stored();
        if (type instanceof Type.Void) {
            return new Nulls();
        }
        if (type instanceof Type.Decimal decimal) {
            return new Decimals(decimal.width() == Type.VARIABLE);
        }
        if (type instanceof Type.Array array) {
            return new NestedWriters.Lists(array);
        }
        if (type instanceof Type.MapOf map) {
            return new NestedWriters.Maps(map);
        }
        if (type instanceof Type.Struct struct) {
            return new NestedWriters.Structs(struct);
        }
        return stored == Type.Simple.BOOLEAN ? new Bits() : stored.width() == Type.VARIABLE ? new Texts()
                : new Fixed(stored.width());
    }

    /** Adds column {@code column} of a packet. */
    final void add(Packet packet, int column) {
        if (packet.isNull(column)) {
            addNull();
        } else if (packet.layout().isVariable(column)) {
            int from = packet.valueStart(column);
            add(packet.bytes(), from, packet.valueEnd());
        } else {
            add(packet.bytes(), packet.fixedStart(column), 0);
        }
    }

    /** @param to of values of variable width only */
    final void add(byte[] bytes, int from, int to) {
        valid(true);
        put(bytes, from, to);
    }

    final void addNull() {
        valid(false);
        nulls++;
        putNull();
    }

    private void valid(boolean is) {
        if (hasValidity) {
            validity.bit(count, is);
        }
        count++;
    }

    final int count() {
        return count;
    }

    abstract void put(byte[] bytes, int from, int to);

    abstract void putNull();

    /** The column with its children, a node each, in Arrow's order. */
    void nodes(Nodes to) {
        to.add(count, nulls);
    }

    /** Its buffers and those of its children, in Arrow's order. */
    void buffers(Consumer<ByteList> to) {
        if (hasValidity) {
            to.accept(validity);
        }
    }

    void clear() {
        validity.clear();
        count = 0;
        nulls = 0;
    }

    /** Takes Arrow's field nodes. */
    interface Nodes {
        void add(int length, int nulls);
    }

    private static final class Nulls extends ColumnWriter {
        Nulls() {
            super(false);
        }

        @Override
        void put(byte[] bytes, int from, int to) {
        }

        @Override
        void putNull() {
        }
    }

    private static final class Bits extends ColumnWriter {
        private final ByteList values = new ByteList();

        Bits() {
            super(true);
        }

        @Override
        void put(byte[] bytes, int from, int to) {
            values.bit(count() - 1, bytes[from] != 0);
        }

        @Override
        void putNull() {
            values.bit(count() - 1, false);
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            to.accept(values);
        }

        @Override
        void clear() {
            super.clear();
            values.clear();
        }
    }

    /** Values as they are in the packet. */
    private static final class Fixed extends ColumnWriter {
        private final int width;
        private final ByteList values = new ByteList();

        Fixed(int width) {
            super(true);
            this.width = width;
        }

        @Override
        void put(byte[] bytes, int from, int to) {
            int at = values.grow(width);
            switch (width) {
                case Byte.BYTES -> values.bytes()[at] = bytes[from];
                case Short.BYTES -> Bytes.putShort(values.bytes(), at, Bytes.getShort(bytes, from));
                case Integer.BYTES -> Bytes.putInt(values.bytes(), at, Bytes.getInt(bytes, from));
                default -> Bytes.putLong(values.bytes(), at, Bytes.getLong(bytes, from));
            }
        }

        @Override
        void putNull() {
            values.zeros(width);
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            to.accept(values);
        }

        @Override
        void clear() {
            super.clear();
            values.clear();
        }
    }

    /** 16 bytes a value, little endian. */
    private static final class Decimals extends ColumnWriter {
        static final int WIDTH = 16;

        private final boolean isVariable;
        private final ByteList values = new ByteList();

        Decimals(boolean isVariable) {
            super(true);
            this.isVariable = isVariable;
        }

        @Override
        void put(byte[] bytes, int from, int to) {
            int at = values.grow(WIDTH);
            byte[] target = values.bytes();
            if (!isVariable) {
                long unscaled = Bytes.getLong(bytes, from);
                Bytes.putLong(target, at, unscaled);
                Bytes.putLong(target, at + Long.BYTES, unscaled >> Long.SIZE - 1);
                return;
            }
            byte sign = (byte) (bytes[from] >> Byte.SIZE - 1);
            for (int k = 0; k < WIDTH; k++) {
                target[at + k] = to - 1 - k >= from ? bytes[to - 1 - k] : sign;
            }
        }

        @Override
        void putNull() {
            values.zeros(WIDTH);
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            to.accept(values);
        }

        @Override
        void clear() {
            super.clear();
            values.clear();
        }
    }

    /** Values behind offsets: their ends, after a first 0. */
    abstract static class Spanned extends ColumnWriter {
        private final ByteList offsets = new ByteList();

        Spanned() {
            super(true);
        }

        /** The value ends at {@code end} of what all values have. */
        final void end(int end) {
            if (offsets.size() == 0) {
                offsets.zeros(Integer.BYTES);
            }
            int at = offsets.grow(Integer.BYTES);
            Bytes.putInt(offsets.bytes(), at, end);
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            if (offsets.size() == 0) {
                offsets.zeros(Integer.BYTES);
            }
            to.accept(offsets);
        }

        @Override
        void clear() {
            super.clear();
            offsets.clear();
        }
    }

    private static final class Texts extends Spanned {
        private final ByteList values = new ByteList();

        @Override
        void put(byte[] bytes, int from, int to) {
            values.append(bytes, from, to - from);
            end(values.size());
        }

        @Override
        void putNull() {
            end(values.size());
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            to.accept(values);
        }

        @Override
        void clear() {
            super.clear();
            values.clear();
        }
    }
}
