package io.despina.arrow;

import io.despina.operator.Rows;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.List;
import java.util.function.Consumer;

/** Rows as the batches that cross to a process and back, and as streams. */
public final class Batches {
    private Batches() {
    }

    public static byte[] encode(Schema schema, List<List<Object>> rows) {
        return encode(BatchWriter.ofAll(schema), schema, rows);
    }

    /** @param writer of some columns, or all */
    public static byte[] encode(BatchWriter writer, Schema schema, List<List<Object>> rows) {
        add(schema, rows, writer::add);
        return writer.take();
    }

    /** @param timeZone of the stream's times */
    public static byte[] stream(Schema schema, String timeZone, List<List<Object>> rows) {
        StreamWriter writer = new StreamWriter(schema, timeZone);
        add(schema, rows, writer::add);
        return writer.take();
    }

    private static void add(Schema schema, List<List<Object>> rows, Consumer<Packet> to) {
        byte[] packets = Rows.encode(schema, rows);
        PacketCursor cursor = PacketCursor.reusing(schema.layout());
        cursor.reset(packets, 0, packets.length);
        for (Packet packet = cursor.next(); packet != null; packet = cursor.next()) {
            to.accept(packet);
        }
    }

    public static List<List<Object>> decode(Schema schema, byte[] message) {
        return decode(new BatchReader(schema), schema, message);
    }

    public static List<List<Object>> decode(BatchReader reader, Schema schema, byte[] message) {
        int count = reader.wrap(message);
        PacketWriter rows = Rows.growing(schema);
        for (int k = 0; k < count; k++) {
            rows.begin();
            reader.write(k, rows, 0);
            rows.commit();
        }
        return Rows.decode(schema, rows.bytes(), 0, rows.position());
    }
}
