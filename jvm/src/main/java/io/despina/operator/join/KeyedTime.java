package io.despina.operator.join;

import java.util.List;

/**
 * The clocks of a join whose keys have time of their own, one on either side.
 *
 * @param columns          by column of a clock's key, its ordinal in the keys of the join
 * @param leftDelayMicros  how far a left packet may be behind the greatest event time of its key's left packets
 * @param rightDelayMicros the same of the right
 */
public record KeyedTime(List<Integer> columns, long leftDelayMicros, long rightDelayMicros) {
    public KeyedTime {
        columns = List.copyOf(columns);
    }
}
