package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.InOrder;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.operator.order.Ordered;
import io.despina.operator.order.OrderedOperator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;

/**
 * A row per packet, in event order: the aggregates over all packets of its group up to this one. A packet waits until the
 * watermark passes it; without an event time rows follow the order of packets. Ports: in; out, late.
 */
public final class EachAggregate implements OrderedOperator {
    private final EventOrder order;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;

    private OperatorContext context;
    private Output out;
    private Ordered ordered;
    private KeyReader key;
    private KeysAhead ahead;
    private Aggregation aggregation;
    private Groups groups;
    private KeyedTable<Accumulator> table;

    /** @param order of the input's packets; null if it has no event time */
    public EachAggregate(EventOrder order, Keys keys, Compiled<Aggregation> compiled) {
        this.order = order;
        this.keys = keys;
        this.compiled = compiled;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        key = new KeyReader(keys, opened.instance());
        ahead = new KeysAhead(keys, opened);
        aggregation = compiled.instance(opened.instance());
        groups = new Groups(aggregation, opened);
        table = new KeyedTable<>("groups", keys.schema(), keys.dealing(), AccumulatorFormat.of(aggregation));
        ordered = new Ordered(opened, new Ordered.Packets(order, keys, key), new OperatorState(opened).with(table), this);
    }

    @Override
    public Ordered ordered() {
        return ordered;
    }

    @Override
    public void takeAsTheyCome(PacketCursor packets, long now) throws Exception {
        Packet packet;
        while (out.hasRoom() && (packet = ahead.next(packets, table)) != null) {
            emit(packet);
        }
    }

    @Override
    public boolean takeReady(InOrder input) throws Exception {
        while (input.isReady() && context.hasRoom()) {
            ahead.before(input, table);
            emit(input.head());
            input.dropHead();
        }
        return !input.isReady();
    }

    private void emit(Packet packet) throws Exception {
        try {
            Packet of = key.of(packet);
            Accumulator accumulator = groups.update(table, of, packet);
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(accumulator, key.forRow(of), packet, null, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }
}
