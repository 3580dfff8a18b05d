package io.despina.operator.lookup;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.spec.ControlCommand;
import io.despina.state.LayoutAdapter;
import java.io.IOException;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Gives each packet the rows of a table that have its key: a row for each of them. A packet without one leaves with NULLs, or not
 * at all. A key with a NULL in it is equal to nothing. Ports: in; out.
 *
 * <p>It keeps no state: after a restart the table is read, or asked, anew. {@link StreamLookup} keeps one.
 */
public final class Lookup implements Commanded {

    /**
     * What leaves.
     *
     * @param keys   of packets, in the types of the table's; null if the packet itself is the key, with NULLs or without
     * @param table  schema of a row as it is found
     * @param select over (packet, row of the table): the row
     * @param left   whether packets without a row leave; all columns of the row that {@code select} sees are then nullable
     */
    public record Options(Keys keys, Schema table, Compiled<Projection> select, boolean left) {
    }

    private final Options options;
    private final Supplier<? extends Table> tables;

    private OperatorContext context;
    private PacketWriter writer;
    private KeyReader keys;
    private Projection select;
    private Table table;
    private Packet row;
    private LayoutAdapter adapter;
    private Packet nulls;
    private final Packet[] pair = new Packet[2];
    private long charged;

    /** The rows of the packet read last, of which those before {@link #next} have left; null if all have. */
    private FoundRows found;
    private int next;

    public Lookup(Options options, Supplier<? extends Table> tables) {
        this.options = options;
        this.tables = tables;
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        context = opened;
        writer = opened.output(0).writer();
        keys = options.keys() == null ? null : new KeyReader(options.keys(), opened.instance());
        select = options.select().instance(opened.instance());
        Schema seen = options.left() ? options.table().allNullable() : options.table();
        row = new Packet(options.table().layout());
        adapter = new LayoutAdapter(options.table(), seen);
        nulls = options.left() ? LayoutAdapter.nulls(seen) : null;
        table = tables.get();
        table.open(opened);
        charge();
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (found == null) {
            table.refresh();
        }
        while (context.hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                break;
            }
            if (!take(packet)) {
                packets.unread();
                break;
            }
        }
        charge();
    }

    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) throws Exception {
        if (command == ControlCommand.RELOAD && !argument.equals(ControlCommand.TAKE)) {
            return CompletableFuture.completedFuture("");      // nothing is opened beside the table
        }
        try {
            return CompletableFuture.completedFuture(command == ControlCommand.RELOAD ? table.reload() : table.forget());
        } finally {
            charge();
        }
    }

    private void charge() {
        if (table.bytes() != charged) {
            charged = table.bytes();
            context.stateBytes(charged);
        }
    }

    /** @return false if there is no more room: give the packet again later */
    boolean take(Packet packet) throws Exception {
        if (found == null && !look(packet)) {
            return true;
        }
        if (found.isEmpty() && options.left()) {
            write(packet, nulls);
        }
        while (found.has(next)) {
            if (!context.hasRoom()) {
                return false;
            }
            next = found.row(next, row);
            write(packet, adapter.adapt(row));
        }
        found = null;
        return true;
    }

    /** @return false if the packet was bad */
    private boolean look(Packet packet) throws Exception {
        try {
            if (keys == null) {
                found = table.find(packet);
            } else {
                Packet key = keys.of(packet);
                found = keys.hasNull() ? FoundRows.NONE : table.find(key);
            }
        } catch (RuntimeException | SQLException bad) {
            context.badRecord(bad, packet);
            return false;
        }
        next = 0;
        return true;
    }

    private void write(Packet packet, Packet of) throws Exception {
        pair[0] = packet;
        pair[1] = of;
        try {
            PacketWriter out = writer.begin();
            select.apply(pair, out);
            out.commit();
        } catch (RuntimeException bad) {
            context.badRecord(bad, packet);
        }
    }

    @Override
    public void close() throws IOException {
        if (table != null) {
            table.close();
        }
    }
}
