package io.despina.operator.record;

import java.io.OutputStream;
import java.util.Arrays;

/** A growing buffer for records on their way to a file. */
public final class LineBuffer extends OutputStream {
    private static final int FIRST_BYTES = 1 << 12;
    /** A larger buffer is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int size;

    public int size() {
        return size;
    }

    public byte[] bytes() {
        return bytes;
    }

    /** Forgets all but the first {@code length} bytes. */
    public void cut(int length) {
        size = length;
        if (length == 0 && bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
    }

    /** Makes room for {@code more} bytes. */
    void reserve(int more) {
        if (more > bytes.length - size) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }

    @Override
    public void write(int b) {
        reserve(1);
        bytes[size++] = (byte) b;
    }

    @Override
    public void write(byte[] source, int from, int length) {
        reserve(length);
        System.arraycopy(source, from, bytes, size, length);
        size += length;
    }

    /** ASCII text. */
    public void ascii(String text) {
        int length = text.length();
        reserve(length);
        for (int k = 0; k < length; k++) {
            bytes[size + k] = (byte) text.charAt(k);
        }
        size += length;
    }

    /** A number, in digits. */
    public void number(long value) {
        if (value == Long.MIN_VALUE) {
            ascii("-9223372036854775808");
            return;
        }
        if (value < 0) {
            write('-');
        }
        long rest = Math.abs(value);
        digits(rest, digitsOf(rest));
    }

    private static int digitsOf(long value) {
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    /** Exactly that many digits of a number that is not negative, with zeros in front. */
    void digits(long value, int count) {
        reserve(count);
        long rest = value;
        for (int k = size + count - 1; k >= size; k--) {
            bytes[k] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += count;
    }
}
