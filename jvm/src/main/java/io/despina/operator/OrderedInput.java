package io.despina.operator;

import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.state.EventBuffer;
import io.despina.state.EventOrder;
import io.despina.state.LayoutAdapter;
import io.despina.state.NamedNumbers;
import io.despina.state.State;

/**
 * An input port that delivers its packets in event order: they wait here until the watermark passes them. A packet with an event
 * time before the watermark is late: it is counted and leaves by the port {@code late}.
 */
public final class OrderedInput {
    private static final int WATERMARK = 0;

    private final int timeColumn;
    private final OperatorContext context;
    private final Output out;
    private final LatePort late;
    private final LayoutAdapter adapter;
    private final EventBuffer waiting;
    private final NamedNumbers progress;
    /** A copy of the value in {@link #progress}, for speed. */
    private long watermark = Long.MIN_VALUE;

    /**
     * How packets wait.
     *
     * @param schema the port's, perhaps with more columns nullable
     * @param prefix of the states' names
     */
    public record Waiting(EventOrder order, Schema schema, String prefix) {
    }

    /**
     * @param port of the packets
     * @param keys of the packets that wait
     */
    public OrderedInput(OperatorContext context, int port, Waiting how, KeyReader keys) {
        this.context = context;
        timeColumn = how.order.time();
        out = context.output(0);
        late = new LatePort(context, context.input(port));
        adapter = new LayoutAdapter(context.input(port), how.schema);
        waiting = new EventBuffer(how.prefix + "waiting", how.schema, how.order, keys::bucket);
        progress = new NamedNumbers(how.prefix + "watermark", Long.MIN_VALUE);
    }

    /** Takes packets until there are none left or an output is full. */
    public void accept(PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        Packet packet;
        while (late.hasRoom() && (packet = packets.next()) != null) {
            if (packet.isNull(timeColumn)) {
                context.badRecord(new IllegalArgumentException("its event time is NULL"), packet);
            } else if (packet.getLong(timeColumn) < watermark) {
                late.write(packet);
            } else {
                waiting.add(adapter.adapt(packet));
            }
        }
    }

    /** A packet that waited here has come too late for another reason than its time. There is room for it. */
    public void late(Packet kept) {
        late.write(adapter.back(kept));
    }

    public boolean hasRoomForLate() {
        return late.hasRoom();
    }

    /** Hands a packet that waited here to {@code on_error}. */
    public void badRecord(Exception why, Packet kept) throws Exception {
        context.badRecord(why, adapter.back(kept));
    }

    public void watermark(long grown) {
        watermark = Math.max(watermark, grown);
        progress.set(WATERMARK, watermark);
    }

    public long watermark() {
        return watermark;
    }

    /** Whether a packet waits that the watermark has passed. */
    public boolean isReady() {
        return waiting.isReady(watermark);
    }

    /** The packets that wait. */
    public EventBuffer waiting() {
        return waiting;
    }

    /** For {@link OperatorState}. */
    public State[] states() {
        return new State[] {progress, waiting};
    }

    /** Called by the operator's {@link Operator#restored}. */
    public void restored() {
        watermark = progress.get(WATERMARK);
    }
}
