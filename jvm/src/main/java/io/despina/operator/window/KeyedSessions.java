package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.EndOfClocks;
import io.despina.operator.Keys;
import io.despina.state.EntryQueues;
import io.despina.state.EventOrder;

/**
 * Aggregates over sessions like {@link SessionAggregate}, where each key has a clock of its own: a session's row leaves when its
 * key's watermark reaches its end. The sessions of a key end in the order of their last packets.
 */
public final class KeyedSessions extends Sessions {
    /** By clock, its groups by the time of their last packets. */
    private final EntryQueues open = new EntryQueues();
    private final EndOfClocks atEnd = new EndOfClocks(open, clock -> close(clock, Long.MAX_VALUE));

    /**
     * @param order of the input's packets
     * @param gap   microseconds, greater than 0
     * @param keys  of the groups, with clocks
     */
    public KeyedSessions(EventOrder order, long gap, Keys keys, Compiled<Aggregation> compiled) {
        super(order, gap, keys, compiled);
    }

    @Override
    long moreBytes() {
        return open.bytes();
    }

    @Override
    void opened(int entry) {
        open.add(clock(), entry);
    }

    @Override
    void extended(int entry) {
        open.remove(entry);
        open.add(clock(), entry);
    }

    @Override
    void closed(int entry) {
        open.remove(entry);
    }

    @Override
    boolean close(long time) throws Exception {
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
    public void restored() {
        super.restored();
        atEnd.restored();
        open.restore(groups().limit(), this::isOpen, this::last, this::clockOf);
    }
}
