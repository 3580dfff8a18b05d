package io.despina.operator.record.csv;

import io.despina.packet.Bytes;

/** Checks UTF-8 (RFC 3629), eight ASCII bytes at a time. */
public final class Utf8 {
    private static final long HIGH = 0x8080808080808080L;

    private Utf8() {
    }

    public static boolean isValid(byte[] bytes, int from, int to) {
        return isValid(bytes, from, to, 1);
    }

    /** The same, of a text that may have a NUL anywhere. */
    public static boolean isValidWithNul(byte[] bytes, int from, int to) {
        return isValid(bytes, from, to, 0);
    }

    private static boolean isValid(byte[] bytes, int from, int to, int least) {
        int at = from;
        while (at < to) {
            if (at + Long.BYTES <= to && (Bytes.getLong(bytes, at) & HIGH) == 0) {
                at += Long.BYTES;
            } else if (bytes[at] >= least) {
                at++;
            } else {
                int length = sequence(bytes, at, to);
                if (length == 0) {
                    return false;
                }
                at += length;
            }
        }
        return true;
    }

    /** The length of the multi-byte sequence at {@code at}, or 0 if there is none. NUL counts as none. */
    private static int sequence(byte[] bytes, int at, int to) {
        int lead = bytes[at] & 0xFF;
        int length = lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
        if (length == 0 || at + length > to) {
            return 0;
        }
        int second = bytes[at + 1] & 0xFF;
        int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (second < least || second > most) {
            return 0;
        }
        for (int k = 2; k < length; k++) {
            if ((bytes[at + k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
