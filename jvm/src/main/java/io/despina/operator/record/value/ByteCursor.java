package io.despina.operator.record.value;

import io.despina.operator.record.csv.Utf8;
import io.despina.packet.Bytes;

/**
 * Reads the bytes of one record, which come from anybody, and never reads beyond them.
 *
 * <p>Every method that reads throws {@link BrokenRecord} where the record ends too early.
 */
public final class ByteCursor {
    /** Records within records, of what nobody reads. */
    private static final int MOST_DEPTH = 200;
    private static final int VARINT_BITS = 7;
    private static final int MOST_VARINT = 10;
    private static final int LOW_BITS = 0x7F;

    private byte[] bytes = {};
    private int at;
    private int end;
    private int depth;

    /** Goes to {@code region[from, to)}. */
    public void open(byte[] region, int from, int to) {
        bytes = region;
        at = from;
        end = to;
        depth = 0;
    }

    public byte[] bytes() {
        return bytes;
    }

    /** The index of the next byte. */
    public int at() {
        return at;
    }

    public int end() {
        return end;
    }

    /** Goes back or forth to a place in which it was, or will be. */
    public void moveTo(int place) {
        at = place;
    }

    public int left() {
        return end - at;
    }

    /** Passes over so many bytes. @return where they begin */
    public int take(long length) {
        if (length < 0 || length > end - at) {
            throw new BrokenRecord("a value of " + length + " bytes, and " + (end - at) + " are left");
        }
        int from = at;
        at += (int) length;
        return from;
    }

    public byte next() {
        return bytes[take(1)];
    }

    /** A number of up to ten bytes, seven bits in each, the lowest first. */
    public long varint() {
        if (at < end && bytes[at] >= 0) {
            return bytes[at++];
        }
        return longVarint();
    }

    private long longVarint() {
        long value = 0;
        int most = Math.min(end, at + MOST_VARINT);
        int shift = 0;
        for (int k = at; k < most; k++, shift += VARINT_BITS) {
            byte b = bytes[k];
            value |= (long) (b & LOW_BITS) << shift;
            if (b >= 0) {
                if (shift + VARINT_BITS > Long.SIZE && b > 1) {
                    break;
                }
                at = k + 1;
                return value;
            }
        }
        if (end - at < MOST_VARINT) {
            at = end;
            take(1);
        }
        throw new BrokenRecord("a number of more than 64 bits");
    }

    /** The same, with the sign in the lowest bit. */
    public long zigzag() {
        long value = varint();
        return value >>> 1 ^ -(value & 1);
    }

    /** The same, of 32 bits. */
    public int zigzagInt() {
        long value = zigzag();
        if (value != (int) value) {
            throw new BrokenRecord("the number " + value + " where one has 32 bits");
        }
        return (int) value;
    }

    /** Four bytes, the lowest first. */
    public int four() {
        return Bytes.getInt(bytes, take(Integer.BYTES));
    }

    /** Eight bytes, the lowest first. */
    public long eight() {
        return Bytes.getLong(bytes, take(Long.BYTES));
    }

    /** Refuses text that is not UTF-8. */
    public static void checkText(byte[] bytes, int from, int to) {
        if (!Utf8.isValidWithNul(bytes, from, to)) {
            throw new BrokenRecord("a text that is not UTF-8");
        }
    }

    /** Before what lies within something else is passed over. */
    public void enter() {
        if (++depth > MOST_DEPTH) {
            throw new BrokenRecord("more than " + MOST_DEPTH + " values within each other");
        }
    }

    public void leave() {
        depth--;
    }
}
