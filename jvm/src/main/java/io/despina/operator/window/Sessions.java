package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Keys;
import io.despina.packet.Packet;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;

/** The sessions of groups, one open at a time for each; how they are queued by their ends is left to the operator. */
abstract class Sessions extends PacketWindows<OpenWindow> {
    private final long gap;

    /**
     * @param order of the input's packets; null: by the wall clock
     * @param gap   microseconds, greater than 0
     * @param keys  of the groups
     */
    Sessions(EventOrder order, long gap, Keys keys, Compiled<Aggregation> compiled) {
        super(new Aggregated(order, keys, compiled));
        this.gap = gap;
    }

    /** A group's session has begun. */
    abstract void opened(int entry);

    /** A group's session now ends after all others that share its clock. */
    abstract void extended(int entry);

    /** The session of a group has ended and is forgotten. */
    abstract void closed(int entry);

    @Override
    ValueFormat<OpenWindow> format(Aggregation aggregation) {
        return new OpenWindow.Format(aggregation);
    }

    @Override
    void take(Packet packet, long time) {
        if (time > Long.MAX_VALUE - gap) {
            throw endsNever(time);
        }
        Packet of = key(packet);
        int entry = groups().find(of);
        if (entry == KeyedTable.NONE) {
            Accumulator created = aggregation().create();
            aggregation().update(created, packet);
            opened(groups().add(of, new OpenWindow(created, time)));
            return;
        }
        OpenWindow window = groups().edit(entry);
        update(window.accumulator(), packet);
        window.reaches(time);
        recount(entry);
        extended(entry);
    }

    static ArithmeticException endsNever(long time) {
        return new ArithmeticException("a session of its event time, " + time + " microseconds since 1970, ends after what a "
                + "TIMESTAMP holds");
    }

    final long end(int entry) {
        return groups().get(entry).last() + gap;
    }

    /** Emits the row of a group's session and forgets it; false if there is no room. */
    final boolean leave(int entry) throws Exception {
        if (!hasRoom()) {
            return false;
        }
        OpenWindow window = groups().get(entry);
        emit(entry, window.accumulator(), window.start(), window.last() + gap);
        closed(entry);
        groups().remove(entry);
        return true;
    }

    final boolean isOpen(int entry) {
        return groups().get(entry) != null;
    }

    final long last(int entry) {
        return groups().get(entry).last();
    }
}
