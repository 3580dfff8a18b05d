package io.despina.operator.keyed;

import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.OrderedInput;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.EventOrder;
import io.despina.state.KeyFilter;
import io.despina.state.State;
import java.util.List;

/**
 * The first packet of each key, as {@link Deduplicate} has it, in memory of a fixed size. No duplicate leaves. A packet that is
 * none may be dropped, as seldom as {@link KeyFilter.Options#rate} says. A key is forgotten when its time has passed, or up to a
 * seventh of it later. Ports: in; out, late.
 */
public final class ApproximateDeduplicate implements Operator {
    private final EventOrder order;
    private final Keys by;
    private final KeyFilter.Options options;

    private OperatorContext context;
    private Output out;
    private OrderedInput ordered;
    private KeyReader keys;
    private KeyFilter seen;
    private OperatorState state;
    private long counted;

    /**
     * @param order of the input's packets; null if it has no event time, and no key is forgotten
     * @param by    packets with equal keys are duplicates
     */
    public ApproximateDeduplicate(EventOrder order, Keys by, KeyFilter.Options options) {
        this.order = order;
        this.by = by;
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        keys = new KeyReader(by, opened.instance());
        seen = new KeyFilter("seen", by.schema(), by.buckets(), options);
        state = new OperatorState(opened).with(seen);
        if (order != null) {
            ordered = new OrderedInput(opened, 0, new OrderedInput.Waiting(order, opened.input(0), ""), keys);
            state.with(ordered.states());
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (ordered != null) {
            ordered.accept(packets);
        } else {
            takeAsTheyCome(packets);
        }
        state.report();
    }

    private void takeAsTheyCome(PacketCursor packets) throws Exception {
        Packet packet;
        while (out.hasRoom() && (packet = packets.next()) != null) {
            take(packet, 0);
        }
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        if (ordered == null) {
            return true;
        }
        ordered.watermark(watermark);
        while (ordered.isReady() && context.hasRoom()) {
            take(ordered.waiting().head(), ordered.waiting().headTime());
            ordered.waiting().dropHead();
        }
        state.report();
        return !ordered.isReady();
    }

    private void take(Packet packet, long time) throws Exception {
        try {
            if (seen.add(keys.of(packet), time)) {
                out.writer().copy(packet);
            }
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
        if (seen.bytes() != counted) {
            counted = seen.bytes();
            state.report();
        }
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        if (ordered != null) {
            ordered.restored();
        }
    }
}
