package io.despina.operator.database.sink;

import io.despina.packet.Bytes;

/** Numbers as PostgreSQL sends them: the highest byte first. */
final class PostgresBytes {
    private PostgresBytes() {
    }

    static void putShort(byte[] to, int at, int value) {
        Bytes.putShort(to, at, Short.reverseBytes((short) value));
    }

    static void putInt(byte[] to, int at, int value) {
        Bytes.putInt(to, at, Integer.reverseBytes(value));
    }

    static void putLong(byte[] to, int at, long value) {
        Bytes.putLong(to, at, Long.reverseBytes(value));
    }
}
