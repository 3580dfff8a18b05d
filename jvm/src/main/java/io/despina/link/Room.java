package io.despina.link;

import io.despina.metrics.LinkCounters;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Whether all outlets of a port have room: asked per packet, looked up only after one of them has sent, or while packets are
 * beyond the budget.
 */
final class Room {
    private final RoomMark mark;
    private final List<Side> sides;
    private final LongSupplier clock;

    /** The outlets of one link, and since when it has had no room. */
    static final class Side {
        private final Outlet[] outlets;
        private final LinkCounters counters;
        private boolean paused;
        private long since;

        Side(Outlet[] outlets, LinkCounters counters) {
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

    Room(RoomMark mark, List<Side> sides, LongSupplier clock) {
        this.mark = mark;
        this.sides = sides;
        this.clock = clock;
    }

    boolean is() {
        return !mustLook() || look();
    }

    boolean mustLook() {
        return !mark.open || !mark.overdraft.isFree();
    }

    boolean look() {
        boolean all = true;
        for (Side side : sides) {
            boolean has = side.hasRoom();
            all &= has;
            if (has == side.paused) {
                long now = clock.getAsLong();
                if (has) {
                    side.counters.pausedNanos.add(now - side.since);
                }
                side.paused = !has;
                side.since = now;
            }
        }
        mark.open = all;
        return all && mark.overdraft.mayWrite();
    }
}
