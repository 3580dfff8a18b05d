package io.despina.metrics;

/** What a resource's process has used. Each is described in {@link CounterDoc}. */
public record ResourceSnapshot(double cpuSeconds, long gcMillis, long allocatedBytes, long maxMemoryBytes,
                               long contextSwitches) {

    /** What was used since {@code start}; the most memory is what it is. */
    public ResourceSnapshot since(ResourceSnapshot start) {
        return new ResourceSnapshot(cpuSeconds - start.cpuSeconds, gcMillis - start.gcMillis,
                allocatedBytes - start.allocatedBytes, maxMemoryBytes, contextSwitches - start.contextSwitches);
    }
}
