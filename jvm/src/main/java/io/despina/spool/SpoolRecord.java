package io.despina.spool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A record of a spool, which is read whole or not at all.
 *
 * <pre>
 *  0 bytes of the packets (4) · rows (4) · number of the first row (8) · CRC32C of all others (4)
 * 20 packets, one after the other
 * </pre>
 */
public final class SpoolRecord {
    /** Before the packets. */
    public static final int HEADER_BYTES = 20;

    private static final int ROWS = 4;
    private static final int FIRST = 8;
    private static final int CRC = 16;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private SpoolRecord() {
    }

    /** Writes the header of the record that is {@code bytes[0, length)}, with its packets from {@link #HEADER_BYTES} on. */
    static void seal(byte[] bytes, int length, long first, int rows) {
        INT.set(bytes, 0, length - HEADER_BYTES);
        INT.set(bytes, ROWS, rows);
        LONG.set(bytes, FIRST, first);
        INT.set(bytes, CRC, checksum(bytes, 0, length));
    }

    /** Bytes of the whole record that begins there. */
    static long length(byte[] bytes, int at) {
        return HEADER_BYTES + ((int) INT.get(bytes, at) & 0xffff_ffffL);
    }

    static int rows(byte[] bytes, int at) {
        return (int) INT.get(bytes, at + ROWS);
    }

    static long first(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at + FIRST);
    }

    /** Whether {@code bytes[at, at + length)} is a record as it was written. */
    static boolean isWhole(byte[] bytes, int at, int length) {
        return (int) INT.get(bytes, at + CRC) == checksum(bytes, at, length);
    }

    private static int checksum(byte[] bytes, int at, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, at, CRC);
        sum.update(bytes, at + HEADER_BYTES, length - HEADER_BYTES);
        return (int) sum.getValue();
    }
}
