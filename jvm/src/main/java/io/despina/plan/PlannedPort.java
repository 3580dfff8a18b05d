package io.despina.plan;

import io.despina.packet.Column;
import io.despina.packet.PacketLayout;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One port and its stream.
 *
 * @param eventTime null if the stream has none
 * @param linked    false for an output whose packets are dropped and counted
 * @param defaults  the columns that a record given to this source may leave out; empty for other ports
 */
public record PlannedPort(String name, Schema schema, EventTime eventTime, boolean linked, List<Column> defaults) {
    /** A text, or what else has no length of its own. */
    private static final int TEXT_BYTES = 20;

    public PlannedPort {
        defaults = List.copyOf(defaults);
    }

    PlannedPort(String name, Schema schema, EventTime eventTime, boolean linked) {
        this(name, schema, eventTime, linked, List.of());
    }

    /** @param schema as the graph has it, perhaps with defaults */
    static PlannedPort declared(String name, Schema schema, EventTime eventTime, boolean linked) {
        List<Column> defaults = schema.defaults();
        return new PlannedPort(name, defaults.isEmpty() ? schema : schema.withoutDefaults(), eventTime, linked, defaults);
    }

    /** The schema of the records that may be given in place of this source's: with their defaults. */
    public Schema declared() {
        return new Schema(schema.columns().stream().map(c -> defaults.stream().filter(d -> d.name().equals(c.name())).findFirst()
                .orElse(c)).toList());
    }

    /** About how many bytes a packet has. */
    public int usualBytes() {
        PacketLayout layout = schema.layout();
        int texts = (int) IntStream.range(0, layout.columns()).filter(layout::isVariable).count();
        return layout.fixedBytes() + texts * TEXT_BYTES;
    }

    /** The event-time column and those that break ties; empty if the stream has no event time. */
    public List<String> order() {
        return eventTime == null ? List.of() : Stream.concat(Stream.of(eventTime.column()), eventTime.orderBy().stream())
                .map(column -> schema.column(column).name()).toList();
    }
}
