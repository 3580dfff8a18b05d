package io.despina.runtime.task;

import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import java.util.Set;
import java.util.function.Consumer;

/** A cursor that gives no record that has failed its operator in attempt after attempt, but hands it to {@code on_error}. */
final class LeavingOutCursor extends PacketCursor {
    private final Packet view;
    private final long[] records;
    private final Consumer<Packet> leftOut;

    /** @param records their digests */
    LeavingOutCursor(PacketLayout layout, Set<String> records, Consumer<Packet> leftOut) {
        view = new Packet(layout);
        this.records = records.stream().mapToLong(RecordDigest::bits).toArray();
        this.leftOut = leftOut;
    }

    /** Null also behind a record that is left out: its dead letter may have taken the room for another packet. */
    @Override
    public Packet next() {
        if (isEmpty()) {
            return null;
        }
        Packet packet = advance(view);
        long digest = RecordDigest.bits(packet);
        for (long record : records) {
            if (record == digest) {
                leftOut.accept(packet);
                return null;
            }
        }
        return packet;
    }
}
