package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;

/** What {@link PairedPackets} knows of one of its two streams. */
final class PairSide {
    final PairedPackets.Stream stream;
    /** Null if time alone counts. */
    final PacketOrder ties;
    final Packet view;
    boolean ended;

    PairSide(PairedPackets.Stream stream) {
        this.stream = stream;
        ties = stream.order().orderBy().isEmpty() ? null
                : new PacketOrder(stream.schema().layout(), stream.order().orderBy());
        view = new Packet(stream.schema().layout());
    }

    long watermark(ClockedLine line) {
        long reached = line.greatest - stream.delay();
        return ended || line.silent ? Long.MAX_VALUE : reached <= line.greatest ? reached : Long.MIN_VALUE;
    }

    boolean isSilent(ClockedLine line, long micros) {
        return stream.idle() != Long.MAX_VALUE && line.heard <= micros - stream.idle();
    }
}
