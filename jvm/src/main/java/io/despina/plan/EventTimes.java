package io.despina.plan;

import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;

/** Which event time survives an operator. */
public final class EventTimes {
    private EventTimes() {
    }

    /**
     * The event time of a select list's result. It survives if its column is copied unchanged; {@code order_by} survives if all
     * its columns are.
     *
     * @param time    of the input; may be null
     * @param origins by result column, the input column that it copies
     */
    public static EventTime through(EventTime time, List<Integer> origins) {
        int column = time == null ? -1 : origins.indexOf(time.column());
        if (column < 0) {
            return null;
        }
        List<Integer> order = new ArrayList<>();
        for (int ordinal : time.orderBy()) {
            order.add(origins.indexOf(ordinal));
        }
        return time.at(column, order.contains(-1) ? List.of() : order);
    }
}
