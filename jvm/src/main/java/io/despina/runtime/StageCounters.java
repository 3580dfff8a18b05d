package io.despina.runtime;

import io.despina.metrics.Counter;
import io.despina.metrics.Latency;
import io.despina.metrics.OperatorSnapshot;

/** What one operator instance counts. Written by its task's thread, read by any. */
final class StageCounters {
    final Counter packetsIn = new Counter();
    final Counter packetsOut = new Counter();
    final Counter errors = new Counter();
    final Counter late = new Counter();
    final Counter dropped = new Counter();
    final Counter runs = new Counter();
    final Counter stateBytes = new Counter();
    /** By packets' own due times; nothing unless the operator is a sink that knows them. */
    final Latency packetLatency = new Latency();
    /** Set once (volatile) by the task's thread if the operator is a sink, read by any. */
    private volatile Latency latency;
    /** Set once (volatile) by the task's thread, read by any. */
    private volatile String skipped;

    Latency ofSink() {
        latency = new Latency();
        return latency;
    }

    /** Null unless the operator is a sink and its task has run. */
    Latency latency() {
        return latency;
    }

    boolean hasSkipped() {
        return skipped != null;
    }

    /** @param record that was left out, and why */
    void skipped(String record) {
        skipped = record;
    }

    OperatorSnapshot snapshot() {
        return new OperatorSnapshot(packetsIn.get(), packetsOut.get(), errors.get(), late.get(), dropped.get(), runs.get(),
                stateBytes.get(), skipped);
    }
}
