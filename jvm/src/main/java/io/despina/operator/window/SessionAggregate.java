package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.order.EndOfClocks;
import io.despina.operator.order.Keys;
import io.despina.packet.Packet;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;

/**
 * Aggregates over sessions: packets of a group that follow each other by less than a gap. A session is [first, last + gap), and
 * its row leaves when the watermark, its key's watermark, or the wall clock reaches that end. The sessions of a clock end in the
 * order of their last packets.
 */
public final class SessionAggregate extends PacketWindows<OpenWindow> {
    private final long gap;
    /** By clock, its groups by the time of their last packets. */
    private final EntryQueues open = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(open, clock -> close(clock, Long.MAX_VALUE));

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
    long moreBytes() {
        return open.bytes();
    }

    @Override
    ValueFormat<OpenWindow> format(Aggregation aggregation) {
        return new OpenWindow.Format(aggregation, false);
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
            open.add(clock(), groups().add(of, new OpenWindow(created, time)));
            return;
        }
        OpenWindow window = groups().edit(entry);
        update(window.accumulator(), packet);
        window.reaches(time);
        recount(entry);
        open.remove(entry);
        open.add(clock(), entry);
    }

    static ArithmeticException endsNever(long time) {
        return new ArithmeticException("a session of its event time, " + time + " microseconds since 1970, ends after what a "
                + "TIMESTAMP holds");
    }

    @Override
    public boolean giveDue(long time) throws Exception {
        return time == Long.MAX_VALUE ? atEnd.give() : close(clock(), time);
    }

    /** Ends the sessions of a clock that end at {@code time} or before; false if there is no room for their rows. */
    private boolean close(int clock, long time) throws Exception {
        for (int entry = open.first(clock); entry != EntryQueues.NONE; entry = open.first(clock)) {
            if (end(entry) > time) {
                return true;
            }
            if (!leave(entry)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long reach() {
        return gap;
    }

    @Override
    public long firstDue() {
        int first = open.first(clock());
        return first == EntryQueues.NONE ? Long.MAX_VALUE : end(first);
    }

    private long end(int entry) {
        return groups().get(entry).last() + gap;
    }

    /** Emits the row of a group's session and forgets it; false if there is no room. */
    private boolean leave(int entry) throws Exception {
        if (!hasRoom()) {
            return false;
        }
        OpenWindow window = groups().get(entry);
        emit(entry, window.accumulator(), window.start(), window.last() + gap);
        open.remove(entry);
        groups().remove(entry);
        return true;
    }

    @Override
    OpenFiring.OpenGroups open() {
        return new OpenWindow.OfGroups(groups()) {
            @Override
            public void row(int entry, int k) throws Exception {
                OpenWindow window = groups().get(entry);
                emit(entry, window.accumulator(), window.start(), window.last() + gap);
            }

            @Override
            public void close(int entry) {
                open.remove(entry);
                groups().remove(entry);
            }
        };
    }

    @Override
    public void restoreQueues() {
        atEnd.restored();
        open.restore(groups().limit(), entry -> groups().get(entry) != null, entry -> groups().get(entry).last(),
                this::clockOf);
    }
}
