package io.despina.runtime.deployment;

/**
 * The graph's settings that a task needs.
 *
 * @param batchScheduling false: a task takes one packet per run (the experiments' switch)
 * @param objectReuse     false: an object per packet (the experiments' switch)
 * @param queueTargetNanos bound on what is queued, in time at the current drain rate
 * @param maxPacketBytes  the largest packet
 */
public record TaskSettings(boolean batchScheduling, boolean objectReuse, long queueTargetNanos, int maxPacketBytes) {
    public static final TaskSettings DEFAULT = new TaskSettings(true, true, 100_000_000L, 16 << 20);
}
