package io.despina.operator.source;

/**
 * A source's event time.
 *
 * @param column         ordinal of a TIMESTAMP column (or TIMESTAMP_NTZ) in the source's schema
 * @param maxDelayMicros how far behind the greatest event time seen the watermark stays
 * @param idleAfterNanos after how long without a packet the source counts as idle; {@link #NEVER}
 */
public record EventTime(int column, long maxDelayMicros, long idleAfterNanos) {
    public static final long NEVER = Long.MAX_VALUE;
}
