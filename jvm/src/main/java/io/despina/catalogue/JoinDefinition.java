package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.field.AlignedWindow;
import io.despina.catalogue.field.ClockField;
import io.despina.catalogue.field.WindowSelect;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Place;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Equalities;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.join.AsOfJoin;
import io.despina.operator.join.IntervalJoin;
import io.despina.operator.join.JoinOptions;
import io.despina.operator.join.KeyedAsOfJoin;
import io.despina.operator.join.KeyedIntervalJoin;
import io.despina.operator.join.KeyedTime;
import io.despina.operator.join.KeyedWindowJoin;
import io.despina.operator.join.WindowJoin;
import io.despina.operator.order.WindowBounds;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.plan.EventTimes;
import io.despina.plan.JoinClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.TimePerKey;
import io.despina.spec.Clock;
import io.despina.spec.EventTime;
import io.despina.spec.Matching;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code join}. */
public final class JoinDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;
    private static final Equalities NO_CONDITION = new Equalities(List.of(), List.of(), null);

    private static final FieldKind AS_OF = new FieldKind.Fields(Section.of("as_of",
            "The latest right packet, in event order, that is not after the left one. It may be used again.",
            optional("max_age_ms", MILLIS, "any age", "A right packet that is older than this does not match."),
            or("strict", FLAG, "false", "true: the right packet must be earlier than the left one.")));

    private static final FieldKind BETWEEN = new FieldKind.Fields(Section.of("between_ms",
            "How much later than the left packet the right one may be; negative means earlier. Both ends are included.",
            required("from", new FieldKind.Whole(Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000), "The least."),
            required("to", new FieldKind.Whole(Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000), "The greatest.")));

    private static final OperatorType TYPE = new OperatorType("join", Family.JOINS,
            "Pairs packets of two streams by event time; with `window` perhaps by the wall clock. It has one of `as_of`, "
            + "`between_ms` and `window`.",
            List.of("left", "right"), List.of("out", "late", "errors"), List.of(
                    or("how", words("inner", "pairs only", "left", "also left packets without a match, with NULL for the right "
                            + "side", "right", "also right packets without a match, with NULL for the left side; not with "
                            + "`as_of`", "full", "both; not with `as_of`"), "\"inner\"",
                            "Which rows leave."),
                    optional("on", EXPRESSION, "every pair", "What a pair must meet besides the time: a condition over `left.x` "
                            + "and `right.x`. With `as_of`, equalities joined by AND."),
                    optional("as_of", AS_OF, "not an as-of join", "Each left packet meets one right packet: the latest at its "
                            + "time."),
                    optional("between_ms", BETWEEN, "not an interval join", "Each left packet meets all right packets that are "
                            + "so far from it in time."),
                    optional("window", AlignedWindow.KIND, "not a windowed join",
                            "Tumbling or sliding: packets meet if they are in one window, once for each that both are in. "
                            + "A packet without event time is in none."
                            + "\n- The rows of a window leave when the watermark of both streams reaches its end. A packet "
                            + "without a match in a window has a row for this window."
                            + "\n- A packet is late if all its windows have closed."
                            + "\n- A copy of each packet is kept for each window that it is in."),
                    optional("select", EXPRESSIONS, "all columns of both", "The row. It is required where both sides have a "
                            + "column of one name. With `window` it may name `window.start`, `window.end` and "
                            + "`window_time`, which is the end less 1 µs, and the event time of the stream at `out`.")), """
                "compared": {
                  "type": "join",
                  "how": "left",
                  "on": "left.device = right.device",
                  "as_of": {"max_age_ms": 60000},
                  "select": ["left.ts AS ts", "left.device AS device", "left.celsius - right.celsius AS difference"]
                }
                """);

    JoinDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Stream left = context.inputs().get(0);
        Stream right = context.inputs().get(1);
        Matching matching = matching(context, left, right);
        if (matching == null) {
            return null;
        }
        Scope scope = scope(left.schema(), right.schema());
        Text on = context.fields().text("on");
        Equalities keys = on == null ? NO_CONDITION : context.expressions().equalities(scope, Snippet.of(on));
        if (keys == null) {
            return null;
        }
        boolean asOf = matching instanceof Matching.AsOf;
        if (asOf && keys.rest() != null) {
            return context.refuse(on.place(), Rule.AS_OF_KEYS, "`on` of an as-of join must be equalities joined by AND, but `"
                    + keys.rest() + "` is not one", "filter before or after the join instead");
        }
        JoinOptions.How how = JoinOptions.How.valueOf(context.fields().string("how", "inner").toUpperCase(Locale.ROOT));
        if (asOf && how.keepsRight()) {
            return context.refuse(context.fields().place("how"), Rule.EXCLUSIVE, "an as-of join is inner or left: a right packet"
                    + " is no match of one left packet alone", "use `between_ms`, or exchange left and right");
        }
        Schema leftSchema = how.keepsRight() ? left.schema().allNullable() : left.schema();
        Schema rightSchema = how.keepsLeft() ? right.schema().allNullable() : right.schema();
        boolean windowed = matching instanceof Matching.SameWindow;
        ProjectionPlan select = select(context, leftSchema, rightSchema, windowed);
        Place place = context.fields().place("on");
        ProjectionPlan leftKeys = keys(context, new Scope.Input("left", left.schema()), keys.left());
        ProjectionPlan rightKeys = keys(context, new Scope.Input("right", right.schema()), keys.right());
        Compiled<Predicate> rest = keys.rest() == null ? null : context.expressions().predicate(scope, keys.rest(), place);
        boolean keyed = !keys.left().isEmpty();
        if (select == null || rest == null && keys.rest() != null || keyed && (leftKeys == null || rightKeys == null)) {
            return null;
        }
        Clock clock = matching.clock();
        if (clock == Clock.EVENT && !JoinClocks.fit(context, leftKeys, rightKeys)) {
            return null;
        }
        JoinClocks clocks = clock == Clock.EVENT ? JoinClocks.of(context, leftKeys, rightKeys) : null;
        AsOfOrder.warn(context, matching, leftKeys, rightKeys);
        boolean spark = context.planning().options().target().isSpark();
        return result(context, clocks, new JoinSpec(new JoinKeys(keys, leftKeys, rightKeys, spark ? null : clocks), rest, select,
                rightSchema, how, matching));
    }

    private static PlanningResult result(PlanningContext context, JoinClocks clocks, JoinSpec spec) {
        Stream left = context.inputs().get(0);
        Stream right = context.inputs().get(1);
        List<Integer> origins = spec.select.origins();
        EventTime common = spec.matching instanceof Matching.AsOf
                ? EventTimes.through(left.time().at(left.time().column(), left.time().orderBy()), origins)
                : spec.matching.clock() == Clock.PROCESSING ? null
                : spec.matching instanceof Matching.SameWindow ? JoinTimes.ofWindow(spec.select, left, right)
                : spec.how != JoinOptions.How.INNER ? null : JoinTimes.greatest(context, spec.select.result(), left, right);
        EventTime time = clocks == null ? common : clocks.behind(common, origins, left.schema().size(),
                new boolean[] {!spec.how.keepsRight(), !spec.how.keepsLeft()});
        Equalities on = spec.keys.on;
        return new PlanningResult(spec, new Stream(spec.select.result(), time, context.isUnbounded()),
                clocks == null ? List.of(on.left(), on.right()) : List.of(clocks.left().dealing(), clocks.right().dealing()),
                on.left().isEmpty() ? "without an equality of left and right it has one state" : null);
    }

    private static Scope scope(Schema left, Schema right) {
        return new Scope(List.of(new Scope.Input("left", left), new Scope.Input("right", right)));
    }

    private static ProjectionPlan keys(PlanningContext context, Scope.Input input, List<String> texts) {
        List<String> named = new ArrayList<>();
        for (String text : texts) {
            named.add("(" + text + ") AS key_" + named.size());
        }
        return texts.isEmpty() ? null : context.expressions().keys(new Scope(List.of(input)), named,
                context.fields().place("on"));
    }

    private static Matching matching(PlanningContext context, Stream left, Stream right) {
        Values asOf = context.fields().fields("as_of");
        Values between = context.fields().fields("between_ms");
        Values window = context.fields().fields("window");
        List<Values> written = java.util.stream.Stream.of(asOf, between, window).filter(each -> each != null).toList();
        if (written.size() != 1) {
            return context.refuse(written.isEmpty() ? context.operator().place() : written.get(1).place(), Rule.EXCLUSIVE,
                    "a join has exactly one of `as_of`, `between_ms` and `window`",
                    written.isEmpty() ? "add one" : "leave the others out");
        }
        String need = asOf != null ? "an as-of join" : between != null ? "an interval join" : "a windowed join";
        Clock clock = ClockField.read(window);
        String or = ClockField.otherwise(window);
        if (clock == Clock.EVENT && !(context.hasTime(left, "left", need, or) & context.hasTime(right, "right", need, or))) {
            return null;
        }
        if (window != null) {
            Windows windows = AlignedWindow.of(context, List.of("tumbling", "sliding"));
            return windows == null ? null : new Matching.SameWindow(windows, clock);
        }
        if (asOf == null) {
            long from = between.whole("from", 0);
            long to = between.whole("to", 0);
            return from <= to ? new Matching.Between(from * MICROS_PER_MS, to * MICROS_PER_MS)
                    : context.refuse(between.place("from"), Rule.OUT_OF_RANGE, "`from` " + from + " is more than `to` " + to,
                            "they bound right time less left time");
        }
        context.needsOrder(left, "left");
        context.needsOrder(right, "right");
        List<Type> order = orderTypes(left);
        long maxAge = asOf.isWritten("max_age_ms") ? asOf.whole("max_age_ms", 0) * MICROS_PER_MS : Matching.AsOf.ANY_AGE;
        return new Matching.AsOf(maxAge, asOf.flag("strict"), !order.isEmpty() && order.equals(orderTypes(right)));
    }

    private static List<Type> orderTypes(Stream stream) {
        return stream.time().orderBy().stream().map(k -> stream.schema().column(k).type()).toList();
    }

    private static ProjectionPlan select(PlanningContext context, Schema left, Schema right, boolean windowed) {
        List<Text> written = context.fields().texts("select");
        if (!written.isEmpty()) {
            Scope scope = scope(left, right);
            return !windowed ? context.expressions().project(scope, Snippet.of(written))
                    : areFree(context, left, right) ? context.expressions().project(
                            scope.andPaths(WindowBounds.WINDOW_PATHS).and(null, WindowBounds.TIME), Snippet.of(written)) : null;
        }
        List<String> both = left.names().stream().filter(n -> right.indexOf(n) >= 0).toList();
        return both.isEmpty() ? context.expressions().project(scope(left, right), List.of("*"), context.operator().place())
                : context.refuse(context.operator().place(), Rule.DUPLICATE_COLUMN, "left and right both have "
                        + String.join(", ", both.stream().map(n -> "`" + n + "`").toList()),
                        "write \"select\": [\"left." + both.get(0) + " AS …\", …]");
    }

    /** Whether no side has a column that is called as what the list adds; reports it. */
    private static boolean areFree(PlanningContext context, Schema left, Schema right) {
        for (String name : WindowSelect.ADDED) {
            if (left.indexOf(name) >= 0 || right.indexOf(name) >= 0) {
                context.refuse(context.fields().place("select"), Rule.DUPLICATE_COLUMN, "a side has a column `" + name
                        + "`, and `select` one of its own by that name", "give the side's another name by a project before");
                return false;
            }
        }
        return true;
    }

    /**
     * Inputs: 0 {@code left}, 1 {@code right}; expressions take both packets in this order, the select list of a
     * windowed join also {@link WindowBounds}. Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param keys      what must be equal
     * @param condition a condition besides the keys; null for none
     * @param right     schema of the right packet for {@code select}; if left packets without a match are emitted, all columns
     *                  are nullable, and such packets get a right packet of NULLs in this schema
     */
    public record JoinSpec(JoinKeys keys, Compiled<Predicate> condition, ProjectionPlan select, Schema right,
            JoinOptions.How how, Matching matching) implements ExecutableSpec {
        @Override
        public boolean keepsState() {
            return true;
        }

        @Override
        public TimePerKey timePerKey() {
            return matching.clock() == Clock.PROCESSING ? TimePerKey.UNUSED : TimePerKey.KEPT;
        }

        @Override
        public boolean ordersOut() {
            return matching instanceof Matching.AsOf;
        }

        @Override
        public boolean canBeLate() {
            return matching.clock() == Clock.EVENT;
        }

        @Override
        public boolean goesByClock() {
            return matching.clock() == Clock.PROCESSING;
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return ClockField.sparkGaps(matching.clock());
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys.left == null ? null : keys.left.compiled(),
                    keys.right == null ? null : keys.right.compiled(), condition, select.compiled());
        }

        @Override
        public Map<String, Object> resolved() {
            Map<String, Object> texts = new LinkedHashMap<>();
            texts.put("left", keys.on.left());
            texts.put("right", keys.on.right());
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("keys", texts);
            if (matching instanceof Matching.AsOf asOf) {
                fields.put("compare_order", asOf.compareOrder());
            }
            return fields;
        }

        @Override
        public Windows closesWith() {
            return matching instanceof Matching.SameWindow same && same.clock() == Clock.EVENT ? same.windows() : null;
        }

        @Override
        public String losesTime() {
            return matching instanceof Matching.Between && how != JoinOptions.How.INNER
                    ? "packets without a match leave when the watermark has passed them"
                    : ClockField.losesTime(matching.clock());
        }

        @Override
        public long pauseMicros() {
            return matching instanceof Matching.AsOf && how.keepsLeft() ? 0 : NEVER;
        }

        @Override
        public String selectsTime(List<String> times) {
            return matching instanceof Matching.AsOf ? "left." + times.get(0) : matching instanceof Matching.SameWindow
                    ? WindowSelect.TIME : "greatest(left." + times.get(0) + ", right." + times.get(1) + ") AS " + times.get(0);
        }

        @Override
        public Operator make(InstanceContext making) {
            JoinOptions options = new JoinOptions(new JoinOptions.Side(making.order(0), making.keys(keys.left)),
                    new JoinOptions.Side(making.order(1), making.keys(keys.right)), right, condition, select.compiled(), how);
            if (keys.clocks != null) {
                return keyed(options.with(new KeyedTime(keys.clocks.columns(), keys.clocks.left().time().maxDelayMicros(),
                        keys.clocks.right().time().maxDelayMicros(), keys.clocks.left().time().idleAfterMicros(),
                        keys.clocks.right().time().idleAfterMicros())));
            }
            if (matching instanceof Matching.SameWindow same) {
                return new WindowJoin(options, same);
            }
            return matching instanceof Matching.Between between ? new IntervalJoin(options, between)
                    : new AsOfJoin(options, (Matching.AsOf) matching);
        }

        private Operator keyed(JoinOptions options) {
            if (matching instanceof Matching.SameWindow same) {
                return new KeyedWindowJoin(options, same.windows());
            }
            return matching instanceof Matching.Between between ? new KeyedIntervalJoin(options, between)
                    : new KeyedAsOfJoin(options, (Matching.AsOf) matching);
        }
    }

    /**
     * What must be equal. A NULL equals nothing.
     *
     * @param on     as texts
     * @param left   the key of a left packet; null for a join without equality
     * @param right  the key of a right packet, of the same types
     * @param clocks of the keys; null if one watermark is for all
     */
    public record JoinKeys(Equalities on, ProjectionPlan left, ProjectionPlan right, JoinClocks clocks) {
    }
}
