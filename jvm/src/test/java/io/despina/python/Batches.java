package io.despina.python;

import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.List;
import java.util.stream.IntStream;

/** Rows as the batches that cross to a process and back. */
public final class Batches {
    private Batches() {
    }

    public static byte[] encode(Schema schema, List<List<Object>> rows) {
        BatchWriter writer = new BatchWriter(schema, IntStream.range(0, schema.size()).toArray());
        byte[] packets = Rows.encode(schema, rows);
        PacketCursor cursor = PacketCursor.reusing(schema.layout());
        cursor.reset(packets, 0, packets.length);
        for (Packet packet = cursor.next(); packet != null; packet = cursor.next()) {
            writer.add(packet);
        }
        return writer.take();
    }

    public static List<List<Object>> decode(Schema schema, byte[] message) {
        BatchReader reader = new BatchReader(schema);
        PacketWriter rows = Rows.growing(schema);
        for (int k = 0; k < reader.wrap(message); k++) {
            rows.begin();
            reader.write(k, rows, 0);
            rows.commit();
        }
        return Rows.decode(schema, rows.bytes(), 0, rows.position());
    }
}
