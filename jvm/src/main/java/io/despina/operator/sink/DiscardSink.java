package io.despina.operator.sink;

import io.despina.operator.Sink;
import io.despina.packet.PacketCursor;

/** Drops packets; the task counts them. */
public final class DiscardSink implements Sink {

    @Override
    public void process(int port, PacketCursor packets) {
        while (packets.next() != null) {
            continue;
        }
    }
}
