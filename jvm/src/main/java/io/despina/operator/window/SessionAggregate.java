package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Keys;
import io.despina.packet.Packet;
import io.despina.state.EntryQueue;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;

/**
 * Aggregates over sessions: packets of a group that follow each other by less than a gap. A session is [first, last + gap), and
 * its row leaves when the watermark, or the wall clock, reaches that end. Sessions end in the order of their last packets.
 */
public final class SessionAggregate extends PacketWindows<OpenWindow> {
    private final long gap;
    /** Groups by the time of their last packets. */
    private final EntryQueue open = new EntryQueue();

    /**
     * @param order of the input's packets; null: by the wall clock
     * @param gap   microseconds, greater than 0
     * @param keys  of the groups
     */
    public SessionAggregate(EventOrder order, long gap, Keys keys, Compiled<Aggregation> compiled) {
        super(new Aggregated(order, keys, compiled));
        this.gap = gap;
    }

    @Override
    ValueFormat<OpenWindow> format(Aggregation aggregation) {
        return new OpenWindow.Format(aggregation);
    }

    @Override
    long moreBytes() {
        return open.bytes();
    }

    @Override
    void take(Packet packet, long time) {
        if (time > Long.MAX_VALUE - gap) {
            throw new ArithmeticException("a session of its event time, " + time + " microseconds since 1970, ends after what a "
                    + "TIMESTAMP holds");
        }
        Packet of = key(packet);
        int entry = groups().find(of);
        if (entry == KeyedTable.NONE) {
            Accumulator created = aggregation().create();
            aggregation().update(created, packet);
            open.add(groups().add(of, new OpenWindow(created, time)));
            return;
        }
        OpenWindow window = groups().edit(entry);
        update(window.accumulator(), packet);
        window.reaches(time);
        recount(entry);
        open.remove(entry);
        open.add(entry);
    }

    @Override
    boolean close(long time) throws Exception {
        while (!open.isEmpty()) {
            int entry = open.first();
            OpenWindow window = groups().get(entry);
            long end = window.last() + gap;
            if (end > time) {
                return true;
            }
            if (!hasRoom()) {
                return false;
            }
            emit(entry, window.accumulator(), window.start(), end);
            open.remove(entry);
            groups().remove(entry);
        }
        return true;
    }

    @Override
    long firstEnd() {
        return open.isEmpty() ? Long.MAX_VALUE : groups().get(open.first()).last() + gap;
    }

    @Override
    public void restored() {
        open.restore(groups().limit(), entry -> groups().get(entry) != null, entry -> groups().get(entry).last());
        super.restored();
    }
}
