package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;

/** ChannelPackets packets for tests: a sequence number and a payload. */
public final class ChannelPackets {
    public static final Schema SCHEMA = Schema.of(new Column("sequence", Type.Simple.BIGINT, false),
            new Column("due", Type.Simple.TIMESTAMP, false), new Column("payload", Type.Simple.BINARY, false));
    /** Makes packets of 51 bytes. */
    public static final int PAYLOAD = 34;

    private ChannelPackets() {
    }

    public static void write(PacketWriter writer, long sequence, int payload) {
        writer.begin();
        writer.setLong(0, sequence);
        writer.setLong(1, sequence * 7);
        int at = writer.reserve(payload);
        for (int k = 0; k < payload; k++) {
            writer.bytes()[at + k] = (byte) (sequence + k);
        }
        writer.endValue(2, at + payload);
        writer.commit();
    }

    /** Adds the sequence numbers of a segment to {@code to}, and checks every byte. */
    public static void read(Segment segment, List<Long> to) {
        PacketCursor cursor = PacketCursor.reusing(SCHEMA.layout());
        cursor.reset(segment.bytes(), segment.start, segment.end);
        int count = 0;
        for (Packet p = cursor.next(); p != null; p = cursor.next()) {
            long sequence = p.getLong(0);
            byte[] payload = p.copyOfValue(2);
            for (int k = 0; k < payload.length; k++) {
                if (payload[k] != (byte) (sequence + k)) {
                    throw new AssertionError("packet " + sequence + " has a wrong byte at " + k);
                }
            }
            to.add(sequence);
            count++;
        }
        if (count != segment.packets) {
            throw new AssertionError(count + " packets in a segment that says " + segment.packets);
        }
    }
}
