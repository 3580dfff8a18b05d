package io.despina.packet;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian access to byte arrays, bounds-checked, and the varint of packet lengths. */
public final class Bytes {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    /** The longest varint of a packet length. */
    public static final int MAX_VARINT = 4;
    /** The largest length a packet's varint can hold (28 bits). */
    public static final int MAX_LENGTH = (1 << 28) - 1;

    private Bytes() {
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    public static short getShort(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at);
    }

    public static void putShort(byte[] bytes, int at, short value) {
        SHORT.set(bytes, at, value);
    }

    public static int getInt(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    public static void putInt(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    public static long getLong(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    public static void putLong(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    /** Up to seven bytes as a number; different bytes give different numbers. */
    public static long getUpTo7(byte[] bytes, int at, int length) {
        if (length >= Integer.BYTES) {
            return getInt(bytes, at) & 0xFFFF_FFFFL | (long) getInt(bytes, at + length - Integer.BYTES) << Integer.SIZE;
        }
        long number = 0;
        for (int k = 0; k < length; k++) {
            number = number << Byte.SIZE | bytes[at + k] & 0xFF;
        }
        return number;
    }

    /** The {@code length} bytes before {@code end}, 1 to 8, as the low bytes of a number. */
    public static long getLast(byte[] bytes, int end, int length) {
        if (end >= Long.BYTES) {
            return getLong(bytes, end - Long.BYTES) >>> Long.SIZE - Byte.SIZE * length;
        }
        long number = 0;
        for (int k = end - 1; k >= end - length; k--) {
            number = number << Byte.SIZE | bytes[k] & 0xFF;
        }
        return number;
    }

    /**
     * Whether two regions are equal. For short regions, where a call of {@link java.util.Arrays#equals} would be most of the
     * cost.
     */
    public static boolean equal(byte[] a, int atA, byte[] b, int atB, int length) {
        int last = length - Long.BYTES;
        if (last < 0) {
            return getUpTo7(a, atA, length) == getUpTo7(b, atB, length);
        }
        long different = getLong(a, atA) ^ getLong(b, atB) | getLong(a, atA + last) ^ getLong(b, atB + last);
        for (int k = Long.BYTES; k < last && different == 0; k += Long.BYTES) {
            different = getLong(a, atA + k) ^ getLong(b, atB + k);
        }
        return different == 0;
    }

    /**
     * Copies a value. One of 8 to 16 bytes is copied as two words: a call or a masked copy would be most of the cost, and a load
     * after a masked store is slow.
     */
    static void copy(byte[] from, int at, byte[] to, int there, int length) {
        int last = length - Long.BYTES;
        if (last < 0 || last > Long.BYTES) {
            System.arraycopy(from, at, to, there, length);
        } else {
            long head = getLong(from, at);
            long tail = getLong(from, at + last);
            putLong(to, there, head);
            putLong(to, there + last, tail);
        }
    }

    /** The number of bytes of the varint of {@code length}, 1 to 4. */
    public static int varintBytes(int length) {
        return length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : MAX_VARINT;
    }

    /**
     * Reads a packet's length.
     *
     * @param limit the end of the readable region
     * @return -1 if it runs past that, or is longer than a varint may be
     */
    static int getVarint(byte[] bytes, int at, int limit) {
        int length = 0;
        for (int k = 0; k < MAX_VARINT && at + k < limit; k++) {
            byte b = bytes[at + k];
            length |= (b & 0x7f) << 7 * k;
            if (b >= 0) {
                return length;
            }
        }
        return -1;
    }

    /** The number of bytes of a varint that {@link #getVarint} has read. */
    static int varintLength(byte[] bytes, int at) {
        int k = at;
        while (bytes[k] < 0) {
            k++;
        }
        return k + 1 - at;
    }

    /**
     * Where the packet at {@code at} ends, unchecked: only for packets that this process wrote. Others are checked by
     * {@link Packet#wrap}.
     *
     * @param limit the end of the packets written
     */
    public static int packetEnd(byte[] bytes, int at, int limit) {
        int length = bytes[at];
        return length >= 0 ? at + 1 + length : at + varintLength(bytes, at) + getVarint(bytes, at, limit);
    }

    /** Writes {@code length} as a varint (7 bits a byte, low bits first) of exactly {@code varintBytes(length)} bytes. */
    public static void putVarint(byte[] bytes, int at, int length) {
        int rest = length;
        int k = at;
        while (rest >= 1 << 7) {
            bytes[k++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[k] = (byte) rest;
    }
}
