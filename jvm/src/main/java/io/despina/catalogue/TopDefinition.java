package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.catalogue.field.AlignedWindow;
import io.despina.catalogue.field.ClockField;
import io.despina.catalogue.field.OrderedBy;
import io.despina.catalogue.field.WindowSelect;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.OperatorType;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.keyed.KeyedTop;
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

/** {@code top}. */
public final class TopDefinition extends Definition {
    /** Packets of a group are sorted at once when a window closes. */
    private static final int MOST = 10_000;

    private static final OperatorType TYPE = new OperatorType("top", Family.WINDOWS,
            "The first packets of each group in each window, in an order of yours: the five hottest devices of a minute."
            + "\n- They leave when the window closes, group by group in the order in which the groups came, the first packet "
            + "first. On Spark rows have no order."
            + "\n- No more than `n` packets of a group and window are kept, whatever comes."
            + "\n- With time per key, groups that share a clock and a window leave in any order.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    required("n", new FieldKind.Whole(1, MOST), "How many packets of each group and window leave; "
                            + "all, if there are fewer."),
                    required("by", EXPRESSIONS, OrderedBy.DOC),
                    required("window", AlignedWindow.KIND, "Tumbling or sliding."),
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance does all."),
                    WindowSelect.FIELD), """
                "hottest": {
                  "type": "top",
                  "n": 3,
                  "by": ["celsius DESC"],
                  "window": {"type": "tumbling", "size_ms": 60000},
                  "group_by": ["device"],
                  "select": ["window_time", "device", "celsius"]
                }
                """);

    TopDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Stream in = context.input();
        Windows windows = AlignedWindow.read(context, List.of("tumbling", "sliding"));
        if (windows == null) {
            return null;
        }
        WindowSelect select = WindowSelect.read(context);
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in.schema(), groupBy);
        OrderedBy by = OrderedBy.read(context);
        Clock clock = AlignedWindow.clock(context);
        boolean timed = clock == Clock.EVENT;
        if (by == null || keys == null && !groupBy.isEmpty() || select == null || timed && !KeyClocks.fit(context, keys)) {
            return null;
        }
        if (timed) {
            context.needsOrder(in, "in");
        }
        int most = (int) context.fields().whole("n", 0);
        return PlanningResult.keyed(new TopSpec(windows, clock, keys, most, by, select.plan(),
                timed ? KeyClocks.of(context, keys) : null), select.out(in, clock),
                timed ? KeyClocks.dealing(context, Snippet.sql(groupBy)) : Snippet.sql(groupBy));
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param clock  of the windows
     * @param keys   key of a packet; null without groups
     * @param select as of {@link Top.Options}; null for whole packets
     * @param clocks of its keys; null if all packets have one clock
     */
    public record TopSpec(Windows windows, Clock clock, ProjectionPlan keys, int most, OrderedBy by, ProjectionPlan select,
            KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean keepsState() {
            return true;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), by.plan().compiled(),
                    select == null ? null : select.compiled(), clocks == null ? null : clocks.keys().compiled());
        }

        @Override
        public TimePerKey timePerKey() {
            return clock == Clock.PROCESSING ? TimePerKey.UNUSED : TimePerKey.KEPT;
        }

        @Override
        public boolean canBeLate() {
            return clock == Clock.EVENT;
        }

        @Override
        public boolean goesByClock() {
            return clock == Clock.PROCESSING;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return ClockField.sparkGaps(clock);
        }

        @Override
        public boolean keepsAll() {
            return false;
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
            return ClockField.losesTime(clock);
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
            int time = clock == Clock.PROCESSING ? WallTime.COLUMN : making.input(0).eventTime().column();
            Top.Options options = new Top.Options(windows, making.keys(keys, clocks), most, by.ranks(),
                    select == null ? null : select.compiled());
            return clocks == null ? new Top(time, options) : new KeyedTop(time, options);
        }
    }
}
