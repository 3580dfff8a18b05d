package io.despina.operator.window;

import io.despina.expr.Accumulator;
import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Keys;
import io.despina.packet.Packet;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;
import io.despina.state.KeyedTable;
import io.despina.state.ValueFormat;

/**
 * Aggregates over sessions like {@link SessionAggregate}, where each key has a clock of its own: a session's row leaves when its
 * key's watermark reaches its end. The sessions of a key end in the order of their last packets.
 */
public final class KeyedSessions extends PacketWindows<OpenWindow> {
    private final long gap;
    /** By clock, its groups by the time of their last packets. */
    private final EntryQueues open = new EntryQueues();
    /** At the end, of how many clocks all sessions have ended. */
    private int ended;

    /**
     * @param order of the input's packets
     * @param gap   microseconds, greater than 0
     * @param keys  of the groups, with clocks
     */
    public KeyedSessions(EventOrder order, long gap, Keys keys, Compiled<Aggregation> compiled) {
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

    @Override
    boolean close(long time) throws Exception {
        if (time != Long.MAX_VALUE) {
            return close(clock(), time);
        }
        while (ended < open.limit()) {
            if (!close(ended, time)) {
                return false;
            }
            ended++;
        }
        return true;
    }

    /** Ends the sessions of a clock that end at {@code time} or before; false if there is no room for their rows. */
    private boolean close(int clock, long time) throws Exception {
        for (int entry = open.first(clock); entry != EntryQueues.NONE; entry = open.first(clock)) {
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
    public void restored() {
        super.restored();
        ended = 0;
        open.restore(groups().limit(), entry -> groups().get(entry) != null, entry -> groups().get(entry).last(), this::clockOf);
    }
}
