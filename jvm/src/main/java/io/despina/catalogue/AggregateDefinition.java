package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.field.ClockField;
import io.despina.catalogue.field.WindowFields;
import io.despina.catalogue.field.WindowSelect;
import io.despina.catalogue.field.WindowWords;
import io.despina.descriptor.Family;
import io.despina.descriptor.FurtherInput;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.operator.Operator;
import io.despina.operator.order.Keys;
import io.despina.operator.order.WallTime;
import io.despina.operator.window.ControlAggregate;
import io.despina.operator.window.CountAggregate;
import io.despina.operator.window.EachAggregate;
import io.despina.operator.window.FinalAggregate;
import io.despina.operator.window.FiringAggregate;
import io.despina.operator.window.FiringSessions;
import io.despina.operator.window.KeyedFiringAggregate;
import io.despina.operator.window.KeyedFiringSessions;
import io.despina.operator.window.KeyedTrailing;
import io.despina.operator.window.KeyedWindows;
import io.despina.operator.window.PartRows;
import io.despina.operator.window.PartialAggregate;
import io.despina.operator.window.ProgressAggregate;
import io.despina.operator.window.SessionAggregate;
import io.despina.operator.window.TrailingAggregate;
import io.despina.operator.window.TrailingCountAggregate;
import io.despina.operator.window.WindowAggregate;
import io.despina.plan.EventTimes;
import io.despina.plan.KeyClocks;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.Clock;
import io.despina.spec.ControlCommand;
import io.despina.spec.EventTime;
import io.despina.spec.Window;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** {@code aggregate}. */
public final class AggregateDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("aggregate", Family.WINDOWS,
            "Aggregates packets over windows, or over the whole stream.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. `expr AS name` gives a key a "
                            + "name. Without it, one instance does all."),
                    WindowFields.FIELD,
                    optional("emit", words("final", "a row for each group when the stream ends", "each",
                            "a row for each packet, in event order, over all up to it"), "`final`",
                            "When rows leave. Only where there is no `window`."),
                    required("select", EXPRESSIONS, "The row: aggregates of Spark, the keys, and of a window that gives one row "
                            + "`window.start`, `window.end` and `window_time`. A window is [start, end). "
                            + "`window_time` is the end less 1 µs, and the event time of the stream at `out`.")), """
                "per_second": {
                  "type": "aggregate",
                  "group_by": ["device"],
                  "window": {"type": "tumbling", "size_ms": 1000},
                  "select": ["window.start AS second", "device", "avg(celsius) AS mean", "count(*) AS readings"]
                }
                """).withInput(new FurtherInput(WindowFields.CONTROL, "window.on", WindowFields::hasControl));

    AggregateDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Window window = WindowFields.of(context);
        if (window == null) {
            return null;
        }
        boolean perPacket = isPerPacket(window);
        boolean windowed = !perPacket && !(window instanceof Window.Final);
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        List<Snippet> select = Snippet.of(context.fields().texts("select"));
        EventTime time = context.input().time();
        Clock clock = ClockField.read(context.fields().fields("window"));
        // Without tie-breakers arrival is the better order, because many packets may share a second.
        List<Integer> order = takesInOrder(window) || clock == Clock.PROCESSING || time == null || time.orderBy().isEmpty()
                ? List.of() : time.order();
        AggregationPlan plan = context.expressions().explaining(new WindowWords(window)).aggregate(context.input().schema(),
                groupBy, select, perPacket, names(window, windowed), order);
        ControlConditions conditions = window instanceof Window.Control control
                ? ControlConditions.read(context, control, plan) : null;
        Compiled<Projection> value = window instanceof Window.Progress ? value(context) : null;
        if (plan == null || window instanceof Window.Control && conditions == null
                || window instanceof Window.Progress && value == null) {
            return null;
        }
        if (clock == Clock.EVENT) {
            ArrivalOrder.warn(context, select, takesInOrder(window), window instanceof Window.Session);
        }
        boolean clocked = clock == Clock.EVENT && timePerKey(window, conditions) == TimePerKey.KEPT;
        if (clocked && !KeyClocks.fit(context, plan.keys())) {
            return null;
        }
        KeyClocks clocks = clocked ? KeyClocks.of(context, plan.keys()) : null;
        String lost = conditions == null ? losesTime(window, clock, time) : conditions.losesTime(context);
        AggregateSpec spec = new AggregateSpec(plan, window, clock, conditions, value, clocks, lost);
        Stream out = new Stream(plan.result(), time(time, plan, windowed && lost == null, perPacket), context.isUnbounded());
        PlanningResult one = PlanningResult.keyed(spec, out, clocked ? KeyClocks.dealing(context, Snippet.sql(groupBy))
                : Snippet.sql(groupBy));
        return conditions == null || !conditions.isOfTwoStreams() ? one
                : new PlanningResult(spec, out, List.of(one.keys().get(0), conditions.on().texts()), one.one());
    }

    private static TimePerKey timePerKey(Window window, ControlConditions conditions) {
        return conditions != null && conditions.isOfTwoStreams() ? TimePerKey.REFUSED
                : window instanceof Window.Final ? TimePerKey.UNUSED : TimePerKey.KEPT;
    }

    /** Whether packets are added in event order, so that first and last need no order of their own. */
    private static boolean takesInOrder(Window window) {
        return !(window instanceof Windows || isFired(window) || window instanceof Window.Final);
    }

    private static boolean isFired(Window window) {
        return window instanceof Window.Fired || window instanceof Window.FiredSession;
    }

    private static WindowNames names(Window window, boolean windowed) {
        return !windowed ? WindowNames.NONE : window instanceof Window.Progress ? WindowNames.VALUES
                : isFired(window) ? WindowNames.FIRINGS : WindowNames.BOUNDS;
    }

    /** The whole number by which a packet is in windows. */
    private static Compiled<Projection> value(PlanningContext context) {
        Text by = context.fields().fields("window").text("by");
        Scope packet = Scope.of(context.input().schema());
        ProjectionPlan plain = context.expressions().project(packet, List.of(Snippet.named(by, "value")));
        if (plain == null || !isNumber(plain.result().column(0).type())) {
            return plain == null ? null : context.refuse(by.place(), Rule.COLUMN_TYPE, "`by` is "
                    + plain.result().column(0).type().sql(), "it must be a number that grows");
        }
        ProjectionPlan whole = context.expressions().project(packet,
                List.of("CAST(floor(" + by.value() + "\n) AS BIGINT) AS value"), by.place());
        return whole == null ? null : whole.compiled();
    }

    /** Whether its rows may leave after their windows have ended. */
    private static boolean isLate(Window window) {
        return window instanceof Window.Fired fired && fired.lateWithin() > 0
                || window instanceof Window.FiredSession session && session.lateWithin() > 0;
    }

    /** Whether rows leave before their windows have ended. */
    private static boolean isEarly(Window window) {
        return window instanceof Window.Fired fired && (fired.onChange() || fired.every() != NEVER)
                || window instanceof Window.FiredSession session
                && (session.onChange() || session.every() != NEVER);
    }

    private static String losesTime(Window window, Clock clock, EventTime time) {
        return clock == Clock.PROCESSING ? ClockField.losesTime(clock)
                : window instanceof Window.Final ? "without a window its rows leave at the end of the stream"
                : isLate(window) ? "with `late_within_ms` its rows come late"
                : isEarly(window) && time.isPerKey() ? "with `fire` and time per key a row may leave ahead of those of windows "
                + "before" : null;
    }

    private static boolean isPerPacket(Window window) {
        return window instanceof Window.Trailing || window instanceof Window.TrailingCount || window instanceof Window.Each;
    }

    private static EventTime time(EventTime in, AggregationPlan plan, boolean windowed, boolean perPacket) {
        if (perPacket) {
            EventTime kept = EventTimes.through(in, plan.origins());
            return kept == null ? null : kept.inOrder();
        }
        int column = plan.origins().indexOf(AggregationPlan.WINDOW_TIME);
        List<Integer> per = in == null ? List.of() : EventTimes.copies(in.per(), plan.origins());
        return windowed && column >= 0 && !per.contains(-1) ? in.at(column, List.of(), per).inOrder() : null;
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param clock      of tumbling, sliding and session windows
     * @param conditions of a control window; null for others
     * @param value      of a progress window; null for others
     * @param clocks     of its keys; null if all packets have one clock
     */
    public record AggregateSpec(AggregationPlan plan, Window window, Clock clock, ControlConditions conditions,
            Compiled<Projection> value, KeyClocks clocks, String losesTime) implements ExecutableSpec {
        @Override
        public boolean isFold() {
            return !(window instanceof Windows || window instanceof Window.Fired || window instanceof Window.Final);
        }

        @Override
        public boolean keepsState() {
            return true;
        }

        @Override
        public TimePerKey timePerKey() {
            return clock == Clock.PROCESSING ? TimePerKey.UNUSED : AggregateDefinition.timePerKey(window, conditions);
        }

        @Override
        public List<Compiled<?>> code() {
            List<Compiled<?>> all = new ArrayList<>(Arrays.asList(plan.keys() == null ? null : plan.keys().compiled(),
                    plan.compiled(), value, clocks == null ? null : clocks.keys().compiled()));
            all.addAll(conditions == null ? List.of() : conditions.code());
            return all;
        }

        @Override
        public long remembersMicros() {
            // less than that: a packet that comes exactly then is in the next
            return window instanceof Window.Session session ? session.gap() - 1
                    : window instanceof Window.Control control && control.most() != NEVER ? control.most() - 1 : Long.MAX_VALUE;
        }

        @Override
        public OperatorSpec onSpark() {
            return window instanceof Window.FiredSession fired
                    ? new AggregateSpec(plan, new Window.Session(fired.gap()), clock, conditions, value, clocks, losesTime)
                    : this;
        }

        @Override
        public boolean ordersOut() {
            return window instanceof Windows && clock == Clock.EVENT;
        }

        @Override
        public boolean canBeLate() {
            return !(window instanceof Window.Final) && clock == Clock.EVENT;
        }

        @Override
        public boolean goesByClock() {
            return clock == Clock.PROCESSING;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            if (clock == Clock.PROCESSING) {
                return ClockField.sparkGaps(clock);
            }
            if (target == Target.SPARK_STREAMING && isFired(window)) {
                return List.of(new SparkGap("there a watermark moves between micro-batches alone, so a window cannot fire as its "
                        + "packets come", "leave `fire` and `late_within_ms` out"));
            }
            return target != Target.SPARK_STREAMING || !(window instanceof Window.Final) ? List.of()
                    : List.of(new SparkGap("without a window the rows leave at the end of the stream, which never comes there",
                            "give it a window, or \"emit\": \"each\""));
        }

        @Override
        public Set<Integer> reads() {
            return conditions == null && value == null ? plan.reads() : null;
        }

        @Override
        public boolean isKeyed() {
            return plan.keys() != null;
        }

        @Override
        public Set<ControlCommand> commands() {
            // with time per key there is no one time at which windows stand; per packet, each has had its row
            boolean fires = clocks == null && !isPerPacket(window);
            return fires ? Set.of(ControlCommand.FIRE, ControlCommand.FLUSH) : Set.of(ControlCommand.FLUSH);
        }

        @Override
        public boolean canBeDivided() {
            return window instanceof Windows windows && (windows.overlap() == 1 || windows.hasPanes()) && clock == Clock.EVENT
                    && clocks == null && isKeyed() && plan.mergeable();
        }

        @Override
        public Halves halves(InstanceContext making) {
            int time = timeColumn(making);
            Windows windows = (Windows) window;
            Keys keys = making.keys(plan.keys());
            return new Halves(() -> new PartialAggregate(time, windows, keys, plan.compiled()), PartRows.SCHEMA,
                    PartRows.dealing(keys), () -> new WindowAggregate(time, windows, keys, plan.compiled()).ofParts());
        }

        @Override
        public long pauseMicros() {
            return isPerPacket(window) ? 0 : window instanceof Windows windows ? windows.size() : NEVER;
        }

        @Override
        public String selectsTime(List<String> times) {
            return isPerPacket(window) ? times.get(0) : WindowSelect.TIME;
        }

        @Override
        public Operator make(InstanceContext making) {
            Keys keys = making.keys(plan.keys(), clocks);
            if (window instanceof Windows windows && clocks != null) {
                return new KeyedWindows(making.input(0).eventTime().column(), windows, keys, plan.compiled());
            }
            if (window instanceof Windows windows) {
                return new WindowAggregate(timeColumn(making), windows, keys, plan.compiled());
            }
            if (isFired(window)) {
                return fired(timeColumn(making), keys);
            }
            if (window instanceof Window.Final) {
                return new FinalAggregate(keys, plan.compiled());
            }
            if (conditions != null && conditions.isOfTwoStreams()) {
                return conditions.make(making, plan);
            }
            return inOrder(clock == Clock.PROCESSING ? null : making.order(0), keys);
        }

        private Operator fired(int time, Keys keys) {
            if (window instanceof Window.FiredSession session) {
                return clocks == null ? new FiringSessions(time, session, keys, plan.compiled())
                        : new KeyedFiringSessions(time, session, keys, plan.compiled());
            }
            Window.Fired fired = (Window.Fired) window;
            return clocks == null ? new FiringAggregate(time, fired, keys, plan.compiled())
                    : new KeyedFiringAggregate(time, fired, keys, plan.compiled());
        }

        private int timeColumn(InstanceContext making) {
            return clock == Clock.PROCESSING ? WallTime.COLUMN : making.input(0).eventTime().column();
        }

        private Operator inOrder(EventOrder order, Keys keys) {
            if (window instanceof Window.Trailing trailing) {
                return clocks == null ? new TrailingAggregate(order, trailing.size(), keys, plan.compiled())
                        : new KeyedTrailing(order, trailing.size(), keys, plan.compiled());
            }
            if (window instanceof Window.TrailingCount trailing) {
                return new TrailingCountAggregate(order, trailing.size(), keys, plan.compiled());
            }
            if (window instanceof Window.Session session) {
                return new SessionAggregate(order, session.gap(), keys, plan.compiled());
            }
            if (window instanceof Window.Progress progress) {
                return new ProgressAggregate(order, new ProgressAggregate.Values(value, progress.values()), keys,
                        plan.compiled());
            }
            if (window instanceof Window.Count count) {
                return new CountAggregate(order, count, keys, plan.compiled());
            }
            return window instanceof Window.Control ? new ControlAggregate(order, conditions.packets(), keys, plan.compiled())
                    : new EachAggregate(order, keys, plan.compiled());
        }
    }
}
