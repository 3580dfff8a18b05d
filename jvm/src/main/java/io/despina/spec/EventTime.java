package io.despina.spec;

import java.util.List;
import java.util.stream.Stream;

/**
 * The event time of a stream. Event order is (column, orderBy, arrival).
 *
 * @param column         ordinal of a TIMESTAMP column
 * @param orderBy        ordinals of the columns that break ties; may be empty
 * @param maxDelayMicros the watermark is the greatest event time seen less this
 * @param idleAfterNanos after so long a silence, others do not wait for the source; {@link #NEVER} for never
 */
public record EventTime(int column, List<Integer> orderBy, long maxDelayMicros, long idleAfterNanos) {
    public static final long NEVER = Long.MAX_VALUE;

    public EventTime {
        orderBy = List.copyOf(orderBy);
    }

    /** The same event time in a stream with other column positions. */
    public EventTime at(int otherColumn, List<Integer> otherOrderBy) {
        return new EventTime(otherColumn, otherOrderBy, maxDelayMicros, idleAfterNanos);
    }

    /** Ordinals of the columns that define the order, the event time's first. */
    public List<Integer> order() {
        return Stream.concat(Stream.of(column), orderBy.stream()).toList();
    }
}
