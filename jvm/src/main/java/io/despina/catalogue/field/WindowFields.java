package io.despina.catalogue.field;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.packet.Schema;
import io.despina.plan.PlanningContext;
import io.despina.spec.Clock;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import java.util.List;
import java.util.regex.Pattern;

/** The field {@code window} of an {@code aggregate}. */
public final class WindowFields {
    private static final long MICROS_PER_MS = 1_000;
    private static final FieldKind PACKETS = new FieldKind.Whole(1, Long.MAX_VALUE);
    private static final FieldSpec SIZE = required("size_ms", POSITIVE_MILLIS, "How long a window is.");

    private static final FieldSpec FIRE = optional("fire", new FieldKind.Variant("fire", List.of(
            Section.of("close", "Once, when the watermark reaches the window's end."),
            Section.of("every", "Before that too: whenever the watermark reaches a multiple of `every_ms` since "
                    + "1970-01-01T00:00Z, for groups that have changed since their last row. A watermark that passes several "
                    + "multiples at once gives one such row.",
                    required("every_ms", POSITIVE_MILLIS, "How often.")),
            Section.of("change", "With each packet: a row of its group for each of its windows."))), "`close`",
            "When an `aggregate` gives a window's rows."
            + "\n- With `fire` or `late_within_ms` a group may have several rows for a window. `window.revision` numbers "
            + "them from 0, and `window.final` is true for the last one."
            + "\n- Each group has one final row for each window. Spark gives this row alone, with `window.revision` 0."
            + "\n- Windows that overlap share no memory: each keeps its own groups."
            + "\n- With time per key, the stream at `out` has no event time if rows leave before the end of their window: "
            + "rows of earlier windows may leave after them.");
    private static final FieldSpec LATE = optional("late_within_ms", MILLIS, "0", "How long after a window's end, by the "
            + "watermark, packets are still added to it; each gives a row at once. Until then the window is kept; its "
            + "final rows leave then. With more than 0 the stream at `out` has no event time: its rows come late.");

    static final FieldKind KIND = new FieldKind.Variant("window", List.of(
            Section.of("tumbling", "Windows of one size, each where the last one ends. A packet at a border is in the later one.",
                    SIZE,
                    or("offset_ms", MILLIS, "0", "Moves the borders. Without it they are multiples of the size since "
                            + "1970-01-01T00:00Z."), ClockField.FIELD, FIRE, LATE),
            Section.of("sliding", "Windows of one size that overlap: a new one begins with each slide. A packet is in all that "
                    + "reach over it.",
                    SIZE,
                    required("slide_ms", POSITIVE_MILLIS, "From one start to the next; at most the size."),
                    or("offset_ms", MILLIS, "0", "Moves the borders."), ClockField.FIELD, FIRE, LATE),
            Section.of("session",
                    "Packets of a group that follow each other closely. A session ends `gap_ms` after its last packet; a "
                    + "packet that comes exactly then begins the next. A packet is late if the watermark has passed it."
                    + "\n- With `fire` or `late_within_ms` packets are taken as they come. A packet that lies close to two "
                    + "sessions makes them one. A packet is late if a session of its own would have given its final row."
                    + "\n- A session's bounds may grow from row to row, up to the final one. If two sessions have become "
                    + "one, no row says so.",
                    required("gap_ms", POSITIVE_MILLIS, "How long nothing comes before a session is over."),
                    ClockField.FIELD, FIRE, LATE),
            Section.of("count", "So many packets of a group, in event order. One that is not full at the end of the "
                    + "stream has no row. A window ends 1 µs after its last packet.",
                    required("size", PACKETS, "How many packets a window has."),
                    optional("slide", PACKETS, "the size", "How many packets after one window the next begins; at "
                            + "most the size.")),
            Section.of("progress",
                    "Windows over a value that grows instead of time: each 1,000 km of a vehicle, each 100 pieces of a "
                    + "machine. Packets are taken in event order."
                    + "\n- A window ends when a packet of the group has a value at its `window.to` or beyond. Windows that "
                    + "are still open at the end of the stream end with the group's last packet; their rows may be late for "
                    + "the operator behind."
                    + "\n- A packet whose value is less than the greatest so far is in those of its windows that have not "
                    + "ended. If all have ended, it is late: a counter that begins again is late from then on."
                    + "\n- A packet whose value is NULL is in no window."
                    + "\n- `window.start` is the time of the window's first packet, `window.end` 1 µs after the packet that "
                    + "ended it. `window.from` and `window.to` are the values that it covers, [from, to).",
                    required("by", EXPRESSION, "The value, a number; of a fraction its whole part counts."),
                    required("size", PACKETS, "How much the value grows within a window. Windows begin at multiples of the "
                            + "slide, 0 among them."),
                    optional("slide", PACKETS, "the size", "From one start to the next; at most the size.")),
            Section.of("control",
                    "A window for each time that a condition holds: a machine that runs, a door that is open. One packet "
                    + "of the group opens it, and one closes it; both are in it, and may be the same packet. Packets "
                    + "between two windows are in none."
                    + "\n- A window ends 1 µs after the packet that closes it."
                    + "\n- A window that is open at the end of the stream ends 1 µs after its last packet, or at `max_ms`. "
                    + "Without `max_ms` its row may be late for an operator behind that uses event time."
                    + "\n- With `on` another stream, that at port `control`, opens and closes windows too. It needs event "
                    + "time. Its packets are in no window. Both conditions may name its columns, as `control.phase`. They are "
                    + "tried with the packets of both streams, in one event order; for a packet of the one, all columns of the "
                    + "other are NULL. Of equal times those of `control` are first, so a window that one opens has the packets "
                    + "of that time, and one that ends there has not."
                    + "\n- A packet at `control` may close a window and open the next. That begins with its time, and a window "
                    + "that one closes ends at its time. A window without packets has a row as well."
                    + "\n- Packets wait until the watermark of both streams has passed them: the source of commands that come "
                    + "seldom needs `idle_after_ms`.",
                    optional("on", new FieldKind.ListOf(EXPRESSION, 0), "no port `control`", "For which group a packet at port "
                            + "`control` is: expressions over its columns, as many as `group_by` has, in its order and of its "
                            + "types; `[]` where there is no `group_by`. A packet for which one is NULL is for no group."),
                    required("open", EXPRESSION, "The condition under which a packet opens a window, if its group has none."),
                    required("close", EXPRESSION, "The condition under which a packet of an open window closes it. It may ask "
                            + "`window.count`, how many packets the window has with this one, and `window.age_ms`, how long "
                            + "after its start this one comes: `window.count >= 500 OR stopped`. One at `control` is not "
                            + "counted."),
                    optional("max_ms", POSITIVE_MILLIS, "no limit", "How long after its start a window ends in any "
                            + "case. A packet that comes exactly then is not in it, and may open the next.")),
            Section.of("trailing", "For each packet a row, over the packets of its group from `size_ms` before it up to its own "
                    + "time, both included. `select` may mix the packet's columns with aggregates.",
                    required("size_ms", MILLIS, "How long a window is.")),
            Section.of("trailing_count", "For each packet a row, over the last packets of its group in event order, "
                    + "itself included. `select` may mix the packet's columns with aggregates.",
                    required("size", PACKETS, "How many packets a window has; near the beginning of a group, fewer."))));

    /** Its declaration. */
    public static final FieldSpec FIELD = optional("window", KIND, "the whole stream", "Over which packets of the group.");

    /** The port of a stream that opens and closes windows, and how conditions name its packets. */
    public static final String CONTROL = "control";
    /** The window, as conditions name it. */
    public static final String WINDOW = "window";
    /** Columns such as {@code window_id} are none, or states that are there would lack the number. */
    private static final Pattern OF_WINDOW = Pattern.compile("(?<![\\w.])(?i:" + WINDOW + "|`" + WINDOW + "`)\\s*\\.");

    private WindowFields() {
    }

    /** Whether a condition names a value of the window, and no column; a text that only seems to costs a number in the state. */
    public static boolean asksTheWindow(Schema in, String condition) {
        return in.indexOf(WINDOW) < 0 && OF_WINDOW.matcher(condition).find();
    }

    /** @return null if it was refused */
    public static Window of(PlanningContext context) {
        Values fields = context.fields();
        Values written = fields.fields("window");
        if (written == null) {
            return without(context);
        }
        if (fields.isWritten("emit")) {
            return context.refuse(fields.place("emit"), Rule.EXCLUSIVE, "`emit` and `window` exclude each other",
                    "leave one of them out");
        }
        if (ClockField.read(written) == Clock.PROCESSING) {
            if (written.isWritten("late_within_ms")) {
                return context.refuse(written.place("late_within_ms"), Rule.EXCLUSIVE,
                        "`late_within_ms` and the wall clock exclude each other", "leave it out: by the clock no packet is late");
            }
        } else if (!context.hasTime(context.input(), "in", "a " + written.word() + " window", ClockField.otherwise(written))) {
            return null;
        }
        return switch (written.word()) {
            case "tumbling" -> fired(written, Windows.tumbling(micros(written, "size_ms"), micros(written, "offset_ms")));
            case "trailing" -> new Window.Trailing(micros(written, "size_ms"));
            case "trailing_count" -> new Window.TrailingCount(written.whole("size", 0));
            case "session" -> session(written, micros(written, "gap_ms"));
            case "control" -> new Window.Control(written.isWritten("max_ms") ? micros(written, "max_ms")
                    : NEVER);
            case "progress" -> fits(context, written, "slide", "size", written.whole("size", 0)) ? new Window.Progress(
                    new Windows(written.whole("size", 0), written.whole("slide", written.whole("size", 0)), 0)) : null;
            case "count" -> fits(context, written, "slide", "size", written.whole("size", 0)) ? new Window.Count(
                    written.whole("size", 0), written.whole("slide", written.whole("size", 0))) : null;
            default -> fits(context, written, "slide_ms", "size_ms", written.whole("size_ms", 0)) ? fired(written, new Windows(
                    micros(written, "size_ms"), micros(written, "slide_ms"), micros(written, "offset_ms"))) : null;
        };
    }

    /** Whether another stream opens and closes windows too, so that the operator has a port for it. */
    public static boolean hasControl(Values operator) {
        Values written = operator.fields("window");
        return written != null && written.isWritten("on");
    }

    /** Whether a window fires more than once. */
    static boolean isFired(Values written) {
        return written.isWritten("fire") || written.isWritten("late_within_ms");
    }

    private static Window fired(Values written, Windows windows) {
        return !isFired(written) ? windows
                : new Window.Fired(windows, every(written), onChange(written), micros(written, "late_within_ms"));
    }

    private static Window session(Values written, long gap) {
        return !isFired(written) ? new Window.Session(gap)
                : new Window.FiredSession(gap, every(written), onChange(written), micros(written, "late_within_ms"));
    }

    private static long every(Values written) {
        Values fire = written.fields("fire");
        return fire != null && fire.word().equals("every") ? micros(fire, "every_ms") : NEVER;
    }

    private static boolean onChange(Values written) {
        Values fire = written.fields("fire");
        return fire != null && fire.word().equals("change");
    }

    private static long micros(Values written, String field) {
        return written.whole(field, 0) * MICROS_PER_MS;
    }

    private static Window without(PlanningContext context) {
        if (context.fields().string("emit", "final").equals("each")) {
            return new Window.Each();
        }
        return !context.isUnbounded() ? new Window.Final() : context.refuse(context.operator().place(), Rule.UNBOUNDED,
                "without a window the rows leave at the end of the stream, and this stream has a source without end",
                "give it a window, or \"emit\": \"each\", or bound the source");
    }

    private static boolean fits(PlanningContext context, Values written, String slide, String size, long most) {
        long found = written.whole(slide, most);
        if (found > most) {
            context.refuse(written.place(slide), Rule.OUT_OF_RANGE, "`" + slide + "` " + found + " is more than `" + size + "` "
                    + most, "packets between two windows would be lost");
        }
        return found <= most;
    }
}
