package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.KeyedTable;

/** Reads the rows of a {@link PartialAggregate}, and adds them to the groups of windows or panes. */
final class PartReader {
    private final Aggregation aggregation;
    private final PartFormat format;
    private final PartFormat.PartView part;
    private final Packet key;

    PartReader(Aggregation aggregation, Schema keys) {
        this.aggregation = aggregation;
        format = new PartFormat(aggregation);
        part = format.view();
        key = new Packet(keys.layout());
    }

    /** The start of the row's window or pane. */
    long start(Packet row) {
        return row.getLong(PartRows.START);
    }

    /** How many packets the row stands for. */
    long packets(Packet row) {
        return format.packets(part(row));
    }

    /** Adds the row to its group. */
    void add(Packet row, KeyedTable<Accumulator> table) {
        Accumulator added = part(row).accumulator;
        int entry = table.find(PartRows.key(row, key));
        if (entry == KeyedTable.NONE) {
            table.add(key, added);
        } else {
            aggregation.merge(table.edit(entry), added);
        }
    }

    private PartFormat.PartView part(Packet row) {
        int at = row.valueStart(PartRows.PART);
        if (row.valueEnd() - at != format.width()) {
            throw new MalformedPacketException("a part has " + (row.valueEnd() - at) + " bytes, not " + format.width());
        }
        format.move(part, row.bytes(), at);
        return part;
    }
}
