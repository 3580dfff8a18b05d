package io.despina.operator.program;

import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.RowChange;
import io.despina.operator.Sink;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.state.Held;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Keeps the newest row of each key, in order of arrival, and hands all of them to the user's program when the input has ended. If
 * packets say what they do to the row of their key, one that deletes it has no row of its own.
 */
public final class UpsertSink implements Sink {
    /**
     * What is kept.
     *
     * @param keys of the packets
     * @param op   ordinal of the column that says what a packet does; {@link RowChange#NONE}
     * @param rows the packets' columns without that one
     */
    public record Options(Keys keys, int op, Schema rows) {
    }

    private final Options options;
    private final ProgramSink out;
    /** By column of a row: its ordinal in the packet. */
    private final int[] columns;
    private final ScratchPacket scratch;
    private final Packet view;

    private OperatorContext context;
    private KeyReader keys;
    private KeyedPackets kept;
    private OperatorState state;

    /** @param out which brings the rows to the program */
    public UpsertSink(ProgramSink out, Options options) {
        this.options = options;
        this.out = out;
        columns = IntStream.rangeClosed(0, options.rows.size()).filter(k -> k != options.op).limit(options.rows.size()).toArray();
        scratch = new ScratchPacket(options.rows.layout());
        view = new Packet(options.rows.layout());
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        out.open(opened);
        keys = new KeyReader(options.keys, opened.instance());
        kept = new KeyedPackets("rows", options.keys.schema(), options.keys.buckets(), options.rows);
        state = new OperatorState(opened).with(kept);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        Packet packet;
        while ((packet = packets.next()) != null) {
            try {
                take(packet);
            } catch (RuntimeException bad) {
                context.badRecord(bad, packet);
            }
        }
        state.report();
    }

    private void take(Packet packet) {
        boolean deletes = RowChange.deletes(packet, options.op);
        Packet key = keys.of(packet);
        int entry = kept.find(key);
        if (!deletes) {
            PacketWriter writer = scratch.begin();
            for (int k = 0; k < columns.length; k++) {
                writer.setColumn(k, packet, columns[k]);
            }
            scratch.commit();
            kept.put(entry, key, scratch);
        } else if (entry != KeyedTable.NONE) {
            kept.remove(entry);
        }
    }

    @Override
    public boolean end() throws Exception {
        for (int entry = 0; entry < kept.limit(); entry++) {
            if (kept.view(entry, view)) {
                out.add(view);
            }
        }
        out.handOver();
        return out.end();
    }

    /** The rows of all keys are handed over at the end of the input alone. */
    @Override
    public Held held() {
        return Held.waiting(kept.size());
    }

    @Override
    public List<State> states() {
        return Stream.concat(state.all().stream(), out.states().stream()).toList();
    }

    @Override
    public void restored() throws Exception {
        out.restored();
    }

    @Override
    public boolean commits() {
        return out.commits();
    }

    @Override
    public CompletableFuture<Void> prepare(long epoch) throws Exception {
        return out.prepare(epoch);
    }

    @Override
    public CompletableFuture<Void> commit(long epoch) throws Exception {
        return out.commit(epoch);
    }

    @Override
    public CompletableFuture<Void> taken() throws Exception {
        return out.taken();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
