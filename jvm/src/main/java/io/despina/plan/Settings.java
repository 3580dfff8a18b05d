package io.despina.plan;

import io.despina.spec.Balance;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;

/**
 * The graph's settings, defaults filled in.
 *
 * @param timeZone       of expressions, an id of java.time.ZoneId
 * @param ansi           Spark's ANSI mode: an overflow or a bad cast is an error, not NULL
 * @param keys           how keys are dealt out
 * @param buffer         the default for links
 * @param compression    the default for links
 * @param queueTargetMs  the time in which queued data should be processed
 * @param maxPacketBytes a longer packet is an error; 0 for the limit of the resources' memory
 */
public record Settings(String timeZone, boolean ansi, KeyDealing keys, BufferSpec buffer, CompressionSpec compression,
        long queueTargetMs, int maxPacketBytes, Experiment experiment) {

    /** @param buckets of state, fixed for a graph's life */
    public record KeyDealing(int buckets, Balance balance) {
    }

    /** Buckets of keys, fixed for a graph's life. */
    public int buckets() {
        return keys.buckets;
    }

    /**
     * Switches that only experiments change.
     *
     * @param batchScheduling false: tasks are woken per packet
     * @param objectReuse     false: an object per packet
     */
    public record Experiment(boolean batchScheduling, boolean objectReuse) {
    }
}
