package io.despina.operator.database.sink;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * A numeric as PostgreSQL has it in binary: digits to the base of 10,000, the highest first.
 * <pre>
 * short digits | short weight: of the first digit, a power of 10,000 | short sign: 0, or 0x4000 below 0 | short scale | digits
 * </pre>
 */
final class BinaryNumeric {
    private static final int BASE = 10_000;
    private static final int DECIMALS = 4;
    private static final int HEAD = 4 * Short.BYTES;
    private static final int BELOW_ZERO = 0x4000;
    private static final int[] TENS = {1, 10, 100, 1_000};
    private static final BigInteger BIG_BASE = BigInteger.valueOf(BASE);

    private BinaryNumeric() {
    }

    /** Writes {@code unscaled} / 10^scale. @return how many bytes */
    static int put(long unscaled, int scale, byte[] to, int at) {
        int padding = Math.floorMod(-scale, DECIMALS);
        if (unscaled == Long.MIN_VALUE || padding > 0 && Math.abs(unscaled) > Long.MAX_VALUE / TENS[padding]) {
            return put(BigDecimal.valueOf(unscaled, scale), to, at);
        }
        long rest = Math.abs(unscaled) * TENS[padding];     // so that a digit of the base begins at the point
        int digits = 0;
        for (long left = rest; left > 0; left /= BASE) {
            digits++;
        }
        for (int k = digits - 1; k >= 0; k--) {
            PostgresBytes.putShort(to, at + HEAD + k * Short.BYTES, (int) (rest % BASE));
            rest /= BASE;
        }
        return head(to, at, digits, new Scaled(unscaled < 0, scale));
    }

    /** The same for more digits than a long has. */
    static int put(BigDecimal value, byte[] to, int at) {
        int scale = value.scale();
        BigInteger rest = value.unscaledValue().abs().multiply(BigInteger.valueOf(TENS[Math.floorMod(-scale, DECIMALS)]));
        int digits = 0;
        for (BigInteger left = rest; left.signum() > 0; left = left.divide(BIG_BASE)) {
            digits++;
        }
        for (int k = digits - 1; k >= 0; k--) {
            BigInteger[] parts = rest.divideAndRemainder(BIG_BASE);
            PostgresBytes.putShort(to, at + HEAD + k * Short.BYTES, parts[1].intValue());
            rest = parts[0];
        }
        return head(to, at, digits, new Scaled(value.signum() < 0, scale));
    }

    private record Scaled(boolean belowZero, int scale) {
    }

    private static int head(byte[] to, int at, int digits, Scaled of) {
        int behindPoint = (of.scale + DECIMALS - 1) / DECIMALS;
        PostgresBytes.putShort(to, at, digits);
        PostgresBytes.putShort(to, at + Short.BYTES, digits == 0 ? 0 : digits - behindPoint - 1);
        PostgresBytes.putShort(to, at + 2 * Short.BYTES, of.belowZero ? BELOW_ZERO : 0);
        PostgresBytes.putShort(to, at + 3 * Short.BYTES, of.scale);
        return HEAD + digits * Short.BYTES;
    }
}
