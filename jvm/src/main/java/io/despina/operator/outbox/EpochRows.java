package io.despina.operator.outbox;

import io.despina.log.Log;
import io.despina.log.LogReader;
import io.despina.operator.OperatorContext;
import io.despina.packet.PacketCursor;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Rows of an epoch in the log of an outbox: from one item to another. */
record EpochRows(long from, long to) {
    /** How a record begins. */
    static final ByteBuffer VERSION = ByteBuffer.wrap(new byte[] {1});

    boolean isEmpty() {
        return from == to;
    }

    String text() {
        return from + " " + to;
    }

    static EpochRows of(String text) {
        String[] ends = text.split(" ");
        return new EpochRows(Long.parseLong(ends[0]), Long.parseLong(ends[1]));
    }

    /** Gives them to a sink, which lets them go. */
    void leave(Log log, OperatorContext context, LeavingSink by) throws Exception {
        PacketCursor packets = PacketCursor.reusing(context.input(0).layout());
        try (LogReader reader = log.reader(from)) {
            for (long next = from; next < to; next = reader.number() + reader.items()) {
                if (!reader.next()) {
                    throw new IOException("row " + next + " of the outbox of `" + context.operatorId() + "` is gone");
                }
                int start = reader.from() + VERSION.remaining();
                if (reader.bytes()[reader.from()] != VERSION.get(0)) {
                    throw new IOException("the outbox of `" + context.operatorId() + "` is of another version of the engine");
                }
                packets.reset(reader.bytes(), start, reader.to());
                by.process(0, packets);
            }
            by.release();
        }
    }
}
