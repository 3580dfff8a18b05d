package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.expr.WindowFacts;
import io.despina.operator.KeyReader;
import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.OrderedInput;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.state.EventBuffer;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.PacketArena;
import io.despina.state.PacketDeque;
import io.despina.state.State;
import java.util.List;

/**
 * Emits a row per packet, in event order, when the watermark passes the packet: the aggregates over the packets of its group in
 * [t - size, t], both ends and packets of equal time included, as Spark's RANGE … PRECEDING AND CURRENT ROW. Ports: in; out,
 * late. The cost per packet does not grow with the window if aggregates have a fixed size, see {@link TrailingWindow}.
 */
public final class TrailingAggregate implements Operator {
    /** How many groups are checked per packet, in turn, to drop those whose packets are all too old. */
    private static final int SWEPT = 2;

    private final EventOrder order;
    private final long size;
    private final Keys keys;
    private final Compiled<Aggregation> compiled;

    private final WindowFacts facts = new WindowFacts();

    private OperatorContext context;
    private Output out;
    private OrderedInput ordered;
    private EventBuffer waiting;
    private KeyReader key;
    private Aggregation aggregation;
    private PacketArena arena;
    private KeyedTable<TrailingWindow> trails;
    private OperatorState state;
    private int swept;

    private Packet current;
    private Packet view;

    /**
     * @param order of the input's packets
     * @param size  microseconds, not negative
     * @param keys  of the groups
     */
    public TrailingAggregate(EventOrder order, long size, Keys keys, Compiled<Aggregation> compiled) {
        this.order = order;
        this.size = size;
        this.keys = keys;
        this.compiled = compiled;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        key = new KeyReader(keys, opened.instance());
        ordered = new OrderedInput(opened, 0, new OrderedInput.Waiting(order, opened.input(0), ""), key);
        waiting = ordered.waiting();
        aggregation = compiled.instance(opened.instance());
        current = new Packet(opened.input(0).layout());
        view = new Packet(opened.input(0).layout());
        arena = new PacketArena();
        trails = new KeyedTable<>("trails", keys.schema(), keys.buckets(),
                new TrailingFormat(opened.input(0), arena, this::window));
        state = new OperatorState(opened).with(ordered.states()).with(trails).counting(arena::bytes);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        ordered.accept(packets);
        state.report();
    }

    @Override
    public boolean watermark(long watermark) throws Exception {
        ordered.watermark(watermark);
        boolean done = true;
        while (done && (waiting.taken() > 0 || ordered.isReady())) {
            done = takePeers() && emitPeers();
        }
        state.report();
        return done;
    }

    /**
     * Adds all packets of the earliest time to their windows; their rows follow. After a pause it continues with the same time,
     * for which no more packets arrive.
     *
     * @return false if there is no room for bad packets
     */
    private boolean takePeers() throws Exception {
        long time = waiting.taken() > 0 ? waiting.takenTime() : waiting.headTime();
        while (!waiting.isEmpty() && waiting.headTime() == time) {
            if (!context.hasRoom()) {
                return false;
            }
            Packet packet = waiting.take();
            try {
                trail(key.of(packet), time, packet);
            } catch (RuntimeException bad) {
                context.badRecord(bad, packet);
                waiting.dropLast();
            }
            sweep(Math.max(time, Long.MIN_VALUE + size) - size);
        }
        return true;
    }

    private TrailingWindow window(PacketDeque packets) {
        return new TrailingWindow(aggregation, !context.failsOnBadRecord(), packets, view);
    }

    private void trail(Packet of, long time, Packet packet) {
        if (time < Long.MIN_VALUE + size) {
            throw new ArithmeticException("the window before its event time, " + time + " microseconds since 1970, "
                    + "begins before what a TIMESTAMP holds");
        }
        int entry = trails.find(of);
        TrailingWindow window = entry == KeyedTable.NONE ? window(new PacketDeque(arena)) : trails.edit(entry);
        window.evict(time - size);
        window.add(time, packet);
        if (entry == KeyedTable.NONE) {
            trails.add(of, window);
        } else {
            trails.recount(entry);
        }
    }

    private void sweep(long from) {
        for (int k = 0; k < SWEPT && trails.limit() > 0; k++) {
            swept = swept + 1 < trails.limit() ? swept + 1 : 0;
            TrailingWindow window = trails.get(swept);
            if (window != null && window.isOver(from)) {
                trails.edit(swept).evict(from);
                trails.remove(swept);
            }
        }
    }

    /** Emits the rows of the packets taken; false if the output is full. */
    private boolean emitPeers() throws Exception {
        while (waiting.taken() > 0) {
            if (!context.hasRoom()) {
                return false;
            }
            waiting.view(waiting.takenPlace(), current);
            emit(current);
            waiting.drop();
        }
        return true;
    }

    private void emit(Packet packet) throws Exception {
        Packet of = key.of(packet);
        TrailingWindow window = trails.edit(trails.find(of));
        window.emitted();
        try {
            long time = packet.getLong(order.time());
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(window.result(), key.forRow(of), packet, facts.set(time - size, time), row);
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
        ordered.restored();
    }
}
