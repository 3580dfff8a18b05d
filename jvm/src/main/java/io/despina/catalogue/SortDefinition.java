package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.AlignedWindow;
import io.despina.catalogue.field.ClockField;
import io.despina.catalogue.field.OrderedBy;
import io.despina.catalogue.field.WindowSelect;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.keyed.KeyedTop;
import io.despina.operator.keyed.Sort;
import io.despina.operator.keyed.Top;
import io.despina.operator.order.WallTime;
import io.despina.plan.KeyClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.Clock;
import io.despina.spec.Windows;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** {@code sort}. */
public final class SortDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("sort", Family.WINDOWS,
            "The packets of each window in an order of yours. They leave when the window closes, window by window; until then "
            + "all of them are kept in memory. On Spark a batch is sorted as a whole, and a stream's rows have no order.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    required("by", EXPRESSIONS, OrderedBy.DOC),
                    optional("window", AlignedWindow.KIND, "the whole stream", "Tumbling. Without it packets leave at the end of "
                            + "the stream, and a stream without end is refused."),
                    optional("group_by", EXPRESSIONS, "one group", "Packets for which these have the same values are sorted by "
                            + "one instance, so that there may be several. Packets of different groups leave mixed, each "
                            + "instance's in the order of `by`. Without it, one instance does all. With time per key the "
                            + "windows of each key close by its clock, and each has its packets in the order of `by`."),
                    WindowSelect.FIELD), """
                "by_value": {
                  "type": "sort",
                  "by": ["celsius DESC", "device"],
                  "window": {"type": "tumbling", "size_ms": 60000},
                  "select": ["window_time", "device", "celsius"]
                }
                """);

    SortDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Stream in = context.input();
        boolean windowed = context.fields().isWritten("window");
        Clock clock = AlignedWindow.clock(context);
        if (!windowed && context.isUnbounded()) {
            return context.refuse(context.operator().place(), Rule.UNBOUNDED, "without a window packets leave at the end of the "
                    + "stream, and this stream has a source without end", "give it a window, or bound the source");
        }
        Windows windows = windowed ? AlignedWindow.read(context, List.of("tumbling")) : null;
        if (windowed && windows == null) {
            return null;
        }
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in.schema(), groupBy);
        boolean clocked = windowed && clock == Clock.EVENT;
        OrderedBy by = OrderedBy.read(context);
        WindowSelect select = windowed ? WindowSelect.read(context) : WindowSelect.withoutWindow(context);
        if (by == null || keys == null && !groupBy.isEmpty() || select == null || clocked && !KeyClocks.fit(context, keys)) {
            return null;
        }
        KeyClocks clocks = clocked ? KeyClocks.of(context, keys) : null;
        return PlanningResult.keyed(new SortSpec(windows, clock, keys, by, select.plan(), clocks), select.out(in, clock),
                clocked ? KeyClocks.dealing(context, Snippet.sql(groupBy)) : Snippet.sql(groupBy));
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param windows tumbling; null for the whole stream
     * @param clock   of the windows
     * @param keys    key of a packet; null without groups
     * @param select  as of {@link Sort.Options}; null for whole packets
     * @param clocks  of its keys; null if all packets have one clock
     */
    public record SortSpec(Windows windows, Clock clock, ProjectionPlan keys, OrderedBy by, ProjectionPlan select,
            KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean keepsState() {
            return true;
        }

        @Override
        public TimePerKey timePerKey() {
            return windows == null || clock == Clock.PROCESSING ? TimePerKey.UNUSED : TimePerKey.KEPT;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), by.plan().compiled(),
                    select == null ? null : select.compiled(), clocks == null ? null : clocks.keys().compiled());
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
            return target != Target.SPARK_STREAMING || windows != null ? List.of()
                    : List.of(new SparkGap("without a window packets leave at the end of the stream, which never comes there",
                            "give it a window"));
        }

        @Override
        public boolean canBeLate() {
            return windows != null && clock == Clock.EVENT;
        }

        @Override
        public Set<Integer> reads() {
            return WindowSelect.reads(select, keys, by.reads());
        }

        @Override
        public boolean isKeyed() {
            return keys != null;
        }

        @Override
        public Windows closesWith() {
            return clock == Clock.EVENT ? windows : null;
        }

        @Override
        public String losesTime() {
            return windows == null ? "without a window its packets leave at the end of the stream"
                    : ClockField.losesTime(clock);
        }

        @Override
        public long pauseMicros() {
            return windows.size();
        }

        @Override
        public String selectsTime(List<String> times) {
            return WindowSelect.TIME;
        }

        @Override
        public Operator make(InstanceContext making) {
            int time = windows == null ? 0 : clock == Clock.PROCESSING ? WallTime.COLUMN
                    : making.input(0).eventTime().column();
            Compiled<Projection> row = select == null ? null : select.compiled();
            return clocks == null ? new Sort(time, new Sort.Options(windows, making.keys(keys), by.ranks(), row))
                    : new KeyedTop(time, new Top.Options(windows, making.keys(clocks), Top.ALL, by.ranks(), row));
        }
    }
}
