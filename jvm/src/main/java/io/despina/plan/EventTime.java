package io.despina.plan;

import java.util.List;
import java.util.stream.Stream;

/**
 * The event time of a stream. Event order is (column, orderBy, arrival).
 *
 * @param column      ordinal of a TIMESTAMP column
 * @param maxDelayMs  the watermark is the greatest event time seen less this
 * @param orderBy     ordinals of the columns that break ties; may be empty
 * @param idleAfterMs a source that was silent for so long holds nobody up; {@link #NEVER} for never
 */
public record EventTime(int column, long maxDelayMs, List<Integer> orderBy, long idleAfterMs) {
    public static final long NEVER = -1;

    public EventTime {
        orderBy = List.copyOf(orderBy);
    }

    /** Ordinals of the columns that say the order, the event time's first. */
    public List<Integer> order() {
        return Stream.concat(Stream.of(column), orderBy.stream()).toList();
    }
}
