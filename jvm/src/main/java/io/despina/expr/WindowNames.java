package io.despina.expr;

import io.despina.packet.Column;
import io.despina.packet.Type;
import java.util.List;

/** What a select list with aggregates may name of its window. */
public enum WindowNames {
    /** There is no window of the row. */
    NONE(),
    /** {@code window.start}, {@code window.end} and {@code window_time} (end - 1 µs). */
    BOUNDS(start(), end()),
    /** Besides, {@code window.from} and {@code window.to}: the values over which it goes. */
    VALUES(start(), end(), new Column("from", Type.Simple.BIGINT, false), new Column("to", Type.Simple.BIGINT, false)),
    /** Besides the bounds, {@code window.revision} and {@code window.final}: which of a window's rows it is. */
    FIRINGS(start(), end(), new Column("revision", Type.Simple.BIGINT, false),
            new Column("final", Type.Simple.BOOLEAN, false));

    private final List<Column> fields;

    WindowNames(Column... fields) {
        this.fields = List.of(fields);
    }

    private static Column start() {
        return new Column("start", Type.Simple.TIMESTAMP, false);
    }

    private static Column end() {
        return new Column("end", Type.Simple.TIMESTAMP, false);
    }

    /** The fields of the struct {@code window}; none without a window. */
    public List<Column> fields() {
        return fields;
    }
}
