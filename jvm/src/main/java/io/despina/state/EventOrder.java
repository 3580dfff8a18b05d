package io.despina.state;

import java.util.List;

/**
 * The order of a stream's packets: by event time, then {@code orderBy}, then arrival.
 *
 * @param time    ordinal of the event-time column, microseconds
 * @param orderBy ordinals of the columns that break ties; may be empty
 */
public record EventOrder(int time, List<Integer> orderBy) {

    public EventOrder {
        orderBy = List.copyOf(orderBy);
    }

    public static EventOrder by(int time, Integer... orderBy) {
        return new EventOrder(time, List.of(orderBy));
    }

    /**
     * Whether a watermark has passed {@code time}, so that no packet of the same time can follow. The last watermark passes every
     * time.
     */
    public static boolean passed(long watermark, long time) {
        return time < watermark || watermark == Long.MAX_VALUE;
    }

    /** {@code time + more}, or the earliest or latest time if that is beyond it. */
    public static long plus(long time, long more) {
        long sum = time + more;
        return ((time ^ sum) & (more ^ sum)) < 0 ? (more > 0 ? Long.MAX_VALUE : Long.MIN_VALUE) : sum;
    }
}
