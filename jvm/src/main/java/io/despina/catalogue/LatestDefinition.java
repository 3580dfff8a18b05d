package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.field.WindowSelect;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.Operator;
import io.despina.operator.keyed.KeyedTop;
import io.despina.operator.keyed.PacketRanks;
import io.despina.operator.keyed.Top;
import io.despina.packet.Column;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.plan.KeyClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.Clock;
import io.despina.spec.EventTime;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** {@code latest}. */
public final class LatestDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final OperatorType TYPE = new OperatorType("latest", Family.GROUPS,
            "The newest packet of each group, in event order: a table, as the changes of its rows. A packet without event time "
            + "is passed over. To join another stream with that table as it was at each packet's time, give the packets "
            + "themselves, not `latest`, to an as-of `join`.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance does all."),
                    optional("every_ms", POSITIVE_MILLIS, "once, at the end of the stream", "Periods of event time, aligned as "
                            + "tumbling windows are. When the watermark reaches a period's end, the newest packet leaves of each "
                            + "group that had one in it. Without it a stream without end is refused."),
                    WindowSelect.FIELD), """
                "states": {
                  "type": "latest",
                  "group_by": ["device"],
                  "every_ms": 60000
                }
                """);

    LatestDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Stream in = context.input();
        boolean periods = context.fields().isWritten("every_ms");
        if (!context.hasTime(in, "in", "`latest`")) {
            return null;
        }
        if (!periods && context.isUnbounded()) {
            return context.refuse(context.operator().place(), Rule.UNBOUNDED, "without `every_ms` packets leave at the end of "
                    + "the stream, and this stream has a source without end", "give it every_ms, or bound the source");
        }
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in.schema(), groupBy);
        WindowSelect select = periods ? WindowSelect.read(context) : WindowSelect.withoutWindow(context);
        if (keys == null && !groupBy.isEmpty() || select == null || periods && !KeyClocks.fit(context, keys)) {
            return null;
        }
        context.needsOrder(in, "in");
        Windows windows = periods ? Windows.tumbling(context.fields().whole("every_ms", 0) * MICROS_PER_MS, 0) : null;
        KeyClocks clocks = periods ? KeyClocks.of(context, keys) : null;
        return PlanningResult.keyed(new LatestSpec(windows, keys, in.time().order(), ranks(in), select.plan(), clocks),
                select.out(in, Clock.EVENT), periods ? KeyClocks.dealing(context, Snippet.sql(groupBy)) : Snippet.sql(groupBy));
    }

    /** The newest first. */
    private static PacketRanks ranks(Stream in) {
        EventTime time = in.time();
        List<Column> columns = new ArrayList<>();
        List<SortKey> order = new ArrayList<>();
        for (int column : time.order()) {
            Column of = in.schema().column(column);
            order.add(new SortKey(columns.size(), true, true));
            columns.add(new Column("by_" + columns.size(), of.type(), of.nullable()));
        }
        return new PacketRanks(new Schema(columns), partition -> (inputs, out) -> { }, time.order(), order);
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param periods null for one at the end of the stream
     * @param keys    key of a packet; null without groups
     * @param ordered ordinals of the columns of event order
     * @param select  as of {@link Top.Options}; null for whole packets
     * @param clocks  of its keys; null if all packets have one clock
     */
    record LatestSpec(Windows periods, ProjectionPlan keys, List<Integer> ordered, PacketRanks ranks, ProjectionPlan select,
            KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean keepsState() {
            return true;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), select == null ? null : select.compiled(),
                    clocks == null ? null : clocks.keys().compiled());
        }

        /** At the end of the stream alone it asks for no clock. */
        @Override
        public TimePerKey timePerKey() {
            return periods == null ? TimePerKey.UNUSED : TimePerKey.KEPT;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return target != Target.SPARK_STREAMING || periods != null ? List.of()
                    : List.of(new SparkGap("without `every_ms` packets leave at the end of the stream, which never comes there",
                            "give it every_ms"));
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public boolean canBeLate() {
            return periods != null;
        }

        @Override
        public Set<Integer> reads() {
            return WindowSelect.reads(select, keys, ordered);
        }

        @Override
        public boolean isKeyed() {
            return keys != null;
        }

        @Override
        public Windows closesWith() {
            return periods;
        }

        @Override
        public long pauseMicros() {
            return periods == null ? NEVER : periods.size();
        }

        @Override
        public String losesTime() {
            return periods == null ? "without `every_ms` its packets leave at the end of the stream" : null;
        }

        @Override
        public String selectsTime(List<String> times) {
            return WindowSelect.TIME;
        }

        @Override
        public Operator make(InstanceContext making) {
            int time = making.input(0).eventTime().column();
            Top.Options options = new Top.Options(periods, making.keys(keys, clocks), 1, ranks, true,
                    select == null ? null : select.compiled());
            return clocks == null ? new Top(time, options) : new KeyedTop(time, options);
        }
    }
}
