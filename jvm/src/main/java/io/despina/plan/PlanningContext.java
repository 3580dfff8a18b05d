package io.despina.plan;

import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.Graph;
import io.despina.descriptor.Nearest;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Severity;
import io.despina.descriptor.Values;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One operator while it is planned.
 *
 * @param inputs the stream at each input port, all known
 * @param lost   where those without event time have lost it
 */
public record PlanningContext(Planning planning, Graph.Operator operator, List<Stream> inputs, LostTime lost) {
    private static final long MICROS_PER_MS = 1_000;
    private static final long NANOS_PER_MS = 1_000_000;
    /** Fields of an {@code event_time} that only a source can set. */
    private static final List<String> OF_SOURCES = List.of("max_delay_ms", "idle_after_ms", "advance", "per");

    public Values fields() {
        return operator.fields();
    }

    public Stream input() {
        return inputs.get(0);
    }

    /** What is known of that Python function; null for nothing. */
    public FunctionFacts function(String name) {
        return planning.options().functions().get(name);
    }

    public ExpressionChecker expressions() {
        return planning.expressions();
    }

    public boolean isUnbounded() {
        return inputs.stream().anyMatch(Stream::unbounded);
    }

    /** Whether packets of one source come to both these input ports. */
    public boolean haveOneSource(String port, String other) {
        return !Collections.disjoint(lost.sources(operator.id(), port), lost.sources(operator.id(), other));
    }

    /** Reports an error that makes planning the operator impossible, and returns null. */
    public <T> T refuse(Place place, Rule rule, String message, String hint) {
        planning.diagnostics().error(place, rule, message, hint);
        return null;
    }

    /** Warns of the operator. */
    public void warn(Rule rule, String message, String hint) {
        planning.diagnostics().warning(operator.place(), rule, message, hint);
    }

    /** Reports a result that depends on the order of packets: as a warning, for Spark as an error. */
    void unordered(String message, String hint) {
        boolean forSpark = planning.options().target().isSpark();
        planning.diagnostics().add(operator.place(), forSpark ? Severity.ERROR : Severity.WARNING, Rule.ORDER,
                forSpark ? message : message + "; on Spark this is an error", hint);
    }

    /** Reports it if the stream has no complete order, which the operator needs. */
    public void needsOrder(Stream stream, String port) {
        if (stream.time() == null) {
            unordered("the stream at `" + port + "` has no event time: its packets are taken in order of arrival",
                    timeHint(port, "give its source an event_time"));
        } else if (stream.time().orderBy().isEmpty()) {
            unordered("packets at `" + port + "` with equal event time have no order of their own",
                    "give the source's event_time an order_by, and keep its columns selected");
        }
    }

    /** Whether the stream has event time; reports it if not. */
    public boolean hasTime(Stream stream, String port, String need) {
        return hasTime(stream, port, need, "");
    }

    /** @param otherwise the end of the hint where no source has any: what else can be done; or nothing */
    public boolean hasTime(Stream stream, String port, String need, String otherwise) {
        if (stream.time() == null) {
            refuse(operator.place(), Rule.EVENT_TIME, need + " needs event time, and the stream at `" + port + "` has none",
                    timeHint(port, "give its source an event_time, and keep that column selected on the way, and those of its "
                            + "`per`" + otherwise));
        }
        return stream.time() != null;
    }

    private String timeHint(String port, String withoutAny) {
        String hint = lost.hint(operator.id(), port);
        return hint != null ? hint : lost.isOfElements(operator.id(), port)
                ? "no source names one, and an element's own time is none: " + ElementTimes.INSTEAD : withoutAny;
    }

    /**
     * The event time that the operator's own {@code event_time} names.
     *
     * @param survived the input's event time if its column survives; else null
     * @return null if it names none, or after an error was reported
     */
    EventTime declaredTime(Schema out, EventTime survived) {
        Values declared = fields().fields("event_time");
        if (declared == null) {
            return null;
        }
        List<Integer> order = new ArrayList<>();
        int column = column(out, declared.text("column").value(), declared.place("column"));
        for (var text : declared.texts("order_by")) {
            order.add(column(out, text.value(), text.place()));
        }
        List<Integer> per = new ArrayList<>();
        for (var text : declared.texts("per")) {
            per.add(column(out, text.value(), text.place()));
        }
        if (column < 0 || order.contains(-1) || per.contains(-1)) {
            return null;
        }
        if (out.column(column).type() != Type.Simple.TIMESTAMP) {
            return refuse(declared.place("column"), Rule.COLUMN_TYPE, "event time `" + out.column(column).name() + "` is "
                    + out.column(column).type().sql(), "event time must be TIMESTAMP");
        }
        if (!assignsTime(declared, column, survived)) {
            return survived.at(column, declared.isWritten("order_by") ? order : survived.orderBy(), survived.per());
        }
        if (!operator.type().isSource()) {
            refuseOtherTime(declared, out.column(column).name(), survived != null && survived.column() == column);
        }
        if (!areKeys(out, per, declared)) {
            return null;
        }
        Values advance = declared.fields("advance");
        if (advance != null && !per.isEmpty()) {
            return refuse(advance.place(), Rule.EXCLUSIVE, "`advance` moves one clock for all packets, and `per` gives each "
                    + "value of `" + declared.texts("per").get(0).value() + "` its own",
                    "leave `advance` out: beside `per`, `idle_after_ms` ends what a silent key has begun");
        }
        return new EventTime(column, order, declared.whole("max_delay_ms", 0) * MICROS_PER_MS,
                nanos(declared, "idle_after_ms"), per.stream().distinct().toList(),
                advance == null ? NEVER : nanos(advance, "after_ms"));
    }

    /** {@code NEVER} if the field is not written. */
    private static long nanos(Values values, String field) {
        return values.isWritten(field) ? values.whole(field, 0) * NANOS_PER_MS : NEVER;
    }

    /** Whether values of these columns can be keys: none has two forms of the same value, as -0.0 and 0.0. */
    private boolean areKeys(Schema out, List<Integer> per, Values declared) {
        for (int column : per) {
            Type type = out.column(column).type();
            if (type == Type.Simple.FLOAT || type == Type.Simple.DOUBLE || type instanceof Type.Array
                    || type instanceof Type.MapOf || type instanceof Type.Struct) {
                refuse(declared.place("per"), Rule.COLUMN_TYPE, "`" + out.column(column).name() + "` is " + type.sql(),
                        "a key is a text or a whole number, as a device's name");
                return false;
            }
        }
        return true;
    }

    private void refuseOtherTime(Values declared, String column, boolean same) {
        if (same) {
            String field = OF_SOURCES.stream().filter(declared::isWritten).findFirst().orElseThrow();
            refuse(declared.place(field), Rule.EVENT_TIME_SOURCE,
                    "`" + field + "` can be set only by the source of event time `" + column + "`",
                    "leave it out here and write it in the source's event_time");
        } else {
            refuse(declared.place("column"), Rule.EVENT_TIME_SOURCE,
                    "`" + column + "` is not the input's event time, and only a source can set another",
                    otherTimeHint(column));
        }
    }

    private String otherTimeHint(String column) {
        String names = "name it in the source's event_time";
        Stream in = inputs.get(0);
        String port = operator.type().inputs().get(0);
        if (lost.isOfElements(operator.id(), port)) {
            return ElementTimes.INSTEAD;
        }
        if (in.time() == null) {
            return timeHint(port, names + ", and keep it selected on the way");
        }
        return "the input's is `" + in.schema().column(in.time().column()).name() + "`; " + names + ", and keep `" + column
                + "` selected on the way";
    }

    /** Whether the operator sets event time anew, and makes watermarks of its own. */
    boolean assignsTime(EventTime time, EventTime survived) {
        Values declared = time == null ? null : fields().fields("event_time");
        return declared != null && assignsTime(declared, time.column(), survived);
    }

    private static boolean assignsTime(Values declared, int column, EventTime survived) {
        return survived == null || survived.column() != column
                || OF_SOURCES.stream().anyMatch(declared::isWritten);
    }

    /** The ordinal of a column that a field names, or -1 after reporting that there is none. */
    public int column(Schema schema, String name, Place place) {
        int ordinal = schema.indexOf(name);
        if (ordinal < 0) {
            refuse(place, Rule.UNKNOWN_COLUMN, "the stream has no column `" + name + "`",
                    Nearest.hint(name, schema.names()));
        }
        return ordinal;
    }
}
