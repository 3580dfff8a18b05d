package io.despina.control.spool;

import io.despina.arrow.StreamWriter;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.spool.Spool;
import io.despina.spool.SpoolException;
import io.despina.spool.SpoolRecords;
import java.io.IOException;

/** The rows of a spool as Arrow streams, for programs that know no packets. One thread. */
final class SpoolArrow implements AutoCloseable {
    private static final String ZONE = "UTC";
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_ROWS = 1 << 16;

    private final String name;
    private final SpoolRecords records;
    private final PacketCursor packets;
    private final StreamWriter arrow;
    /** The row that the cursor gives next. */
    private long next;

    /** @param begin the first row that will be taken */
    SpoolArrow(Spool spool, Schema schema, long begin) {
        name = spool.name();
        records = new SpoolRecords(spool.access(), name, begin);
        packets = PacketCursor.reusing(schema.layout());
        arrow = new StreamWriter(schema, ZONE);
        next = begin;
    }

    long next() {
        return next;
    }

    /**
     * A stream with the next rows: at least one, at most a megabyte or so, and none from {@code end} on.
     *
     * @throws SpoolException if they have not come
     */
    byte[] take(long end) throws IOException {
        int bytes = 0;
        while (next < end && arrow.rows() < MOST_ROWS && bytes < MOST_BYTES) {
            Packet packet = packets.next();
            if (packet == null) {
                fetch();
                continue;
            }
            arrow.add(packet);
            bytes += packet.size();
            next++;
        }
        return arrow.take();
    }

    private void fetch() throws IOException {
        if (!records.next(0)) {
            throw new SpoolException("row " + next + " of " + name + " has not come yet");
        }
        packets.reset(records.bytes(), records.from(), records.to());
        for (long before = records.first(); before < next; before++) {
            packets.next();
        }
    }

    @Override
    public void close() throws IOException {
        records.close();
    }
}
