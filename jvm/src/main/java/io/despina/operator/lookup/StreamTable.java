package io.despina.operator.lookup;

import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.operator.OperatorContext;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.State;
import java.io.IOException;

/**
 * The newest row of each key of a stream, as the rows arrive. A row that a condition holds for takes the row of its key away. One
 * whose key has a NULL is not in it, and one of a new key that the table has no room for is a bad record.
 */
final class StreamTable implements Table {

    /**
     * What it keeps.
     *
     * @param keys     of its rows
     * @param deletes  over a row: whether it takes that of its key away; null if none does
     * @param mostRows of an instance
     */
    record Options(Keys keys, Schema rows, Compiled<Predicate> deletes, long mostRows) {
    }

    private final Options options;
    private OperatorContext context;
    private TableKeys keys;
    private Predicate deletes;
    private KeyedPackets rows;
    private Packet row;
    private final Packet[] input = new Packet[1];
    /** A copy of the row that was asked for last: the next of its key may come before it has left. */
    private final FoundRows found = new FoundRows();

    StreamTable(Options options) {
        this.options = options;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        keys = new TableKeys(options.keys, opened.instance());
        deletes = options.deletes == null ? null : options.deletes.instance(opened.instance());
        rows = new KeyedPackets("table", options.keys.schema(), options.keys.buckets(), options.rows);
        row = new Packet(options.rows.layout());
    }

    /** Takes rows, as long as there is room for those that are bad. */
    void take(PacketCursor packets) throws Exception {
        while (context.hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                return;
            }
            try {
                take(packet);
            } catch (RuntimeException bad) {
                context.badRecord(bad, packet);
            }
        }
    }

    private void take(Packet packet) {
        Packet key = keys.of(packet);
        if (key == null) {
            return;
        }
        int entry = rows.find(key);
        input[0] = packet;
        if (deletes != null && deletes.test(input)) {
            if (entry != KeyedTable.NONE) {
                rows.remove(entry);
            }
            return;
        }
        if (entry == KeyedTable.NONE && rows.size() >= options.mostRows) {
            throw new IllegalStateException("the table has " + rows.size() + " rows, which is `max_rows`, and this row has "
                    + "another key; let `delete_when` take rows away, or raise `max_rows`");
        }
        rows.put(entry, key, packet);
    }

    State state() {
        return rows;
    }

    @Override
    public void refresh() {
        // it changes with each of its rows
    }

    @Override
    public FoundRows find(Packet key) {
        int entry = rows.find(keys.like(key));
        if (entry == KeyedTable.NONE) {
            return FoundRows.NONE;
        }
        rows.view(entry, row);
        found.clear();
        found.add(row);
        return found;
    }

    /** The operator charges it with its other states. */
    @Override
    public long bytes() {
        return 0;
    }

    @Override
    public void close() throws IOException {
        // nothing is open
    }
}
