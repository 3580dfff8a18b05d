package io.despina.operator.record.csv;

import io.despina.packet.Bytes;
import io.despina.packet.EightBytes;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneId;

/**
 * Reads one cell of text as Spark would, if it is in a plain form. For any other form a method returns false, and the caller asks
 * another parser. The value is in {@link #value}: an integer, a DECIMAL's unscaled value, days, microseconds, or the bits of
 * a DOUBLE or FLOAT.
 */
public final class CellParser {
    private static final int LONG_DIGITS = 18;
    private static final int EIGHT_DIGITS = 8;
    private static final long ZEROS = EightBytes.of('0');
    /** Added to bytes below 128, sets the high bit of each byte above 9. */
    private static final long BEYOND_NINE = EightBytes.of(0x76);
    private static final long EXACT_DOUBLE = 1L << 53;
    private static final long EXACT_FLOAT = 1L << 24;
    private static final int EXACT_FLOAT_POWER = 10;
    private static final int MAX_FRACTION_DIGITS = 9;
    private static final int MAX_OFFSET_HOURS = 18;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND;
    private static final long MICROS_PER_DAY = 24 * 60 * MICROS_PER_MINUTE;
    private static final long[] TENS = new long[LONG_DIGITS + 1];
    private static final double[] DOUBLE_TENS = new double[23];

    static {
        TENS[0] = 1;
        for (int k = 1; k < TENS.length; k++) {
            TENS[k] = 10 * TENS[k - 1];
        }
        for (int k = 0; k < DOUBLE_TENS.length; k++) {
            DOUBLE_TENS[k] = Double.parseDouble("1e" + k);
        }
    }

    private long value;

    private final boolean fixedZone;
    private final long zoneMicros;
    private int cachedDay = -1;
    private long cachedEpochDay;

    /** @param zone of time stamps without a zone */
    public CellParser(ZoneId zone) {
        fixedZone = zone.getRules().isFixedOffset();
        zoneMicros = fixedZone
                ? zone.getRules().getOffset(java.time.Instant.EPOCH).getTotalSeconds() * MICROS_PER_SECOND : 0;
    }

    /** What the last successful call read. */
    public long value() {
        return value;
    }

    /** A whole number, from {@code least} to {@code most}. */
    public boolean integer(byte[] bytes, int from, int to, long least, long most) {
        int at = from;
        boolean negative = at < to && bytes[at] == '-';
        if (negative || at < to && bytes[at] == '+') {
            at++;
        }
        if (at == to || to - at > LONG_DIGITS) {
            return false;
        }
        long number = 0;
        for (; to - at > EIGHT_DIGITS; at++) {
            int digit = bytes[at] - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            number = 10 * number + digit;
        }
        long eight = eightDigits(bytes, at, to);
        number = TENS[to - at] * number + eight;
        value = negative ? -number : number;
        return eight >= 0 && value >= least && value <= most;
    }

    /** One to eight digits as a number, or -1. Has no branch per digit. */
    private static long eightDigits(byte[] bytes, int from, int to) {
        int length = to - from;
        long digits = (Bytes.getLast(bytes, to, length) ^ ZEROS) << Long.SIZE - Byte.SIZE * length;
        if (((digits + BEYOND_NINE | digits) & EightBytes.HIGH_BITS) != 0) {
            return -1;
        }
        // the first digit is the lowest byte; adds up pairs of digits, then pairs of pairs, then pairs of fours
        long pairs = digits * (10 << 8 | 1) >>> 8 & 0x00FF00FF00FF00FFL;
        long fours = pairs * (100 << 16 | 1) >>> 16 & 0x0000FFFF0000FFFFL;
        return fours * (10_000L << 32 | 1) >>> 32;
    }

    /** Digits with a sign and at most one point: the digits as a number, and how many follow the point. */
    private int fractionDigits;

    private boolean digits(byte[] bytes, int from, int to) {
        int at = from;
        boolean negative = at < to && bytes[at] == '-';
        if (negative || at < to && bytes[at] == '+') {
            at++;
        }
        int first = at;
        int point = -1;
        long number = 0;
        for (; at < to; at++) {
            int digit = bytes[at] - '0';
            if (digit >= 0 && digit <= 9) {
                number = 10 * number + digit;
            } else if (bytes[at] == '.' && point < 0) {
                point = at;
            } else {
                return false;
            }
        }
        int count = to - first - (point < 0 ? 0 : 1);
        fractionDigits = point < 0 ? 0 : to - point - 1;
        value = negative ? -number : number;
        return count > 0 && count <= LONG_DIGITS;
    }

    /** Digits that fit without rounding. */
    public boolean decimal(byte[] bytes, int from, int to, int precision, int scale) {
        if (!digits(bytes, from, to) || fractionDigits > scale) {
            return false;
        }
        int shift = scale - fractionDigits;
        if (Math.abs(value) >= TENS[Math.max(0, precision - shift)]) {
            return false;
        }
        value *= TENS[shift];
        return true;
    }

    public boolean doubleBits(byte[] bytes, int from, int to) {
        if (digits(bytes, from, to) && Math.abs(value) < EXACT_DOUBLE && (value != 0 || bytes[from] != '-')) {
            value = Double.doubleToRawLongBits(value / DOUBLE_TENS[fractionDigits]);
            return true;
        }
        if (!looksDecimal(bytes, from, to)) {
            return false;
        }
        try {
            value = Double.doubleToRawLongBits(Double.parseDouble(text(bytes, from, to)));
            return true;
        } catch (NumberFormatException notOne) {
            return false;
        }
    }

    public boolean floatBits(byte[] bytes, int from, int to) {
        if (digits(bytes, from, to) && Math.abs(value) < EXACT_FLOAT && (value != 0 || bytes[from] != '-')
                && fractionDigits <= EXACT_FLOAT_POWER) {
            value = Float.floatToRawIntBits(value / (float) TENS[fractionDigits]);
            return true;
        }
        if (!looksDecimal(bytes, from, to)) {
            return false;
        }
        try {
            value = Float.floatToRawIntBits(Float.parseFloat(text(bytes, from, to)));
            return true;
        } catch (NumberFormatException notOne) {
            return false;
        }
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static boolean looksDecimal(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            byte b = bytes[at];
            if ((b < '0' || b > '9') && b != '.' && b != '-' && b != '+' && b != 'e' && b != 'E') {
                return false;
            }
        }
        return true;
    }

    boolean bool(byte[] bytes, int from, int to) {
        value = to - from == 4 ? 1 : 0;
        return to - from == 4 ? isWord(bytes, from, "true") : to - from == 5 && isWord(bytes, from, "false");
    }

    private static boolean isWord(byte[] bytes, int from, String word) {
        for (int k = 0; k < word.length(); k++) {
            if ((bytes[from + k] | 0x20) != word.charAt(k)) {
                return false;
            }
        }
        return true;
    }

    /** {@code yyyy-MM-dd}. */
    boolean date(byte[] bytes, int from, int to) {
        return to - from == 10 && day(bytes, from);
    }

    private boolean day(byte[] bytes, int at) {
        int year = two(bytes, at) * 100 + two(bytes, at + 2);
        int month = two(bytes, at + 5);
        int day = two(bytes, at + 8);
        if (two(bytes, at) < 0 || two(bytes, at + 2) < 0 || bytes[at + 4] != '-' || bytes[at + 7] != '-' || year < 1
                || month < 1 || month > 12 || day < 1) {
            return false;
        }
        int key = (year * 16 + month) * 32 + day;
        if (key != cachedDay) {
            if (day > 28 && day > java.time.YearMonth.of(year, month).lengthOfMonth()) {
                return false;
            }
            cachedDay = key;
            cachedEpochDay = LocalDate.of(year, month, day).toEpochDay();
        }
        value = cachedEpochDay;
        return true;
    }

    /** Two digits as a number, or a number far below zero. */
    private static int two(byte[] bytes, int at) {
        int tens = bytes[at] - '0';
        int ones = bytes[at + 1] - '0';
        return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1_000_000 : 10 * tens + ones;
    }

    /**
     * {@code yyyy-MM-ddTHH:mm:ss}, or with a space for the T, up to nine fraction digits (those beyond microseconds cut), and
     * with {@code zoned} perhaps {@code Z} or {@code +hh:mm}.
     */
    boolean timestamp(byte[] bytes, int from, int to, boolean zoned) {
        if (to - from < 19 || bytes[from + 10] != 'T' && bytes[from + 10] != ' ' || bytes[from + 13] != ':'
                || bytes[from + 16] != ':' || !day(bytes, from)) {
            return false;
        }
        int hours = two(bytes, from + 11);
        int minutes = two(bytes, from + 14);
        int seconds = two(bytes, from + 17);
        if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) {
            return false;
        }
        value = value * MICROS_PER_DAY + (hours * 60L + minutes) * MICROS_PER_MINUTE + seconds * MICROS_PER_SECOND;
        int at = from + 19;
        if (at < to && bytes[at] == '.') {
            at = fraction(bytes, at + 1, to);
        }
        return at > 0 && (zoned ? offset(bytes, at, to) : at == to);
    }

    /** @return where the fraction ends, or -1 */
    private int fraction(byte[] bytes, int from, int to) {
        long unit = MICROS_PER_SECOND;
        int at = from;
        for (; at < to && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
            unit /= 10;
            value += unit * (bytes[at] - '0');
        }
        return at == from || at - from > MAX_FRACTION_DIGITS ? -1 : at;
    }

    private boolean offset(byte[] bytes, int at, int to) {
        if (at == to) {
            value -= zoneMicros;
            return fixedZone;
        }
        if (bytes[at] == 'Z') {
            return at + 1 == to;
        }
        if (to - at != 6 || bytes[at] != '+' && bytes[at] != '-' || bytes[at + 3] != ':') {
            return false;
        }
        int hours = two(bytes, at + 1);
        int minutes = two(bytes, at + 4);
        if (hours < 0 || hours >= MAX_OFFSET_HOURS || minutes < 0 || minutes > 59) {
            return false;
        }
        long micros = (hours * 60L + minutes) * MICROS_PER_MINUTE;
        value += bytes[at] == '-' ? micros : -micros;
        return true;
    }
}
