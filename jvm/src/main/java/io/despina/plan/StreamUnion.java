package io.despina.plan;

import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Rule;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Merges the streams of a port. Their columns must be equal by name and type; a column is nullable if it is in any stream, and
 * the first stream gives the order. Event time survives if all streams name the same column and the same {@code per}; {@code
 * order_by} survives if all have the same.
 */
final class StreamUnion {
    private StreamUnion() {
    }

    /** @return the stream in the port, or null after reporting that they differ */
    static Stream of(List<ResolvedLink> wires, List<Stream> streams, Diagnostics diagnostics) {
        Stream first = streams.get(0);
        boolean fit = true;
        for (int k = 1; k < streams.size(); k++) {
            String difference = difference(first.schema(), streams.get(k).schema());
            if (difference != null) {
                diagnostics.error(wires.get(k).fields().place("from"), Rule.STREAMS_DIFFER,
                        "streams that meet in a port have equal columns, but `"
                        + wires.get(k).fields().text("from") + "` " + difference + " `"
                        + wires.get(0).fields().text("from") + "`",
                        "put a project before it that gives the same names and types");
                fit = false;
            }
        }
        return fit ? meet(streams) : null;
    }

    private static String difference(Schema first, Schema other) {
        for (Column column : first.columns()) {
            int at = other.indexOf(column.name());
            if (at < 0) {
                return "has no column `" + column.name() + "`, unlike";
            }
            if (!other.column(at).type().equals(column.type())) {
                return "has `" + column.name() + "` as " + other.column(at).type().sql() + ", not " + column.type().sql()
                        + " as";
            }
        }
        for (Column column : other.columns()) {
            if (first.indexOf(column.name()) < 0) {
                return "has a column `" + column.name() + "`, unlike";
            }
        }
        return null;
    }

    private static Stream meet(List<Stream> streams) {
        Schema first = streams.get(0).schema();
        List<Column> columns = new ArrayList<>();
        for (Column column : first.columns()) {
            boolean nullable = streams.stream().map(Stream::schema).anyMatch(s -> s.column(s.indexOf(column.name())).nullable());
            columns.add(new Column(column.name(), column.type(), nullable));
        }
        EventTime time = streams.get(0).time();
        for (Stream stream : streams) {
            time = common(first, time, stream);
        }
        return new Stream(new Schema(columns), time, streams.stream().anyMatch(Stream::unbounded));
    }

    private static EventTime common(Schema first, EventTime time, Stream other) {
        if (time == null || other.time() == null || ordinal(first, other, other.time().column()) != time.column()) {
            return null;
        }
        List<Integer> per = other.time().per().stream().map(k -> ordinal(first, other, k)).toList();
        if (!per.equals(time.per())) {
            return null;
        }
        List<Integer> order = other.time().orderBy().stream().map(k -> ordinal(first, other, k)).toList();
        return new EventTime(time.column(), order.equals(time.orderBy()) ? order : List.of(),
                Math.max(time.maxDelayMicros(), other.time().maxDelayMicros()), time.idleAfterNanos(), per);
    }

    private static int ordinal(Schema first, Stream other, int column) {
        return first.indexOf(other.schema().column(column).name());
    }

    /** How a sender's packets are rewritten for the port; empty if they need no rewriting. */
    static List<Integer> columns(Schema port, Schema sender) {
        return isSameLayout(port, sender) ? List.of()
                : IntStream.range(0, port.size()).mapToObj(k -> sender.indexOf(port.column(k).name())).toList();
    }

    private static boolean isSameLayout(Schema port, Schema sender) {
        return IntStream.range(0, port.size()).allMatch(k -> port.column(k).type().equals(sender.column(k).type())
                && port.column(k).nullable() == sender.column(k).nullable()
                && port.column(k).name().equalsIgnoreCase(sender.column(k).name()));
    }
}
