package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.operator.Keys;
import io.despina.operator.Operator;
import io.despina.operator.window.EachAggregate;
import io.despina.operator.window.FinalAggregate;
import io.despina.operator.window.TrailingAggregate;
import io.despina.operator.window.WindowAggregate;
import io.despina.plan.EventTimes;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Target;
import io.despina.spec.EventTime;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** {@code aggregate}. */
public final class AggregateDefinition extends Definition {
    /** A pattern, compiled when needed, because a starting process only declares most operators. */
    private static final String ORDERED = "(?i)\\b(first|last|first_value|last_value)\\s*\\(";
    private static final long MICROS_PER_MS = 1_000;

    private static final FieldKind WINDOW = new FieldKind.Variant("window", List.of(
            Section.of("tumbling", "Windows of one size, each where the last one ends. A packet at a border is in the later one.",
                    required("size_ms", POSITIVE_MILLIS, "How long a window is."),
                    or("offset_ms", MILLIS, "0", "Moves the borders. Without it they are multiples of the size since "
                            + "1970-01-01T00:00Z.")),
            Section.of("sliding", "Windows of one size that overlap: a new one begins with each slide. A packet is in all that "
                    + "reach over it.",
                    required("size_ms", POSITIVE_MILLIS, "How long a window is."),
                    required("slide_ms", POSITIVE_MILLIS, "From one start to the next; at most the size."),
                    or("offset_ms", MILLIS, "0", "Moves the borders.")),
            Section.of("trailing", "For each packet a row, over the packets of its group from `size_ms` before it up to its own "
                    + "time, both included. `select` may mix the packet's columns with aggregates.",
                    required("size_ms", MILLIS, "How long a window is."))));

    private static final OperatorType TYPE = new OperatorType("aggregate",
            "Aggregates packets over windows, or over the whole stream.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. `expr AS name` gives a key a "
                            + "name. Without it, one instance does all."),
                    optional("window", WINDOW, "the whole stream", "Over which packets of the group."),
                    optional("emit", words("final", "a row for each group when the stream ends", "each",
                            "a row for each packet, in event order, over all up to it"), "`final`",
                            "When rows leave. Only where there is no `window`."),
                    required("select", EXPRESSIONS, "The row: aggregates of Spark, the keys, and of a tumbling or sliding "
                            + "window `window.start`, "
                            + "`window.end` and `window_time`. That is the end less 1 µs, and the event time of the stream at "
                            + "`out`.")), """
                "per_second": {
                  "type": "aggregate",
                  "group_by": ["device"],
                  "window": {"type": "tumbling", "size_ms": 1000},
                  "select": ["window.start AS second", "device", "avg(celsius) AS mean", "count(*) AS readings"]
                }
                """);

    AggregateDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Window window = window(context);
        if (window == null) {
            return null;
        }
        boolean perPacket = window instanceof Window.Trailing || window instanceof Window.Each;
        boolean windowed = window instanceof Windows;
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        List<Snippet> select = Snippet.of(context.fields().texts("select"));
        EventTime time = context.input().time();
        // Without tie-breakers arrival is the better order, because many packets may share a second.
        List<Integer> order = perPacket || time == null || time.orderBy().isEmpty() ? List.of() : time.order();
        AggregationPlan plan = context.expressions().aggregate(context.input().schema(), groupBy, select, perPacket, windowed,
                order);
        if (plan == null) {
            return null;
        }
        Pattern ordered = Pattern.compile(ORDERED);
        if (perPacket || select.stream().anyMatch(s -> ordered.matcher(s.sql()).find())) {
            context.needsOrder(context.input(), "in");
        }
        return PlanningResult.keyed(new AggregateSpec(plan, window),
                context.input().with(plan.result(), time(time, plan, windowed, perPacket)), Snippet.sql(groupBy));
    }

    private static EventTime time(EventTime in, AggregationPlan plan, boolean windowed, boolean perPacket) {
        if (perPacket) {
            return EventTimes.through(in, plan.origins());
        }
        int column = plan.origins().indexOf(AggregationPlan.WINDOW_TIME);
        return windowed && column >= 0 ? in.at(column, List.of()) : null;
    }

    private static Window window(PlanningContext context) {
        Values fields = context.fields();
        Values written = fields.fields("window");
        if (written == null) {
            if (fields.string("emit", "final").equals("each")) {
                return new Window.Each();
            }
            return !context.isUnbounded() ? new Window.Final() : context.refuse(context.operator().place(), Rule.UNBOUNDED,
                    "without a window the rows leave at the end of the stream, and this stream has a source without end",
                    "give it a window, or \"emit\": \"each\", or bound the source");
        }
        if (fields.isWritten("emit")) {
            return context.refuse(fields.place("emit"), Rule.EXCLUSIVE, "`emit` and `window` exclude each other",
                    "leave one of them out");
        }
        if (!context.hasTime(context.input(), "in", "a " + written.word() + " window")) {
            return null;
        }
        long size = written.whole("size_ms", 0);
        return switch (written.word()) {
            case "tumbling" -> Windows.tumbling(size * MICROS_PER_MS, written.whole("offset_ms", 0) * MICROS_PER_MS);
            case "trailing" -> new Window.Trailing(size * MICROS_PER_MS);
            default -> written.whole("slide_ms", 0) <= size
                    ? new Windows(size * MICROS_PER_MS, written.whole("slide_ms", 0) * MICROS_PER_MS,
                            written.whole("offset_ms", 0) * MICROS_PER_MS)
                    : context.refuse(written.place("slide_ms"), Rule.OUT_OF_RANGE, "`slide_ms` " + written.whole("slide_ms", 0)
                            + " is more than `size_ms` " + size, "packets between two windows would be lost");
        };
    }

    /** Outputs: 0 {@code out}, 1 {@code late}. */
    public record AggregateSpec(AggregationPlan plan, Window window) implements ExecutableSpec {
        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(plan.keys() == null ? null : plan.keys().compiled(), plan.compiled());
        }

        @Override
        public boolean canBeLate() {
            return !(window instanceof Window.Final);
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return target != Target.SPARK_STREAMING || !(window instanceof Window.Final) ? List.of()
                    : List.of(new SparkGap("without a window the rows leave at the end of the stream, which never comes there",
                            "give it a window, or \"emit\": \"each\""));
        }

        @Override
        public Set<Integer> reads() {
            return plan.reads();
        }

        @Override
        public boolean isKeyed() {
            return plan.keys() != null;
        }

        @Override
        public Operator make(InstanceContext making) {
            Keys keys = making.keys(plan.keys());
            if (window instanceof Windows windows) {
                return new WindowAggregate(making.input(0).eventTime().column(), windows, keys, plan.compiled());
            }
            if (window instanceof Window.Trailing trailing) {
                return new TrailingAggregate(making.order(0), trailing.size(), keys, plan.compiled());
            }
            return window instanceof Window.Each ? new EachAggregate(making.order(0), keys, plan.compiled())
                    : new FinalAggregate(keys, plan.compiled());
        }
    }
}
