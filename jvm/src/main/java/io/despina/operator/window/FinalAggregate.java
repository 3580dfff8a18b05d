package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.KeysAhead;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.spec.ControlCommand;
import io.despina.state.Held;
import io.despina.state.KeyedTable;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Aggregates over the whole stream. At the end it emits a row per group, in the order in which the groups appeared; without
 * groups exactly one row, even of an empty stream. A user may ask for the rows so far. Ports: in; out.
 */
public final class FinalAggregate implements Commanded {
    private static final int EMITTED = 0;

    private final Keys keys;
    private final Compiled<Aggregation> compiled;

    private OperatorContext context;
    private Output out;
    private KeyReader key;
    private KeysAhead ahead;
    private Aggregation aggregation;
    private Groups groups;
    private KeyedTable<Accumulator> table;
    private NamedNumbers progress;
    private OperatorState state;
    private Packet group;
    /** Packets in the groups. No part of a snapshot. */
    private long taken;
    /** Null unless a user has asked for the rows so far. */
    private OpenFiring asked;
    private boolean isAtEnd;

    public FinalAggregate(Keys keys, Compiled<Aggregation> compiled) {
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
        group = new Packet(keys.schema().layout());
        table = new KeyedTable<>("groups", keys.schema(), keys.buckets(), AccumulatorFormat.of(aggregation));
        progress = new NamedNumbers("progress", 0);
        state = new OperatorState(opened).with(progress, table);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        while (true) {
            Packet packet = ahead.next(packets, table);
            if (packet == null) {
                break;
            }
            try {
                groups.update(table, key.of(packet), packet);
                taken++;
            } catch (RuntimeException bad) {
                context.badRecord(bad, packet);
            }
        }
        state.report();
    }

    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) {
        asked = OpenFiring.after(command, argument, asked, context);
        return CompletableFuture.completedFuture("");
    }

    @Override
    public boolean timer(long micros) throws Exception {
        // at the end of the stream its rows have left, or are about to
        if (asked != null && progress.get(EMITTED) == 0 && !isAtEnd) {
            if (!asked.leave(context, soFar())) {
                return false;
            }
            if (asked.closes()) {
                table.clear();      // all at once: entries that were removed one by one would be reused in another order
                taken = 0;
            }
        }
        asked = null;
        state.report();
        return true;
    }

    private OpenFiring.OpenGroups soFar() {
        return new OpenWindow.OfGroups(table) {
            @Override
            public void row(int entry, int k) throws Exception {
                emit(entry);
            }

            @Override
            public void close(int entry) {
                // all end together
            }
        };
    }

    @Override
    public boolean end() throws Exception {
        isAtEnd = true;
        if (keys.isNone() && table.size() == 0) {
            table.add(key.of(null), aggregation.create());
        }
        for (int k = (int) progress.get(EMITTED); k < table.limit(); k++) {
            progress.set(EMITTED, k);
            if (!context.hasRoom()) {
                return false;
            }
            emit(k);
        }
        progress.set(EMITTED, table.limit());
        return true;
    }

    private void emit(int entry) throws Exception {
        table.key(entry, group);
        try {
            PacketWriter row = out.writer().begin();
            aggregation.evaluate(table.get(entry), key.forRow(group), null, null, row);
            row.commit();
        } catch (RuntimeException bad) {
            context.badRecord("a group: " + Reason.of(bad), "");
        }
    }

    @Override
    public Held held() {
        return new Held(Math.max(taken, table.size()), table.size());
    }

    @Override
    public List<State> states() {
        return state.all();
    }
}
