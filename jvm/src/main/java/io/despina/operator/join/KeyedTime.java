package io.despina.operator.join;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.order.Clocks;
import java.util.List;

/**
 * The clocks of a join whose keys have time of their own, one on either side.
 *
 * @param columns          by column of a clock's key, its ordinal in the keys of the join
 * @param leftDelayMicros  how far a left packet may be behind the greatest event time of its key's left packets
 * @param rightDelayMicros the same of the right
 * @param leftIdleMicros   after so long a silence at the left a key no longer waits for it; {@code NEVER} for never
 * @param rightIdleMicros  the same at the right
 */
public record KeyedTime(List<Integer> columns, long leftDelayMicros, long rightDelayMicros, long leftIdleMicros,
        long rightIdleMicros) {
    public KeyedTime {
        columns = List.copyOf(columns);
    }

    /** Clocks that only packets move. */
    public KeyedTime(List<Integer> columns, long leftDelayMicros, long rightDelayMicros) {
        this(columns, leftDelayMicros, rightDelayMicros, NEVER, NEVER);
    }
}
