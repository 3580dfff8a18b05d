package io.despina.metrics;

/**
 * How far a source is behind what it reads, as far as it knows.
 *
 * @param records that wait at the server it reads from; {@link #UNKNOWN} if it cannot know
 * @param bytes   that have come to it and wait to be sent on; likewise
 */
public record Behind(long records, long bytes) {
    public static final long UNKNOWN = -1;
    public static final Behind NOTHING_KNOWN = new Behind(UNKNOWN, UNKNOWN);

    /** That of two instances. What one of them does not know counts as nothing. */
    public Behind plus(Behind o) {
        return new Behind(sum(records, o.records), sum(bytes, o.bytes));
    }

    private static long sum(long one, long other) {
        return one == UNKNOWN || other == UNKNOWN ? Math.max(one, other) : one + other;
    }
}
