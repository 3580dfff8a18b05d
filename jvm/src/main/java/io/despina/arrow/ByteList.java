package io.despina.arrow;

import java.util.Arrays;

/** Bytes that grow, and are kept when they are cleared unless they are many. */
final class ByteList {
    private static final int FIRST_BYTES = 64;
    private static final int KEPT_BYTES = 1 << 20;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int size;

    byte[] bytes() {
        return bytes;
    }

    int size() {
        return size;
    }

    /** Adds bytes that the caller sets, all of them. @return where they begin */
    int grow(int more) {
        int at = size;
        if (more > bytes.length - at) {
            bytes = Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - Long.BYTES,
                    Math.max((long) at + more, 2L * bytes.length)));
        }
        size = at + more;
        return at;
    }

    void zeros(int more) {
        int at = grow(more);
        Arrays.fill(bytes, at, size, (byte) 0);
    }

    void append(byte[] from, int at, int length) {
        int to = grow(length);
        System.arraycopy(from, at, bytes, to, length);
    }

    /** Sets bit {@code k}, the next after those that are set; the lowest of a byte comes first. */
    void bit(int k, boolean value) {
        int bit = k & Byte.SIZE - 1;
        if (bit == 0) {
            int at = grow(1);       // first: it may replace the array
            bytes[at] = (byte) (value ? 1 : 0);
        } else if (value) {
            bytes[size - 1] |= (byte) (1 << bit);
        }
    }

    void clear() {
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
        size = 0;
    }
}
