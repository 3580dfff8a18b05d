package io.despina.packet;

/** Looks at eight bytes of text at a time, as one number (SWAR). */
public final class EightBytes {
    private static final long EACH = 0x0101010101010101L;
    private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;
    public static final long HIGH_BITS = ~LOW_BITS;

    private EightBytes() {
    }

    /** Eight times one byte. */
    public static long of(int one) {
        return (one & 0xFFL) * EACH;
    }

    /**
     * Has the high bit of each byte of {@code eight} that equals the byte of {@code wanted} at its place. Above the lowest such
     * bit, others may be set too.
     */
    public static long matches(long eight, long wanted) {
        long others = eight ^ wanted;
        return others - EACH & ~others & HIGH_BITS;
    }

    /** How many bytes of {@code eight} equal those of {@code wanted} at their places. */
    public static int count(long eight, long wanted) {
        long others = eight ^ wanted;
        return Long.bitCount(~((others & LOW_BITS) + LOW_BITS | others | LOW_BITS));
    }
}
