package io.despina.packet;

import java.util.Arrays;

/**
 * Builds one nested value (struct, array or map) in a buffer that grows and is reused; {@link PacketWriter#setBytes} then
 * puts it into a packet. Places are indexes into the buffer. Within a struct or an array, values are written in order.
 */
public final class NestedWriter {
    private static final int FIRST_BYTES = 256;
    /** A larger buffer is not kept for the next value. */
    private static final int KEPT_BYTES = 1 << 20;

    private final int most;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int end;

    public NestedWriter() {
        this(Bytes.MAX_LENGTH);
    }

    /** @param most bytes that it takes; {@link #append} throws an IllegalArgumentException for more */
    public NestedWriter(int most) {
        this.most = most;
    }

    /** Starts a new value. */
    public NestedWriter clear() {
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
        end = 0;
        return this;
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Bytes written so far; where the next value of variable width begins. */
    public int end() {
        return end;
    }

    /** Adds {@code length} zero bytes. @return where they begin */
    public int append(int length) {
        int at = end;
        if (length > most - at) {
            throw new IllegalArgumentException("a nested value of more than " + most
                    + (most == Bytes.MAX_LENGTH ? " bytes; max_packet_bytes is at most that" : " bytes"));
        }
        if (at + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(most, Math.max(at + length, 2 * bytes.length)));
        }
        Arrays.fill(bytes, at, at + length, (byte) 0);
        end = at + length;
        return at;
    }

    /** Begins a struct; the fixed part is zero. */
    public int beginStruct(PacketLayout layout) {
        return append(layout.fixedBytes);
    }

    /** Where to put the fixed-width {@code field} of the struct at {@code struct}. */
    public int fieldSlot(PacketLayout layout, int struct, int field) {
        return struct + layout.offset[field];
    }

    /** Ends the variable-width {@code field} here. */
    public void endField(PacketLayout layout, int struct, int field) {
        if (layout.offset[field] != PacketLayout.TO_THE_END) {
            Bytes.putInt(bytes, struct + layout.offset[field], end - struct);
        }
    }

    public void setFieldNull(PacketLayout layout, int struct, int field) {
        int bit = layout.nullBit[field];
        if (bit < 0) {
            throw new IllegalStateException("field " + field + " is not nullable");
        }
        bytes[struct + (bit >> 3)] |= (byte) (1 << (bit & 7));
        if (layout.variable[field]) {
            endField(layout, struct, field);
        }
    }

    /** Begins an array of {@code count} elements. */
    public int beginArray(Type element, boolean containsNull, int count) {
        long length = Integer.BYTES + (containsNull ? (count + 7L) / 8 : 0) + (long) count * PacketArray.slotWidth(element);
        int at = append((int) Math.min(length, Integer.MAX_VALUE));
        Bytes.putInt(bytes, at, count);
        return at;
    }

    /** The place of element {@code k} of fixed width, or of the slot of its end, in the array at {@code array}. */
    public int elementSlot(Type element, boolean containsNull, int array, int k) {
        int nullBytes = containsNull ? (Bytes.getInt(bytes, array) + 7) / 8 : 0;
        return array + Integer.BYTES + nullBytes + k * PacketArray.slotWidth(element);
    }

    /** Ends element {@code k} of variable width here. */
    public void endElement(Type element, boolean containsNull, int array, int k) {
        Bytes.putInt(bytes, elementSlot(element, containsNull, array, k), end - array);
    }

    public void setElementNull(Type element, int array, int k) {
        bytes[array + Integer.BYTES + (k >> 3)] |= (byte) (1 << (k & 7));
        if (element.width() == Type.VARIABLE) {
            endElement(element, true, array, k);
        }
    }

    /** Begins a map: its array of keys follows, then {@link #endKeys}, then its array of values. */
    public int beginMap() {
        return append(Integer.BYTES);
    }

    public void endKeys(int map) {
        Bytes.putInt(bytes, map, end - map - Integer.BYTES);
    }
}
