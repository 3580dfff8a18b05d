package io.despina.plan;

import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;

/**
 * The graph's settings, defaults filled in.
 *
 * @param timeZone        of expressions, an id of java.time.ZoneId
 * @param ansi            Spark's ANSI mode: an overflow or a bad cast is an error, not NULL
 * @param buckets         key buckets of state, fixed for a graph's life
 * @param buffer          the default for links
 * @param compression     of links that do not say otherwise
 * @param queueTargetMs   the time in which queued data should be processed
 * @param maxPacketBytes  a longer packet is an error; 0 for the limit of the resources' memory
 * @param batchScheduling false: tasks are woken per packet (an experiment's switch)
 * @param objectReuse     false: an object per packet (an experiment's switch)
 */
public record Settings(String timeZone, boolean ansi, int buckets, BufferSpec buffer, CompressionSpec compression,
        long queueTargetMs, int maxPacketBytes, boolean batchScheduling, boolean objectReuse) {
}
