package io.despina.expr.catalyst.codegen;

import io.despina.packet.Bytes;

/**
 * The place of a buffer's value in {@link Slots}.
 *
 * @param slot for a primitive, the offset of its 8 bytes from {@link Slots#at}; else its index into {@link Slots#objects}
 * @param flag for a nullable primitive, the offset of its null flag; else {@link #NO_FLAG}
 */
public record SlotPlace(int slot, int flag) implements java.io.Serializable {
    static final int NO_FLAG = -1;

    public boolean isNull(Slots in) {
        return flag != NO_FLAG && in.bytes[in.at + flag] != 0;
    }

    public long bits(Slots in) {
        return Bytes.getLong(in.bytes, in.at + slot);
    }

    /** Stores the bits of a primitive. */
    public void put(Slots into, boolean isNull, long bits) {
        if (flag != NO_FLAG) {
            into.bytes[into.at + flag] = (byte) (isNull ? 1 : 0);
        }
        Bytes.putLong(into.bytes, into.at + slot, bits);
    }
}
