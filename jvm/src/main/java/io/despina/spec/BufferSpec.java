package io.despina.spec;

/**
 * A link's buffers.
 *
 * @param capacityBytes   size of a full segment
 * @param flushAfterNanos the age of its first packet at which a segment leaves at the latest
 * @param timed           NEPTUNE's strict capacity and timer, without early flush
 */
public record BufferSpec(int capacityBytes, long flushAfterNanos, boolean timed) {
    public static final BufferSpec DEFAULT = new BufferSpec(64 << 10, 1_000_000, false);

    public BufferSpec {
        if (capacityBytes < 1 || flushAfterNanos < 0) {
            throw new IllegalArgumentException("capacity_bytes=" + capacityBytes + ", flush_after_nanos=" + flushAfterNanos
                    + ": a buffer needs at least one byte and no negative age");
        }
    }
}
