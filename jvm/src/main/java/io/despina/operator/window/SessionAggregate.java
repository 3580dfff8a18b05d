package io.despina.operator.window;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Keys;
import io.despina.state.EntryQueue;
import io.despina.state.EventOrder;

/**
 * Aggregates over sessions: packets of a group that follow each other by less than a gap. A session is [first, last + gap), and
 * its row leaves when the watermark, or the wall clock, reaches that end. Sessions end in the order of their last packets.
 */
public final class SessionAggregate extends Sessions {
    /** Groups by the time of their last packets. */
    private final EntryQueue open = new EntryQueue();

    /**
     * @param order of the input's packets; null: by the wall clock
     * @param gap   microseconds, greater than 0
     * @param keys  of the groups
     */
    public SessionAggregate(EventOrder order, long gap, Keys keys, Compiled<Aggregation> compiled) {
        super(order, gap, keys, compiled);
    }

    @Override
    long moreBytes() {
        return open.bytes();
    }

    @Override
    void opened(int entry) {
        open.add(entry);
    }

    @Override
    void extended(int entry) {
        open.remove(entry);
        open.add(entry);
    }

    @Override
    void closed(int entry) {
        open.remove(entry);
    }

    @Override
    boolean close(long time) throws Exception {
        while (firstEnd() <= time && !open.isEmpty()) {
            if (!leave(open.first())) {
                return false;
            }
        }
        return true;
    }

    @Override
    long firstEnd() {
        return open.isEmpty() ? Long.MAX_VALUE : end(open.first());
    }

    @Override
    public void restored() {
        open.restore(groups().limit(), this::isOpen, this::last);
        super.restored();
    }
}
