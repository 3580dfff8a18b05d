package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.field.ClockField;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.keyed.Absence;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.KeyClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.Clock;
import io.despina.spec.EventTime;
import java.util.Arrays;
import java.util.List;

/** {@code absence}. */
public final class AbsenceDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final OperatorType TYPE = new OperatorType("absence", Family.GROUPS,
            "A row for each group of which nothing came for a time: when the watermark, or the wall clock, has passed that "
            + "moment. A group begins with its first packet, and is kept for as long as the job runs. When the input ends, time "
            + "does too: each group that is not absent gives its row. A job that is stopped gives no such rows.",
            List.of("in"), List.of("out", "late", "back", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance does all, and on Spark one partition."),
                    required("within_ms", POSITIVE_MILLIS, "How long a group may be silent. A packet that comes exactly so long "
                            + "after the one before is in time. The packet that ends an absence leaves by port `back`, as it "
                            + "came."),
                    optional("repeat_ms", POSITIVE_MILLIS, "never", "After so long without a packet the row is given again, and "
                            + "so on. How far a group's last rows go depends on how far the other packets carry the watermark; "
                            + "at the end of the input none is repeated. By the wall clock each is given in time; of those "
                            + "missed while the job was down, the last one."),
                    ClockField.FIELD,
                    required("select", EXPRESSIONS, "The row: expressions over the columns of the group's last packet, "
                            + "`absence.since`, its time, and `absence.at`, the moment at which the row was due. That is the "
                            + "event time of the stream at `out`, if it is selected.")), """
                "silent": {
                  "type": "absence",
                  "group_by": ["device"],
                  "within_ms": 60000,
                  "repeat_ms": 3600000,
                  "select": ["absence.at AS ts", "device", "celsius AS last_celsius", "absence.since AS since"]
                }
                """);

    AbsenceDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        Clock clock = ClockField.read(fields);
        if (clock == Clock.EVENT && !context.hasTime(context.input(), "in", "absence", ClockField.OTHERWISE)) {
            return null;
        }
        Schema in = context.input().schema();
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in, groupBy);
        ProjectionPlan select = context.expressions().project(Scope.of(in).and("absence", Absence.ABSENCE),
                Snippet.of(fields.texts("select")));
        if (select == null || keys == null && !groupBy.isEmpty()) {
            return null;
        }
        if (clock == Clock.EVENT) {
            context.needsOrder(context.input(), "in");
        }
        long repeat = fields.isWritten("repeat_ms") ? fields.whole("repeat_ms", 0) * MICROS_PER_MS : NEVER;
        int at = select.origins().indexOf(in.size() + Absence.ABSENCE.indexOf("at"));
        boolean clocked = clock == Clock.EVENT;
        if (clocked && !KeyClocks.fit(context, keys)) {
            return null;
        }
        return PlanningResult.keyed(new AbsenceSpec(keys, clock, fields.whole("within_ms", 0) * MICROS_PER_MS, repeat, select,
                clocked ? KeyClocks.of(context, keys) : null),
                context.input().with(select.result(), at < 0 || !clocked ? null : time(context.input().time(), select, at)),
                clocked ? KeyClocks.dealing(context, Snippet.sql(groupBy)) : Snippet.sql(groupBy)).with("back", context.input());
    }

    /** The rows of a key leave in the order of their times; without the key's columns there is no such time behind. */
    private static EventTime time(EventTime in, ProjectionPlan select, int at) {
        if (!in.isPerKey()) {
            return in.at(at, List.of());
        }
        List<Integer> per = EventTimes.copies(in.per(), select.origins());
        return per.contains(-1) ? null : in.at(at, List.of(), per).inOrder();
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}, 2 {@code back}.
     *
     * @param keys   key of a packet; null without groups
     * @param clock  what tells the time
     * @param within how long a group may be silent, in microseconds
     * @param repeat from one row to the next, in microseconds; {@code NEVER}
     * @param select over the group's last packet and {@link Absence#ABSENCE}
     * @param clocks of its keys; null if all packets have one clock
     */
    public record AbsenceSpec(ProjectionPlan keys, Clock clock, long within, long repeat, ProjectionPlan select,
            KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean isFold() {
            return true;
        }

        @Override
        public TimePerKey timePerKey() {
            return clock == Clock.PROCESSING ? TimePerKey.UNUSED : TimePerKey.KEPT;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), select.compiled(),
                    clocks == null ? null : clocks.keys().compiled());
        }

        @Override
        public boolean canBeLate() {
            return clock == Clock.EVENT;
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public long remembersMicros() {
            return within;
        }

        @Override
        public boolean remembersLastAlone() {
            return true;
        }

        @Override
        public boolean forgetsGroups() {
            return false;
        }

        @Override
        public boolean goesByClock() {
            return clock == Clock.PROCESSING;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return clock == Clock.PROCESSING ? ClockField.sparkGaps(clock) : repeat == NEVER ? List.of()
                    : List.of(new SparkGap("how often `repeat_ms` repeats a row depends on the packets of other groups",
                            "leave it out"));
        }

        @Override
        public String losesTime() {
            return ClockField.losesTime(clock);
        }

        @Override
        public String selectsTime(List<String> times) {
            return "absence.at";
        }

        @Override
        public Operator make(InstanceContext making) {
            Schema in = making.input(0).schema();
            return new Absence(clock == Clock.PROCESSING ? null : making.order(0), new Absence.Options(making.keys(keys, clocks),
                    within, repeat, select.compiled(), select.reads().stream().filter(k -> k < in.size()).sorted().toList()));
        }
    }
}
