package io.despina.operator;

/**
 * The clocks of keys: each key's watermark is its own greatest event time less a delay.
 *
 * @param keys           of the clocks; each group of the operator belongs to one
 * @param maxDelayMicros how far a packet may be behind its key's greatest event time
 */
public record Clocks(Keys keys, long maxDelayMicros) {

    /** The watermark of a key whose greatest event time is {@code greatest}. */
    public long watermark(long greatest) {
        long reached = greatest - maxDelayMicros;
        return reached <= greatest ? reached : Long.MIN_VALUE;
    }
}
