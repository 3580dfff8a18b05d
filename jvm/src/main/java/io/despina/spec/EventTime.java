package io.despina.spec;

import static io.despina.spec.Never.NEVER;

import java.util.List;
import java.util.stream.Stream;

/**
 * The event time of a stream. Event order is (column, orderBy, arrival).
 *
 * @param column         ordinal of a TIMESTAMP column
 * @param orderBy        ordinals of the columns that break ties; may be empty
 * @param maxDelayMicros the watermark is the greatest event time seen less this
 * @param idleAfterNanos after so long a silence others do not wait for the source, and a key ends what it has begun;
 *                       {@code NEVER} for never
 * @param per            ordinals of the columns whose values, the keys, have a clock each; empty if all share one. A key's
 *                       watermark is its own greatest event time less the delay, and no watermarks travel
 * @param advanceAfterNanos after so long a silence the source's watermark goes on with the wall clock; {@code NEVER} for never,
 *                       and behind an operator that makes other rows. Read by the source alone
 */
public record EventTime(int column, List<Integer> orderBy, long maxDelayMicros, long idleAfterNanos, List<Integer> per,
        long advanceAfterNanos) {

    public EventTime {
        orderBy = List.copyOf(orderBy);
        per = List.copyOf(per);
    }

    /** A watermark that only packets move. */
    public EventTime(int column, List<Integer> orderBy, long maxDelayMicros, long idleAfterNanos, List<Integer> per) {
        this(column, orderBy, maxDelayMicros, idleAfterNanos, per, NEVER);
    }

    /** One clock for all packets. */
    public EventTime(int column, List<Integer> orderBy, long maxDelayMicros, long idleAfterNanos) {
        this(column, orderBy, maxDelayMicros, idleAfterNanos, List.of());
    }

    /** Whether each key has a clock of its own. */
    public boolean isPerKey() {
        return !per.isEmpty();
    }

    /** Whether the watermark goes on with the wall clock when the source is silent. */
    public boolean advances() {
        return advanceAfterNanos != NEVER;
    }

    /** {@link #idleAfterNanos} in microseconds; {@code NEVER} too. */
    public long idleAfterMicros() {
        return idleAfterNanos == NEVER ? NEVER : idleAfterNanos / 1_000;
    }

    /** The same event time in a stream with other column positions, with one clock. */
    public EventTime at(int otherColumn, List<Integer> otherOrderBy) {
        return at(otherColumn, otherOrderBy, List.of());
    }

    /** The same event time in a stream with other column positions. */
    public EventTime at(int otherColumn, List<Integer> otherOrderBy, List<Integer> otherPer) {
        return new EventTime(otherColumn, otherOrderBy, maxDelayMicros, idleAfterNanos, otherPer);
    }

    /** The same for rows that leave in the order of their times, key by key. */
    public EventTime inOrder() {
        return isPerKey() ? new EventTime(column, orderBy, 0, idleAfterNanos, per) : this;
    }

    /**
     * The same for rows that an operator makes by the clocks of keys. The last ones of a key that has fallen silent come when the
     * operator has noticed, while their reader counts silence from the rows before: so it waits twice as long, and for what may
     * lie between two rows.
     *
     * @param pauseMicros how much farther apart rows may be than the packets, {@code NEVER} for no limit: then silence of the
     *                    rows says nothing of the key
     */
    public EventTime behind(long pauseMicros) {
        if (!isPerKey() || idleAfterNanos == NEVER) {
            return this;
        }
        boolean ends = pauseMicros < (NEVER - 2 * idleAfterNanos) / 1_000 && idleAfterNanos < NEVER / 2;
        return new EventTime(column, orderBy, maxDelayMicros, ends ? 2 * idleAfterNanos + pauseMicros * 1_000 : NEVER, per);
    }

    /** Ordinals of the columns that define the order, the event time's first. */
    public List<Integer> order() {
        return Stream.concat(Stream.of(column), orderBy.stream()).toList();
    }
}
