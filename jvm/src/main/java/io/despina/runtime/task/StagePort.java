package io.despina.runtime.task;

import io.despina.link.PortOutput;
import io.despina.metrics.StageCounters;

/** An output port of a stage, and whether anything is linked to it. */
record StagePort(PortOutput output, boolean linked) {

    /** Counts what has been written to a stage's ports. @param errors the one for dead letters, or one that it has not */
    static void count(StagePort[] ports, int errors, StageCounters counters) {
        long out = 0;
        long dropped = 0;
        for (int k = 0; k < ports.length; k++) {
            long packets = ports[k].output.packets();
            if (!ports[k].linked) {
                dropped += packets;
            } else if (k == 0 && k != errors) {      // a sink's first port is `errors`
                out = packets;
            }
        }
        counters.packetsOut.set(out);
        counters.dropped.set(dropped);
    }
}
