package io.despina.plan;

import io.despina.spec.EventTime;
import java.util.List;

/** Which event time survives an operator. */
public final class EventTimes {
    private EventTimes() {
    }

    /**
     * The event time of a select list's result. It survives if its column is copied unchanged; {@code order_by} survives if all
     * its columns are. Time per key survives only together with the columns of the key.
     *
     * @param time    of the input; may be null
     * @param origins by result column, the input column that it copies
     */
    public static EventTime through(EventTime time, List<Integer> origins) {
        int column = time == null ? -1 : origins.indexOf(time.column());
        if (column < 0) {
            return null;
        }
        List<Integer> order = copies(time.orderBy(), origins);
        List<Integer> per = copies(time.per(), origins);
        return per.contains(-1) ? null : time.at(column, order.contains(-1) ? List.of() : order, per);
    }

    /** Where the copies of input columns are, or -1. */
    public static List<Integer> copies(List<Integer> ordinals, List<Integer> origins) {
        return ordinals.stream().map(origins::indexOf).toList();
    }
}
