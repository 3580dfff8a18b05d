package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.EventOrder;
import io.despina.state.KeyedDeques;
import io.despina.state.KeyedTable;
import io.despina.state.PacketDeque;
import io.despina.state.State;
import io.despina.state.ValueFormat;

/**
 * Emits a row per packet, in event order: the aggregates over the last so many packets of its group, itself included, as Spark's
 * ROWS … PRECEDING AND CURRENT ROW. The cost per packet does not grow with their number, see {@link TrailingWindow}.
 */
public final class TrailingCountAggregate extends PacketWindows<TrailingWindow> {
    /** Of each packet that was restored: they leave by their number. */
    private static final long NO_TIME = Long.MIN_VALUE;

    private final long size;
    private Schema packets;
    private KeyedDeques<TrailingWindow> stored;
    private Packet view;

    /**
     * @param order of the input's packets
     * @param size  packets, at least 1
     * @param keys  of the groups
     */
    public TrailingCountAggregate(EventOrder order, long size, Keys keys, Compiled<Aggregation> compiled) {
        super(new Aggregated(order, keys, compiled));
        this.size = size;
    }

    @Override
    public void open(OperatorContext opened) {
        packets = opened.input(0);
        view = new Packet(packets.layout());
        super.open(opened);
    }

    @Override
    ValueFormat<TrailingWindow> format(Aggregation aggregation) {
        return TrailingContent.format(packets);
    }

    private TrailingWindow window(PacketDeque all) {
        return new TrailingWindow(aggregation(), goesOn(), all, view);
    }

    @Override
    State stored(KeyedTable<TrailingWindow> all) {
        stored = new KeyedDeques<>(all, packets, new TrailingContent(this::key, packet -> NO_TIME, this::window));
        return stored;
    }

    @Override
    void take(Packet packet, long time) throws Exception {
        Packet of = key(packet);
        int entry = groups().find(of);
        TrailingWindow window = entry == KeyedTable.NONE ? window(stored.newDeque()) : groups().edit(entry);
        window.addInPlace(size, time, packet);
        if (entry == KeyedTable.NONE) {
            groups().add(of, window);
        } else {
            groups().recount(entry);
        }
        emit(of, packet, window.result());
    }
}
