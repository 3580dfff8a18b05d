package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import io.despina.state.KeyedTable;

/** Adds packets to the accumulators of their groups, and tracks the memory that these take. */
final class Groups {
    /** A group's memory is measured once in so many updates, as long as no group is known to grow. */
    private static final int SAMPLE = 64;

    private final Aggregation aggregation;
    /** Whether a group continues after a packet that could not be added. */
    private final boolean goesOn;
    /** Whether accumulators of this aggregation change their size. */
    private boolean growing;
    private int sinceSample;

    Groups(Aggregation aggregation, OperatorContext context) {
        this.aggregation = aggregation;
        goesOn = !context.failsOnBadRecord();
    }

    /** Throws what {@link #update} would throw, and changes nothing. */
    void check(KeyedTable<Accumulator> table, Packet key, Packet packet) {
        int entry = table.find(key);
        if (entry == KeyedTable.NONE) {
            aggregation.update(aggregation.create(), packet);
        } else {
            aggregation.check(table.get(entry), packet);
        }
    }

    /** Adds {@code packet} to the group of that key. */
    Accumulator update(KeyedTable<Accumulator> table, Packet key, Packet packet) {
        int entry = table.find(key);
        if (entry == KeyedTable.NONE) {
            Accumulator created = aggregation.create();
            aggregation.update(created, packet);
            table.add(key, created);
            return created;
        }
        Accumulator accumulator = table.edit(entry);
        if (goesOn) {
            aggregation.updateWhole(accumulator, packet);
        } else {
            aggregation.update(accumulator, packet);
        }
        if (growing || ++sinceSample == SAMPLE) {
            sinceSample = 0;
            growing |= table.recount(entry);
        }
        return accumulator;
    }
}
