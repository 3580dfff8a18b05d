package io.despina.link;

import io.despina.buffer.Overdraft;
import io.despina.metrics.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Whether all channels of a port have room. It is asked per packet, and looks at the channels only after one of them has sent, or
 * while packets are beyond the budget. Only the task's thread calls it.
 */
final class Backpressure {
    private final Overdraft.Borrower overdraft;
    private final LongSupplier clock;
    private final List<Link> links = new ArrayList<>();
    /** Whether all channels had room at the last look, and none has sent since. */
    private boolean open;

    /** The channels of one link, and since when they have had no room. */
    private static final class Link {
        private final Outlet[] outlets;
        private final OutLink link;
        private boolean paused;
        /** The first channel without room, counted from 1; 0 if all have some. */
        private final Counter full = new Counter();
        private final Counter since = new Counter();

        Link(Outlet[] outlets, OutLink link) {
            this.outlets = outlets;
            this.link = link;
        }

        /** The first channel without room, from 1; 0 if all have some. */
        private int full() {
            int first = 0;
            for (int k = outlets.length; k > 0; k--) {
                first = outlets[k - 1].hasRoom() ? first : k;
            }
            return first;
        }

        private void turn(boolean has, long now) {
            if (has) {
                link.counters().paused.end(now);
            } else {
                link.counters().paused.begin(now);
            }
            paused = !has;
            since.set(now);
        }
    }

    Backpressure(Overdraft.Borrower overdraft, LongSupplier clock) {
        this.overdraft = overdraft;
        this.clock = clock;
    }

    /** Adds a link, before the port is written to. */
    void add(Outlet[] outlets, OutLink link) {
        links.add(new Link(outlets, link));
    }

    /** For packets that are larger than their channel's minimum, when no memory floats. */
    Overdraft.Borrower overdraft() {
        return overdraft;
    }

    /** A channel has sent, or lives on its minimum: it may have lost its room. */
    void lookAgain() {
        open = false;
    }

    boolean hasRoom() {
        return !mustLook() || look();
    }

    boolean mustLook() {
        return !open || !overdraft.isFree();
    }

    /** Looks at the channels, every one of them: each without room promises to wake the task. */
    boolean look() {
        boolean all = true;
        for (Link link : links) {
            int full = link.full();
            boolean has = full == 0;
            all &= has;
            if (has == link.paused) {
                link.turn(has, clock.getAsLong());
            }
            link.full.set(full);
        }
        open = all;
        return all && overdraft.mayWrite();
    }

    /** The first link without room at the last look, or null. Any thread may ask. */
    NoRoom noRoom() {
        for (Link link : links) {
            int full = (int) link.full.get();
            if (full > 0) {
                return new NoRoom(link.link.spec(), full - 1, link.since.get());
            }
        }
        return null;
    }
}
