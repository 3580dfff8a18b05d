package io.despina.plan;

import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.util.List;
import java.util.stream.Stream;

/**
 * One port and its stream.
 *
 * @param eventTime null if the stream has none
 * @param linked    false for an output whose packets are dropped and counted
 */
public record PlannedPort(String name, Schema schema, EventTime eventTime, boolean linked) {

    /** The event-time column and those that break ties; empty if the stream has no event time. */
    public List<String> order() {
        return eventTime == null ? List.of() : Stream.concat(Stream.of(eventTime.column()), eventTime.orderBy().stream())
                .map(column -> schema.column(column).name()).toList();
    }
}
