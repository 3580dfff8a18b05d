package io.despina.link;

import io.despina.buffer.Overdraft;
import io.despina.metrics.LinkCounters;
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
        private final LinkCounters counters;
        private boolean paused;
        private long since;

        Link(Outlet[] outlets, LinkCounters counters) {
            this.outlets = outlets;
            this.counters = counters;
        }

        private boolean hasRoom() {
            boolean all = true;
            for (Outlet outlet : outlets) {
                all &= outlet.hasRoom();
            }
            return all;
        }
    }

    Backpressure(Overdraft.Borrower overdraft, LongSupplier clock) {
        this.overdraft = overdraft;
        this.clock = clock;
    }

    /** Adds a link, before the port is written to. */
    void add(Outlet[] outlets, LinkCounters counters) {
        links.add(new Link(outlets, counters));
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
            boolean has = link.hasRoom();
            all &= has;
            if (has == link.paused) {
                long now = clock.getAsLong();
                if (has) {
                    link.counters.pausedNanos.add(now - link.since);
                }
                link.paused = !has;
                link.since = now;
            }
        }
        open = all;
        return all && overdraft.mayWrite();
    }
}
