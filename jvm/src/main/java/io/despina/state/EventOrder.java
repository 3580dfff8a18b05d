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
}
