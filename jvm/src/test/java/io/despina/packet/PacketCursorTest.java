package io.despina.packet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.operator.Rows;
import io.despina.packet.Type.Simple;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class PacketCursorTest {
    private static final Schema SCHEMA = Schema.of(new Column("n", Simple.INT, false), new Column("s", Simple.BINARY, true));

    /** Lengths around those where the varint grows. */
    private static byte[] packets(Random random, int count) {
        PacketWriter writer = Rows.growing(SCHEMA);
        for (int k = 0; k < count; k++) {
            int longest = random.nextInt(20) == 0 ? 17_000 : random.nextInt(3) == 0 ? 140 : 20;
            Rows.write(writer, SCHEMA, List.of(k, new byte[random.nextInt(longest)]));
        }
        return Arrays.copyOf(writer.bytes(), writer.position());
    }

    @Property(tries = 200)
    void runsCopyTheSameBytesAsPacketByPacket(@ForAll long seed) {
        Random random = new Random(seed);
        int count = random.nextInt(60);
        byte[] bytes = packets(random, count);
        PacketCursor cursor = PacketCursor.reusing(SCHEMA.layout());
        cursor.reset(bytes, 0, bytes.length);
        ByteArrayOutputStream copied = new ByteArrayOutputStream();
        int[] regions = {0};
        int[] written = {0};
        PacketWriter writer = new PacketWriter(SCHEMA.layout(), (w, needed) -> {
            copied.write(w.bytes(), 0, w.position());
            written[0] += w.packets();
            regions[0]++;
            int size = needed + random.nextInt(4000);
            w.move(new byte[size], 0, size);
        });
        while (writer.copyRun(cursor) || !cursor.isEmpty()) {
            Packet packet = cursor.next();
            if (packet != null) {
                writer.copy(packet);
            }
        }
        copied.write(writer.bytes(), 0, writer.position());
        assertArrayEquals(bytes, copied.toByteArray());
        assertEquals(count, written[0] + writer.packets());
        assertTrue(regions[0] > 0 || count == 0);
    }

    @Property(tries = 500)
    void damagedBytesAreRefusedAndNeverReadBeyond(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] bytes = packets(random, 1 + random.nextInt(20));
        for (int k = 0; k < 3; k++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        int limit = 1 + random.nextInt(bytes.length);
        assertEquals(walk(bytes, limit, false), walk(bytes, limit, true));
    }

    /** How many packets there are before one that is refused, and whether one was. */
    private static List<Object> walk(byte[] bytes, int limit, boolean runs) {
        PacketCursor cursor = PacketCursor.reusing(SCHEMA.layout());
        cursor.reset(bytes, 0, limit);
        int packets = 0;
        try {
            while (!cursor.isEmpty()) {
                packets += runs ? cursor.skip(1000) : 0;
                packets += cursor.next() == null ? 0 : 1;
                assertTrue(cursor.position() <= limit);
            }
        } catch (MalformedPacketException refused) {
            return List.of(packets, "refused");
        }
        return List.of(packets, "read");
    }
}
