package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.PacketOrder;

/** What {@link PairedPackets} knows of one of its two streams. */
final class PairSide {
    final PairedPackets.Stream stream;
    /** Null if time alone counts. */
    final PacketOrder ties;
    final KeptPackets kept;
    /** For packets of older snapshots, which are read with their clocks. */
    final Packet older;
    private final Packet view;
    boolean ended;

    /** @param name of the state */
    PairSide(String name, PairedPackets.Stream stream, ListedPackets.Part part) {
        this.stream = stream;
        kept = new KeptPackets(name, new KeptPackets.Kind(stream.schema(), stream.order().time(), stream.key()), part);
        ties = stream.order().orderBy().isEmpty() ? null
                : new PacketOrder(stream.schema().layout(), stream.order().orderBy());
        older = new Packet(stream.schema().layout());
        view = new Packet(stream.schema().layout());
    }

    long watermark(ClockedLine line) {
        long reached = line.greatest - stream.delay();
        return ended || line.silent ? Long.MAX_VALUE : reached <= line.greatest ? reached : Long.MIN_VALUE;
    }

    /**
     * Inserts a copy of a packet into a line for which there is room: behind those that have been taken.
     *
     * @return its index
     */
    int insert(ClockedLine line, Packet packet, int group) {
        long time = kept.time(packet);
        int at = line.end();
        while (at > line.next() && isBefore(packet, time, line, at - 1)) {
            at--;
        }
        line.insert(at, time, kept.add(packet), group);
        return at;
    }

    /** Whether a new packet comes before one that waits. */
    private boolean isBefore(Packet packet, long time, ClockedLine line, int waiting) {
        if (time != line.time(waiting) || ties == null) {
            return time < line.time(waiting);
        }
        kept.view(line.place(waiting), view);
        return ties.compare(packet, view) < 0;
    }

    void mark(ClockedLine line, int index) {
        line.mark(index);
        kept.mark(line.place(index));
    }

    /** Moves the packets of a line to other places, and answers how many they are. */
    int move(ClockedLine line) {
        line.move(kept::move);
        return line.end() - line.first();
    }

    boolean isSilent(ClockedLine line, long micros) {
        return stream.idle() != Long.MAX_VALUE && line.heard <= micros - stream.idle();
    }
}
