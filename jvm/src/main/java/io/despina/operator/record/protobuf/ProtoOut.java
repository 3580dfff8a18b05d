package io.despina.operator.record.protobuf;

import io.despina.packet.Bytes;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** The bytes of one message, as they are written. The length of one within another is put before it at its end. */
final class ProtoOut {
    private static final int FIRST_BYTES = 256;
    /** A larger buffer is not kept for the next message. */
    private static final int KEPT_BYTES = 1 << 20;
    private static final int VARINT_BITS = 7;
    private static final int LOW_BITS = 0x7F;
    private static final int MORE = 0x80;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int size;

    void clear() {
        bytes = bytes.length > KEPT_BYTES ? new byte[FIRST_BYTES] : bytes;
        size = 0;
    }

    void copyTo(OutputStream out) throws IOException {
        out.write(bytes, 0, size);
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    private int room(int length) {
        int at = size;
        if (length > Integer.MAX_VALUE - Byte.SIZE - at) {
            throw new IllegalArgumentException("a message of more than " + Integer.MAX_VALUE + " bytes");
        }
        if (at + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - Byte.SIZE, Math.max((long) at + length, 2L * at)));
        }
        size += length;
        return at;
    }

    void tag(int number, int wire) {
        varint((long) number << ProtoWire.WIRE_BITS | wire);
    }

    void varint(long value) {
        int at = room(length(value));
        put(at, value);
    }

    private void put(int place, long value) {
        int at = place;
        long rest = value;
        while ((rest & ~LOW_BITS) != 0) {
            bytes[at++] = (byte) (rest & LOW_BITS | MORE);
            rest >>>= VARINT_BITS;
        }
        bytes[at] = (byte) rest;
    }

    private static int length(long value) {
        return 1 + (Long.SIZE - 1 - Long.numberOfLeadingZeros(value | 1)) / VARINT_BITS;
    }

    void four(int value) {
        int at = room(Integer.BYTES);       // before `bytes` is looked at, which it may replace
        Bytes.putInt(bytes, at, value);
    }

    void eight(long value) {
        int at = room(Long.BYTES);
        Bytes.putLong(bytes, at, value);
    }

    /** Bytes behind how many they are. */
    void bytes(byte[] source, int from, int to) {
        varint(to - from);
        int at = room(to - from);
        System.arraycopy(source, from, bytes, at, to - from);
    }

    /** Where something begins whose length is not known yet. */
    int begin() {
        return size;
    }

    /** Puts the length before what was written since. */
    void end(int begin) {
        int length = size - begin;
        int before = length(length);
        room(before);
        System.arraycopy(bytes, begin, bytes, begin + before, length);
        put(begin, length);
    }
}
