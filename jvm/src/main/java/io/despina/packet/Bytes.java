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

    /** How many bytes the varint of {@code length} takes, 1 to 4. */
    public static int varintBytes(int length) {
        return length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : MAX_VARINT;
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
