package io.despina.operator.source.time;

import static io.despina.spec.Never.NEVER;

import java.util.ArrayList;
import java.util.List;

/**
 * The event times of what one source instance reads side by side, such as the partitions of a topic: packets of one part may be
 * hours ahead of those of another, and neither makes the other's late. Left out are parts at their end, those that have been
 * silent for long enough, and those that have had no packet yet and have none waiting.
 */
public final class PartTimes {
    private static final long NONE = Long.MIN_VALUE;

    /** One of them. */
    public static final class PartTime {
        private long seen;
        private long lastPacket;
        private boolean out;

        /** What its packets make the watermark; {@link Long#MIN_VALUE} if it has had none. */
        public long seen() {
            return seen;
        }

        /** Whether nobody waits for it. */
        public boolean isOut() {
            return out;
        }
    }

    private final long silence;
    private final List<PartTime> parts = new ArrayList<>();
    /** The part whose packets come now. */
    private PartTime current;
    /** The least of all others that are not left out. */
    private long others = Long.MAX_VALUE;
    /** Until then packets waited, so that no part was known to be silent. */
    private long busyUntil = Long.MIN_VALUE;

    /** @param silenceNanos after which a part is left out; {@code NEVER} for never */
    public PartTimes(long silenceNanos) {
        silence = silenceNanos;
    }

    /**
     * Adds a part.
     *
     * @param seen as an earlier attempt has left it; {@link Long#MIN_VALUE} for none
     * @param out  whether nobody waits for it until it has a packet
     */
    public PartTime add(long seen, boolean out, long now) {
        PartTime part = new PartTime();
        part.seen = seen;
        part.out = out;
        part.lastPacket = now;
        parts.add(part);
        return part;
    }

    /** Up to now the source had more to read than it could: what waits may be of any part, and none of them is silent. */
    public void busy(long now) {
        busyUntil = now;
    }

    private long silentSince(PartTime part) {
        return Math.max(part.lastPacket, busyUntil);
    }

    /** Packets of that part follow. */
    public void turn(PartTime part, long now) {
        current = part;
        part.out = false;
        part.lastPacket = now;
        others = Long.MAX_VALUE;
        for (int k = 0; k < parts.size(); k++) {
            PartTime each = parts.get(k);
            if (each != part && !each.out) {
                others = Math.min(others, each.seen);
            }
        }
    }

    /** No packet of that part follows. */
    public void end(PartTime part) {
        part.out = true;
    }

    /** A packet of the current part makes its watermark so great. @return the least of all */
    long reach(long made) {
        current.seen = Math.max(current.seen, made);
        return Math.min(current.seen, others);
    }

    /** The least now; {@link Long#MIN_VALUE} if there is none. Leaves out those that are silent. */
    long least(long now) {
        long least = Long.MAX_VALUE;
        for (int k = 0; k < parts.size(); k++) {
            PartTime each = parts.get(k);
            if (silence != NEVER && now - silentSince(each) >= silence) {
                each.out = true;
            }
            if (!each.out) {
                least = Math.min(least, each.seen);
            }
        }
        return least == Long.MAX_VALUE ? NONE : least;
    }

    boolean areAllOut() {
        for (int k = 0; k < parts.size(); k++) {
            if (!parts.get(k).out) {
                return false;
            }
        }
        return true;
    }

    /** When the next part counts as silent, on the source's clock. */
    long nextSilence() {
        long next = NEVER;
        if (silence != NEVER) {
            for (int k = 0; k < parts.size(); k++) {
                PartTime each = parts.get(k);
                next = each.out ? next : Math.min(next, silentSince(each) + silence);
            }
        }
        return next;
    }
}
