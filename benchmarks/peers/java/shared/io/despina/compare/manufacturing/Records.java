package io.despina.compare.manufacturing;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What flows: a kind (1 byte), a time (8), an index (8), then by kind.
 *
 * <pre>
 * READING  which states are NULL (1, a bit each), six states (4 each)
 * EDGE     new value (4)
 * DELAY    new value (4), delay in microseconds (8)
 * ROW      one line of JSON, at 1; no time, no index
 * MARK     nothing: no later record has a smaller time; at the end Long.MAX_VALUE
 * </pre>
 */
final class Records {
    static final byte READING = 1;
    static final byte EDGE = 2;
    static final byte DELAY = 3;
    static final byte ROW = 4;
    static final byte MARK = 5;
    static final int STATES = 6;
    static final long END = Long.MAX_VALUE;

    private static final int TIME_AT = 1;
    private static final int INDEX_AT = 9;
    private static final int BODY_AT = 17;
    private static final int STATES_AT = 18;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Records() {
    }

    private static byte[] record(byte kind, long micros, long index, int bytes) {
        byte[] made = new byte[bytes];
        made[0] = kind;
        LONG.set(made, TIME_AT, micros);
        LONG.set(made, INDEX_AT, index);
        return made;
    }

    static byte[] reading(long micros, long index, int nulls, int[] states) {
        byte[] made = record(READING, micros, index, STATES_AT + STATES * Integer.BYTES);
        made[BODY_AT] = (byte) nulls;
        for (int k = 0; k < STATES; k++) {
            INT.set(made, STATES_AT + k * Integer.BYTES, states[k]);
        }
        return made;
    }

    static byte[] edge(long micros, long index, int value) {
        byte[] made = record(EDGE, micros, index, BODY_AT + Integer.BYTES);
        INT.set(made, BODY_AT, value);
        return made;
    }

    static byte[] delay(long micros, long index, int value, long delayMicros) {
        byte[] made = record(DELAY, micros, index, BODY_AT + Integer.BYTES + Long.BYTES);
        INT.set(made, BODY_AT, value);
        LONG.set(made, BODY_AT + Integer.BYTES, delayMicros);
        return made;
    }

    static byte[] row(String json) {
        byte[] text = json.getBytes(StandardCharsets.UTF_8);
        byte[] made = new byte[TIME_AT + text.length];
        made[0] = ROW;
        System.arraycopy(text, 0, made, TIME_AT, text.length);
        return made;
    }

    static byte[] mark(long micros) {
        return record(MARK, micros, 0, BODY_AT);
    }

    static byte kind(byte[] record) {
        return record[0];
    }

    static long micros(byte[] record) {
        return (long) LONG.get(record, TIME_AT);
    }

    static long index(byte[] record) {
        return (long) LONG.get(record, INDEX_AT);
    }

    static boolean isNull(byte[] reading, int state) {
        return (reading[BODY_AT] >> state & 1) != 0;
    }

    static int state(byte[] reading, int state) {
        return (int) INT.get(reading, STATES_AT + state * Integer.BYTES);
    }

    /** The new value of an edge or a delay. */
    static int value(byte[] record) {
        return (int) INT.get(record, BODY_AT);
    }

    static long delayMicros(byte[] delay) {
        return (long) LONG.get(delay, BODY_AT + Integer.BYTES);
    }

    static byte[] json(byte[] row) {
        return Arrays.copyOfRange(row, TIME_AT, row.length);
    }
}
