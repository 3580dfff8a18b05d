package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.operator.Operator;
import io.despina.operator.keyed.Resample;
import io.despina.operator.keyed.TimelyResample;
import io.despina.packet.Column;
import io.despina.packet.PacketOrder;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.EventTimes;
import io.despina.plan.KeyClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.EventTime;
import io.despina.spec.Points;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** {@code resample}. */
public final class ResampleDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final FieldKind FILL = new FieldKind.MapOf(null, "column", new FieldKind.Variant("fill", List.of(
            Section.of("previous", "The value of the last packet at or before the point."),
            Section.of("linear", "On the line from the last packet at or before the point to the first after it, a DOUBLE. NULL "
                    + "if one of them has NULL, or if the group has ended between them."),
            Section.of("null", "The value of the packet at the point; NULL if there is none."),
            Section.of("expression", "Any other value.",
                    required("of", EXPRESSION, "Over the columns of the last packet at or before the point, those of the first "
                            + "after it (`next.column`), `point.at`, the point, and `point.exact`, whether a packet is at it. "
                            + "There `next` is that packet too. Where the group has ended before its next packet, `next.column` "
                            + "is NULL. `max_gap_ms` does not touch it.")))));

    private static final OperatorType TYPE = new OperatorType("resample", Family.GROUPS,
            "A row for each group at points of equal distance: from the first point at or after its first packet to the last one "
            + "at or before its last packet. Of packets with the same time the last one counts. Its columns are the event time, "
            + "`group_by`, and those of `fill`. The rows between two packets leave when the watermark has passed the second, so "
            + "the stream at `out` has no event time: the watermark may have passed it. A group is kept while the job runs. With "
            + "`ends_after_ms` groups end and are forgotten, and the stream at `out` has event time.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. `expr AS name` gives one a name. Without it, one instance does all, and on Spark one "
                            + "partition."),
                    required("every_ms", POSITIVE_MILLIS, "From one point to the next."),
                    or("offset_ms", MILLIS, "0", "Moves the points. Without it they are multiples of `every_ms` since "
                            + "1970-01-01T00:00Z."),
                    required("fill", FILL, "The columns, and what each holds at a point."),
                    optional("max_gap_ms", POSITIVE_MILLIS, "none", "`previous` is NULL where the last packet is older than "
                            + "this, `linear` where the two packets are farther apart."),
                    optional("ends_after_ms", POSITIVE_MILLIS, "never", "A group without a packet for this long ends: its points "
                            + "go on for so long after its last packet, at the end of the input too, and begin anew with its "
                            + "next packet. One that comes exactly so long after the one before is in time. If no fill is "
                            + "`linear` or names `next`, a row leaves as the watermark passes its point. Else rows wait for the "
                            + "next packet or the end of their group, and the watermark behind is less by so much.")), """
                "each_second": {
                  "type": "resample",
                  "group_by": ["device"],
                  "every_ms": 1000,
                  "fill": {"celsius": {"type": "linear"}, "tags": {"type": "previous"}},
                  "max_gap_ms": 10000,
                  "ends_after_ms": 60000
                }
                """);

    ResampleDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        if (!context.hasTime(context.input(), "in", "resample")) {
            return null;
        }
        Values fields = context.fields();
        Schema in = context.input().schema();
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : keys(context, groupBy);
        List<String> select = new ArrayList<>();
        select.add("point.at AS " + Column.inSql(in.column(context.input().time().column()).name()));
        select.addAll(Snippet.sql(groupBy));
        boolean sound = addFills(context, select);
        if (!sound || keys == null && !groupBy.isEmpty() || !areNew(context, keys)) {
            return null;
        }
        Points points = points(context);
        ProjectionPlan row = points == null ? null
                : context.expressions().project(scope(in, points.groupsEnd()), select, fields.place("fill"));
        if (row == null) {
            return null;
        }
        if (!KeyClocks.fit(context, keys)) {
            return null;
        }
        context.needsOrder(context.input(), "in");
        boolean streams = context.planning().options().target() == Target.SPARK_STREAMING;
        ResampleSpec spec = new ResampleSpec(keys, points, row, readsNext(in, row), streams, KeyClocks.of(context, keys));
        EventTime time = spec.losesTime() == null ? time(context, spec) : null;
        return PlanningResult.keyed(spec, context.input().with(row.result(), time),
                KeyClocks.dealing(context, Snippet.sql(groupBy)));
    }

    /** Null after a refusal. */
    private static Points points(PlanningContext context) {
        Values fields = context.fields();
        boolean end = fields.isWritten("ends_after_ms");
        long ends = fields.whole("ends_after_ms", 0);
        if (end && fields.isWritten("max_gap_ms") && fields.whole("max_gap_ms", 0) >= ends) {
            return context.refuse(fields.place("max_gap_ms"), Rule.OUT_OF_RANGE, "`max_gap_ms` makes no value NULL: a group ends "
                    + ends + " ms after its last packet (`ends_after_ms`)", "make it less than that, or leave it out");
        }
        return new Points(fields.whole("every_ms", 0) * MICROS_PER_MS, fields.whole("offset_ms", 0) * MICROS_PER_MS,
                end ? ends * MICROS_PER_MS : NEVER);
    }

    private static Scope scope(Schema in, boolean end) {
        return Scope.of(in).and("next", end ? in.allNullable() : in)
                .and("point", end ? Resample.POINT_OF_ENDING : Resample.POINT);
    }

    /** Whether a row depends on the next packet, or on where it is. */
    private static boolean readsNext(Schema in, ProjectionPlan row) {
        int gap = 2 * in.size() + Resample.POINT.indexOf("gap");
        int part = 2 * in.size() + Resample.POINT.indexOf("part");
        return row.reads().stream().anyMatch(k -> k >= in.size() && k < 2 * in.size() || k == gap || k == part);
    }

    /**
     * The event time of the rows. At a point a group has one row, so its keys break ties. The rows of a key leave in order, or as
     * far behind as a row may wait.
     */
    private static EventTime time(PlanningContext context, ResampleSpec spec) {
        EventTime in = context.input().time();
        ProjectionPlan row = spec.row();
        List<Integer> per = EventTimes.copies(in.per(), row.origins());
        long held = spec.readsNext() ? spec.points().endsAfter() : 0;
        return new EventTime(0, order(spec), (in.isPerKey() ? 0 : in.maxDelayMicros()) + held,
                in.idleAfterNanos(), per);
    }

    private static List<Integer> order(ResampleSpec spec) {
        if (spec.keys() == null) {
            return List.of(0);
        }
        List<Integer> keys = IntStream.rangeClosed(1, spec.keys().result().size()).boxed().toList();
        Schema out = spec.row().result();
        return keys.stream().allMatch(k -> PacketOrder.orders(out.column(k).type())) ? keys : List.of();
    }

    /** The keys, which have a name each. */
    private static ProjectionPlan keys(PlanningContext context, List<Snippet> groupBy) {
        Snippet any = new Snippet("count(*) AS n", groupBy.get(0).text(), 0);
        AggregationPlan plan = context.expressions().aggregate(context.input().schema(), groupBy, List.of(any), false,
                WindowNames.NONE, List.of());
        boolean named = context.expressions().project(Scope.of(context.input().schema()), groupBy) != null;
        return plan == null || !named ? null : plan.keys();
    }

    private static boolean addFills(PlanningContext context, List<String> select) {
        Map<String, Values> fills = context.fields().map("fill");
        if (fills.isEmpty()) {
            context.refuse(context.fields().place("fill"), Rule.OUT_OF_RANGE, "no column to fill", "name at least one");
        }
        boolean sound = !fills.isEmpty();
        for (Map.Entry<String, Values> fill : fills.entrySet()) {
            String text = text(context, fill.getKey(), fill.getValue());
            sound &= text != null;
            select.add(text);
        }
        return sound;
    }

    /** Whether the rows have no column of a fill's name besides; reports each that they have. */
    private static boolean areNew(PlanningContext context, ProjectionPlan keys) {
        EventTime time = context.input().time();
        boolean sound = true;
        for (Map.Entry<String, Values> fill : context.fields().map("fill").entrySet()) {
            String name = fill.getKey();
            String why = context.input().schema().column(time.column()).name().equalsIgnoreCase(name) ? "as the time of the point"
                    : keys != null && keys.result().columns().stream().anyMatch(c -> c.name().equalsIgnoreCase(name))
                    ? "by `group_by`" : null;
            if (why != null) {
                context.refuse(fill.getValue().place(), Rule.DUPLICATE_COLUMN, "the rows have a column `" + name + "` already, "
                        + why, "leave it out of `fill`; an `expression` can have another name");
                sound = false;
            }
        }
        return sound;
    }

    /** The column's SQL over {@link #scope}, or null after reporting why there is none. */
    private static String text(PlanningContext context, String name, Values fill) {
        Schema in = context.input().schema();
        if (fill.word().equals("expression")) {
            boolean sound = context.expressions().project(scope(in, context.fields().isWritten("ends_after_ms")),
                    List.of(Snippet.named(fill.text("of"), name))) != null;
            return sound ? "(" + fill.text("of").value() + "\n) AS " + Column.inSql(name) : null;
        }
        int column = context.column(in, name, fill.place());
        if (column < 0) {
            return null;
        }
        Type type = in.column(column).type();
        if (fill.word().equals("linear") && !isNumber(type)) {
            return context.refuse(fill.place(), Rule.COLUMN_TYPE, "there is no line between values of `" + name + "`, which are "
                    + type.sql(), "`previous` holds the last one");
        }
        long gap = context.fields().whole("max_gap_ms", Long.MAX_VALUE / MICROS_PER_MS) * MICROS_PER_MS;
        String value = Column.inSql(name);
        return switch (fill.word()) {
            case "previous" -> "if(point.age <= " + gap + "L, " + value + ", NULL)";
            case "linear" -> "if(point.exact, CAST(" + value + " AS DOUBLE), if(point.gap <= " + gap + "L, " + onTheLine(value)
                    + ", NULL))";
            default -> "if(point.exact, " + value + ", NULL)";
        } + " AS " + value;
    }

    /**
     * On the line to the next packet's value: never beyond either value, and never falling if the line rises. The values'
     * difference may be more than a DOUBLE holds; then each has its part.
     */
    private static String onTheLine(String value) {
        String from = "CAST(" + value + " AS DOUBLE)";
        String to = "CAST(next." + value + " AS DOUBLE)";
        return "if(abs(" + to + " - " + from + ") < double('Infinity'), " + from + " + (" + to + " - " + from
                + ") * point.part, " + from + " * (1D - point.part) + " + to + " * point.part)";
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param keys      key of a packet; null without groups
     * @param points    at which groups have rows
     * @param row       over the packet before a point, the one after it, and {@link Resample#POINT}; as groups end, or not
     * @param readsNext whether a row depends on the packet after the point
     * @param streams   whether it is for Spark's streams
     * @param clocks    of its keys; null if all packets have one clock
     */
    public record ResampleSpec(ProjectionPlan keys, Points points, ProjectionPlan row, boolean readsNext, boolean streams,
            KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean isFold() {
            return true;
        }

        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.KEPT;
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), row.compiled(),
                    clocks == null ? null : clocks.keys().compiled());
        }

        @Override
        public long pauseMicros() {
            return points.every();
        }

        @Override
        public boolean keepsAll() {
            return false;
        }

        @Override
        public long remembersMicros() {
            return points.endsAfter();
        }

        @Override
        public boolean remembersLastAlone() {
            return true;
        }

        @Override
        public Points timely() {
            return points.groupsEnd() && !readsNext ? points : null;
        }

        @Override
        public String losesTime() {
            return !points.groupsEnd() ? "its rows leave when the watermark may have passed them, unless `ends_after_ms` is set"
                    : streams && readsNext ? "on Spark's streams rows that need the next packet, as of `linear`, leave when the "
                            + "watermark may have passed them" : null;
        }

        @Override
        public Operator make(InstanceContext making) {
            Schema in = making.input(0).schema();
            Resample.Options options = new Resample.Options(making.keys(keys, clocks), points, row.compiled(),
                    row.reads().stream().filter(k -> k < 2 * in.size()).map(k -> k % in.size()).distinct().sorted().toList());
            return timely() != null ? new TimelyResample(making.order(0), options) : new Resample(making.order(0), options);
        }
    }
}
