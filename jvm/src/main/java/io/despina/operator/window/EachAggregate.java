package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.InOrder;
import io.despina.operator.InOrderInputs;
import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import java.util.List;

/**
 * A row per packet, in event order: the aggregates over all packets of its group up to this one. A packet waits until the
 * watermark passes it; without an event time rows follow the order of packets. Ports: in; out, late.
 */
public final class EachAggregate implements Operator {
    private final EventOrder order;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;

    private OperatorContext context;
    private Output out;
    private InOrder ordered;
    private KeyReader key;
    private Aggregation aggregation;
    private Groups groups;
    private KeyedTable<Accumulator> table;
    private OperatorState state;

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
        aggregation = compiled.instance(opened.instance());
        groups = new Groups(aggregation, opened);
        table = new KeyedTable<>("groups", keys.schema(), keys.dealing(), AccumulatorFormat.of(aggregation));
        state = new OperatorState(opened).with(table);
        if (order != null) {
            ordered = InOrderInputs.open(opened, order, keys, key, this::takeReady);
            state.with(ordered.states());
        }
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (ordered != null) {
            ordered.accept(packets);
        } else {
            emitAsTheyCome(packets);
        }
        state.report();
    }

    private void emitAsTheyCome(PacketCursor packets) throws Exception {
        while (out.hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                return;
            }
            emit(packet);
        }
    }

    @Override
    public boolean timer(long micros) throws Exception {
        boolean done = ordered.timer(micros, 1);
        state.report();
        return done;
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        if (ordered == null) {
            return true;
        }
        ordered.watermark(watermark);
        boolean done = takeReady();
        state.report();
        return done;
    }

    private boolean takeReady() throws Exception {
        while (ordered.isReady() && context.hasRoom()) {
            emit(ordered.head());
            ordered.dropHead();
        }
        return !ordered.isReady();
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
