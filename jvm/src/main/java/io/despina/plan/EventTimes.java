package io.despina.plan;

import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;

/** How event time comes through an operator. */
public final class EventTimes {
    private EventTimes() {
    }

    /**
     * The event time of what a select list gives: there if its column is an unchanged copy, with {@code order_by} if all of
     * those columns are.
     *
     * @param time    of the input; may be null
     * @param origins per result column, the input column it is a copy of
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
