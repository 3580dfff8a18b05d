package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.OrderedInput;
import io.despina.packet.Packet;
import io.despina.state.EventBuffer;
import io.despina.state.EventOrder;

/**
 * Emits a row per packet, in event order, when the watermark passes the packet: the aggregates over the packets of its group in
 * [t - size, t], both ends and packets of equal time included, as Spark's RANGE … PRECEDING AND CURRENT ROW. Ports: in; out,
 * late. The cost per packet does not grow with the window if aggregates have a fixed size, see {@link TrailingWindow}.
 */
public final class TrailingAggregate extends TrailingRows {
    /** How many groups are checked per packet, in turn, to drop those whose packets are all too old. */
    private static final int SWEPT = 2;

    private EventBuffer waiting;
    private int swept;

    /**
     * @param order of the input's packets
     * @param size  microseconds, not negative
     * @param keys  of the groups
     */
    public TrailingAggregate(EventOrder order, long size, Keys keys, Compiled<Aggregation> compiled) {
        super(new Trailed(order, size, keys, compiled));
    }

    @Override
    InOrder input(OperatorContext opened, Trailed of, KeyReader keys) {
        OrderedInput ordered = new OrderedInput(opened, 0, new OrderedInput.Waiting(of.order(), opened.input(0), ""), keys);
        waiting = ordered.waiting();
        return ordered;
    }

    @Override
    Packet next() {
        return waiting.take();
    }

    @Override
    void taken(int entry, long from) {
        for (int k = 0; k < SWEPT && trails().limit() > 0; k++) {
            swept = swept + 1 < trails().limit() ? swept + 1 : 0;
            TrailingWindow window = trails().get(swept);
            if (window != null && window.isOver(from)) {
                forget(swept, from);
            }
        }
    }

    @Override
    void refused() {
        waiting.dropLast();
    }

    @Override
    int peers() {
        return waiting.taken();
    }

    @Override
    long peersTime() {
        return waiting.takenTime();
    }

    @Override
    void firstPeer(Packet into) {
        waiting.view(waiting.takenPlace(), into);
    }

    @Override
    void dropPeer() {
        waiting.drop();
    }
}
