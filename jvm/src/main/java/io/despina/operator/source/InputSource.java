package io.despina.operator.source;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.SnapshotReader;
import io.despina.operator.SnapshotWriter;
import io.despina.operator.Source;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import java.io.IOException;

/**
 * Sends on the packets that the user's program gives, in their order, and ends when the program has said that nothing follows.
 * Whoever fills its queue wakes it.
 */
public final class InputSource implements Source {
    /** Bytes of packets after which {@link #produce} returns. */
    private static final int BATCH_BYTES = 1 << 16;
    private static final byte[] NOTHING = {};

    private final InputRows rows;
    private final EventTime eventTime;
    private Output out;
    private PacketCursor packets;
    private Watermarks watermarks;
    private long sent;
    /** How many of the first packets that come were sent before a restart. */
    private long sentBefore;

    /** @param eventTime or null */
    public InputSource(InputRows rows, EventTime eventTime) {
        this.rows = rows;
        this.eventTime = eventTime;
    }

    @Override
    public void open(OperatorContext context) {
        out = context.output(0);
        packets = PacketCursor.reusing(out.writer().layout());
        packets.reset(NOTHING, 0, 0);
        watermarks = eventTime == null ? null : new Watermarks(eventTime, out, context.clock().getAsLong());
    }

    @Override
    public long produce(long now) {
        long before = sent;
        out.due(now);
        long again = send(now);
        if (watermarks != null) {
            watermarks.batchDone(now, sent != before);
            again = watermarks.waiting(now, again);
        }
        return again;
    }

    private long send(long now) {
        PacketWriter writer = out.writer();
        int budget = BATCH_BYTES;
        while (out.hasRoom() && budget > 0) {
            Packet packet = packets.next();
            if (packet != null) {
                budget -= packet.size();
                send(packet, writer);
                continue;
            }
            byte[] next = rows.next();
            if (next == null) {
                return rows.hasEnded() ? ENDED : WHEN_WOKEN;
            }
            packets.reset(next, 0, next.length);
        }
        return now;
    }

    private void send(Packet packet, PacketWriter writer) {
        sent++;
        if (sent <= sentBefore) {
            return;
        }
        if (watermarks != null) {
            watermarks.before(packet);
        }
        writer.copy(packet);
    }

    /** How many packets it has sent: a program that gives the same rows again goes on behind them. */
    @Override
    public String position() {
        return Long.toString(Math.max(sent, sentBefore));
    }

    @Override
    public void seek(String position) {
        sentBefore = Long.parseLong(position);
    }

    @Override
    public void snapshot(SnapshotWriter writer) throws IOException {
        if (watermarks != null) {
            watermarks.snapshot(writer);
        }
    }

    @Override
    public void restore(SnapshotReader reader) throws IOException {
        if (watermarks != null) {
            watermarks.restore(reader);
        }
    }
}
