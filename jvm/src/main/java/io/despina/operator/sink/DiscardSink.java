package io.despina.operator.sink;

import io.despina.operator.Sink;
import io.despina.operator.experiment.VerifyingSink;
import io.despina.packet.PacketCursor;

/** Drops what comes; the task counts it. See {@link VerifyingSink} for one that looks. */
public final class DiscardSink implements Sink {

    @Override
    public void process(int port, PacketCursor packets) {
        while (packets.next() != null) {
            continue;
        }
    }
}
