package io.despina.compare.hibench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Records of eight-byte numbers: a visit is address and time; a group is window's start, address, first time, count. */
final class Records {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Records() {
    }

    static byte[] of(long... numbers) {
        byte[] made = new byte[numbers.length * Long.BYTES];
        for (int k = 0; k < numbers.length; k++) {
            LONG.set(made, k * Long.BYTES, numbers[k]);
        }
        return made;
    }

    static long number(byte[] record, int k) {
        return (long) LONG.get(record, k * Long.BYTES);
    }

    /** A number, then text. */
    static byte[] counted(long count, byte[] word) {
        byte[] made = new byte[Long.BYTES + word.length];
        LONG.set(made, 0, count);
        System.arraycopy(word, 0, made, Long.BYTES, word.length);
        return made;
    }
}
