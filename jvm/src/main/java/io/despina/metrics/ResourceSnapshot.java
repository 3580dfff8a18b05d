package io.despina.metrics;

/**
 * What a resource's process has used.
 *
 * @param cpuSeconds      processor time, user and system
 * @param gcMillis        time in garbage collections
 * @param allocatedBytes  bytes that its threads allocated on the heap
 * @param maxMemoryBytes  the most resident memory it ever had
 * @param contextSwitches switches of its threads, voluntary and not
 */
public record ResourceSnapshot(double cpuSeconds, long gcMillis, long allocatedBytes, long maxMemoryBytes,
                               long contextSwitches) {

    /** What was used since {@code start}; the most memory is what it is. */
    public ResourceSnapshot since(ResourceSnapshot start) {
        return new ResourceSnapshot(cpuSeconds - start.cpuSeconds, gcMillis - start.gcMillis,
                allocatedBytes - start.allocatedBytes, maxMemoryBytes, contextSwitches - start.contextSwitches);
    }
}
