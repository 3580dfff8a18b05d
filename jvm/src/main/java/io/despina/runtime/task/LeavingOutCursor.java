package io.despina.runtime.task;

import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A cursor that gives no record that has failed its operator in attempt after attempt, but hands it to {@code on_error}. */
final class LeavingOutCursor extends PacketCursor {
    private final Packet view;
    private final long[] records;
    private final Consumer<Packet> leftOut;

    /** @param records their digests */
    private LeavingOutCursor(PacketLayout layout, Set<String> records, Consumer<Packet> leftOut) {
        view = new Packet(layout);
        this.records = records.stream().mapToLong(RecordDigest::bits).toArray();
        this.leftOut = leftOut;
    }

    /** Lets cursors leave records out. @param records their digests */
    static void put(PacketCursor[] cursors, List<Schema> schemas, Set<String> records, BiConsumer<Schema, Packet> leftOut) {
        for (int k = 0; k < cursors.length && !records.isEmpty(); k++) {
            Schema schema = schemas.get(k);
            cursors[k] = new LeavingOutCursor(schema.layout(), records, packet -> leftOut.accept(schema, packet));
        }
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
