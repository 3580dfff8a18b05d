package io.despina.spec;

import static io.despina.spec.Never.NEVER;

/**
 * Points of event time at equal distances, and those at which a group has rows: from its first packet on, each that is at most
 * so long after the group's last packet before it. All numbers are in microseconds.
 *
 * @param every     from one point to the next, greater than 0
 * @param offset    one of the points; stored modulo {@code every}
 * @param endsAfter how long a group goes on after a packet, at least 0; {@code NEVER}: up to its next one, however far
 */
public record Points(long every, long offset, long endsAfter) {

    public Points {
        if (every <= 0 || endsAfter < 0) {
            throw new IllegalArgumentException("every=" + every + " endsAfter=" + endsAfter + ": 0 < every, 0 <= endsAfter");
        }
        offset = Math.floorMod(offset, every);
    }

    /** Whether a group ends without packets. */
    public boolean groupsEnd() {
        return endsAfter != NEVER;
    }

    /** The first point at or after {@code time}; {@link Long#MAX_VALUE} if there is none. */
    public long from(long time) {
        long past = Math.floorMod(Math.floorMod(time, every) - offset, every);
        return past == 0 ? time : plus(time, every - past);
    }

    /** The next point; {@link Long#MAX_VALUE} if there is none. */
    public long after(long point) {
        return plus(point, every);
    }

    /** Where a group ends whose last packet is of that time. It is before {@link Long#MAX_VALUE}, which is no point. */
    public long end(long time) {
        return Math.min(plus(time, endsAfter), Long.MAX_VALUE - 1);
    }

    private static long plus(long time, long more) {
        return time > Long.MAX_VALUE - more ? Long.MAX_VALUE : time + more;
    }
}
