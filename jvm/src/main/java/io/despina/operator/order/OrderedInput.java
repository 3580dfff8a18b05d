package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
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
public final class OrderedInput implements InOrder {
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

    @Override
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

    @Override
    public void late(Packet kept) {
        late.write(adapter.back(kept));
    }

    @Override
    public boolean hasRoomForLate() {
        return late.hasRoom();
    }

    @Override
    public void watermark(long grown) {
        watermark = Math.max(watermark, grown);
        progress.set(WATERMARK, watermark);
    }

    @Override
    public long watermark() {
        return watermark;
    }

    @Override
    public int clock() {
        return 0;
    }

    @Override
    public int clockOf(Packet group) {
        return 0;
    }

    @Override
    public boolean isReady() {
        return waiting.isReady(watermark);
    }

    @Override
    public long headTime() {
        return waiting.headTime();
    }

    @Override
    public Packet head() {
        return waiting.head();
    }

    @Override
    public boolean ahead(int k, Packet into) {
        return waiting.ahead(k, into);
    }

    @Override
    public void dropHead() {
        waiting.dropHead();
    }

    /** The packets that wait. */
    public EventBuffer waiting() {
        return waiting;
    }

    @Override
    public State[] states() {
        return new State[] {progress, waiting};
    }

    @Override
    public void restored() {
        watermark = progress.get(WATERMARK);
    }
}
