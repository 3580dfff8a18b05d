package io.despina.expr.catalyst;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.SplittableRandom;

/** Packets in memory, over which a benchmark runs an expression. */
final class PacketLoop {
    static final int PACKETS = 1 << 11;
    private static final int MOST_BYTES = 128;

    private final Packet[] inputs = new Packet[1];
    private final byte[] packets = new byte[PACKETS * MOST_BYTES];
    private final byte[] region = new byte[PACKETS * MOST_BYTES];
    private final PacketCursor cursor;
    private final int end;

    /** Writes the columns of a packet. */
    interface RowMaker {
        void write(PacketWriter row, SplittableRandom random, int k);
    }

    PacketLoop(Schema schema, RowMaker rows) {
        cursor = PacketCursor.reusing(schema.layout());
        PacketWriter writer = new PacketWriter(schema.layout(), (w, needed) -> { });
        writer.open(packets, 0, packets.length);
        SplittableRandom random = new SplittableRandom(1);
        for (int k = 0; k < PACKETS; k++) {
            rows.write(writer.begin(), random, k);
            writer.commit();
        }
        end = writer.position();
    }

    /** For rows of that schema, into this loop's memory. */
    PacketWriter writer(Schema result) {
        return new PacketWriter(result.layout(), (w, needed) -> w.move(region, 0, region.length));
    }

    /** @return how many packets pass */
    int filter(Predicate predicate) {
        int passed = 0;
        cursor.reset(packets, 0, end);
        for (inputs[0] = cursor.next(); inputs[0] != null; inputs[0] = cursor.next()) {
            passed += predicate.test(inputs) ? 1 : 0;
        }
        return passed;
    }

    /** @param out of {@link #writer} @return the size of the rows */
    int project(Projection projection, PacketWriter out) {
        out.open(region, 0, region.length);
        cursor.reset(packets, 0, end);
        for (inputs[0] = cursor.next(); inputs[0] != null; inputs[0] = cursor.next()) {
            projection.apply(inputs, out.begin());
            out.commit();
        }
        return out.position();
    }
}
