package io.despina.operator.join;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.OrderedInput;
import io.despina.packet.PacketCursor;
import io.despina.state.EventOrder;
import io.despina.state.State;
import java.util.List;

/**
 * Merges the streams that meet in its port by event order: a packet waits until the watermark of all of them has passed it.
 * Ports: in; out, late.
 */
public final class OrderedUnion implements Operator {
    private final EventOrder order;

    private OperatorContext context;
    private Output out;
    private OrderedInput ordered;
    private OperatorState state;

    /** @param order of the packets */
    public OrderedUnion(EventOrder order) {
        this.order = order;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        ordered = new OrderedInput(opened, 0, new OrderedInput.Waiting(order, opened.input(0), ""),
                new KeyReader(Keys.none(), opened.instance()));
        state = new OperatorState(opened).with(ordered.states());
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        ordered.accept(packets);
        state.report();
    }

    @Override
    public boolean watermark(long watermark) {
        ordered.watermark(watermark);
        while (ordered.isReady() && context.hasRoom()) {
            out.writer().copy(ordered.waiting().head());
            ordered.waiting().dropHead();
        }
        state.report();
        return !ordered.isReady();
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        ordered.restored();
    }
}
