package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.catalogue.field.StepWords;
import io.despina.descriptor.CommonFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.keyed.PatternMatcher;
import io.despina.operator.keyed.RunLayout;
import io.despina.packet.Schema;
import io.despina.plan.EventTimes;
import io.despina.plan.ExpressionChecker;
import io.despina.plan.KeyClocks;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Snippet;
import io.despina.plan.TimePerKey;
import io.despina.spec.EventTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** {@code pattern}. */
public final class PatternDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;
    private static final FieldKind COUNT = new FieldKind.Whole(1, Integer.MAX_VALUE);

    private static final FieldKind STEPS = new FieldKind.ListOf(new FieldKind.Fields(Section.of("step",
            "A step of a pattern. It takes the packets that fit it.",
            required("name", TEXT, "What expressions call it: letters, digits and `_`."),
            required("where", EXPRESSION, "Whether a packet fits: over its columns, and what the steps have taken so far, which "
                    + "is written as in `select`."),
            optional("times", COUNT, "1", "How many packets it takes."),
            optional("at_least", COUNT, "1", "How many it takes before the next step may take one. Excludes `times`."),
            optional("at_most", COUNT, "no bound if there is `at_least`", "How many it may take. Excludes `times`."),
            or("optional", FLAG, "false", "true: it may be left out. Neither the first nor the last step is."),
            or("not", FLAG, "false", "true: it takes none. A packet that fits it ends the run, where the step before it has "
                    + "enough and the next one has none. It is asked before the step that follows it. Neither the first nor the "
                    + "last step is."))), 1);

    private static final OperatorType TYPE = new OperatorType("pattern", Family.GROUPS,
            "A row where packets of a group fit some steps, one after the other, in event order. A packet that fits the first "
            + "step begins a run. The run takes each packet with the farthest step that it can reach, else with the step where "
            + "it is, else passes it over; it never goes back. It is complete with the packet that gives its last step enough.",
            List.of("in"), List.of("out", "late", "timeout", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance does all, and on Spark one partition."),
                    required("steps", STEPS, "The steps, in their order."),
                    optional("within_ms", POSITIVE_MILLIS, "for ever", "How long after its first packet the last one of a match "
                            + "may come, this moment included. A run whose time has passed gives its row by port `timeout`; that "
                            + "is how something that did not follow is told of. When the input ends, time does too. Without it, "
                            + "every run that is not completed is kept for as long as the job runs."),
                    or("skip", words("past_last", "the group's other runs end with a match, and its last packet begins none",
                            "to_next", "they go on"), "\"past_last\"",
                            "What follows a match. Where several runs would be complete "
                            + "with one packet, `past_last` takes the one that began first."),
                    required("select", EXPRESSIONS, "The row, by either port. `name.column` and `last(name.column)` are of the "
                            + "last packet that the step took, `first(name.column)` of its first, NULL if it took none; "
                            + "`count(name)` is how many it took. A bare column is of the last packet that the run took.")), """
                "overheated": {
                  "type": "pattern",
                  "group_by": ["device"],
                  "steps": [
                    {"name": "warm", "where": "celsius > 60"},
                    {"name": "rising", "where": "celsius > coalesce(rising.celsius, warm.celsius)", "at_least": 2},
                    {"name": "cooled", "where": "celsius < 50", "not": true},
                    {"name": "hot", "where": "celsius > 90"}
                  ],
                  "within_ms": 600000,
                  "select": ["ts", "device", "first(warm.ts) AS since", "count(rising) AS steps", "hot.celsius"]
                }
                """);

    PatternDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        if (!context.hasTime(context.input(), "in", "pattern") || !stepsFit(context)) {
            return null;
        }
        Values fields = context.fields();
        Schema in = context.input().schema();
        List<Snippet> groupBy = Snippet.of(fields.texts("group_by"));
        List<Snippet> select = Snippet.of(fields.texts("select"));
        List<Values> steps = fields.list("steps");
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in, groupBy);
        RunLayout layout = layout(context, steps, select);
        if (layout == null || keys == null && !groupBy.isEmpty()) {
            return null;
        }
        Scope scope = Scope.of(in).andPaths(layout.schema());
        ExpressionChecker expressions = expressions(context, steps);
        List<PatternMatcher.Step> compiled = new ArrayList<>();
        for (Values step : steps) {
            Compiled<Predicate> where = expressions.predicate(scope, Snippet.of(step.text("where")));
            if (where == null) {
                return null;
            }
            compiled.add(step(step, where));
        }
        ProjectionPlan row = expressions.project(scope, select);
        if (row == null) {
            return null;
        }
        if (!KeyClocks.fit(context, keys)) {
            return null;
        }
        context.needsOrder(context.input(), "in");
        boolean ends = fields.isWritten("within_ms");
        if (!ends && context.input().unbounded()) {
            context.warn(Rule.UNBOUNDED, "without `within_ms` a run that is never completed is kept, and this stream has a "
                    + "source without end", "add `within_ms`, or write \"accept\": [\"unbounded\"] if such runs are few");
        }
        EventTime time = EventTimes.through(context.input().time(), row.origins());
        return PlanningResult.keyed(new PatternSpec(keys, compiled,
                ends ? fields.whole("within_ms", 0) * MICROS_PER_MS : NEVER,
                fields.string("skip", "past_last").equals("to_next"), layout, row, KeyClocks.of(context, keys)),
                context.input().with(row.result(), time), KeyClocks.dealing(context, Snippet.sql(groupBy)))
                .with("timeout", context.input().with(row.result(), null));
    }

    private static PatternMatcher.Step step(Values step, Compiled<Predicate> where) {
        long times = step.whole("times", 1);
        long atMost = step.isWritten("at_least") ? step.whole("at_most", Long.MAX_VALUE) : step.whole("at_most", times);
        return new PatternMatcher.Step(where, step.flag("not"), step.flag("optional"), step.whole("at_least",
                step.isWritten("at_most") ? 1 : times), atMost);
    }

    private static ExpressionChecker expressions(PlanningContext context, List<Values> steps) {
        return context.expressions().explaining(new StepWords(steps, context.input().schema()));
    }

    /** What a run must keep, or null after a problem was reported. */
    private static RunLayout layout(PlanningContext context, List<Values> steps, List<Snippet> select) {
        Schema in = context.input().schema();
        List<String> names = steps.stream().map(step -> step.flag("not") ? null : step.text("name").value()).toList();
        RunLayout all = RunLayout.all(in, names);
        Scope scope = Scope.of(in).andPaths(all.schema());
        ExpressionChecker expressions = expressions(context, steps);
        Set<Integer> reads = new HashSet<>();
        boolean sound = true;
        for (Values step : steps) {
            ProjectionPlan where = expressions.project(scope, List.of(Snippet.named(step.text("where"), "fits")));
            sound &= where != null;
            reads.addAll(where == null ? Set.of() : where.reads());
        }
        ProjectionPlan row = expressions.project(scope, select);
        if (!sound || row == null) {
            return null;
        }
        reads.addAll(row.reads());
        return all.only(reads.stream().map(k -> k - in.size()).collect(Collectors.toSet()),
                row.reads().stream().filter(k -> k < in.size()).sorted().toList());
    }

    private static boolean stepsFit(PlanningContext context) {
        List<Values> steps = context.fields().list("steps");
        Set<String> names = new HashSet<>();
        boolean fit = true;
        for (int k = 0; k < steps.size(); k++) {
            Values step = steps.get(k);
            String name = step.text("name").value();
            fit &= nameFits(context, step, name, names.add(name.toLowerCase(Locale.ROOT))) & countsFit(context, step);
            boolean end = k == 0 || k == steps.size() - 1;
            for (String field : List.of("not", "optional")) {
                if (end && step.flag(field)) {
                    context.refuse(step.place(field), Rule.OUT_OF_RANGE, "the " + (k == 0 ? "first" : "last") + " step is `"
                            + field + "`", "a match begins with a packet and ends with one; port `timeout` tells of what did not "
                            + "follow");
                    fit = false;
                }
            }
        }
        return fit;
    }

    private static boolean nameFits(PlanningContext context, Values step, String name, boolean isNew) {
        if (!name.matches(CommonFields.NAME)) {
            context.refuse(step.place("name"), Rule.BAD_NAME, "`" + name + "` is no name for a step",
                    "letters, digits and _, not a digit first");
            return false;
        }
        if (!isNew || context.input().schema().indexOf(name) >= 0) {
            context.refuse(step.place("name"), Rule.DUPLICATE_COLUMN, "step `" + name + "` has the name of "
                    + (isNew ? "a column of the packet" : "another step"), "give it another name");
            return false;
        }
        return true;
    }

    private static boolean countsFit(PlanningContext context, Values step) {
        List<String> bounds = List.of("times", "at_least", "at_most", "optional");
        List<String> written = bounds.stream().filter(step::isWritten).toList();
        if (step.flag("not") && !written.isEmpty()) {
            return context.refuse(step.place(written.get(0)), Rule.EXCLUSIVE, "`not` and `" + written.get(0)
                    + "` exclude each other", "leave one of them out") != null;
        }
        if (step.isWritten("times") && (step.isWritten("at_least") || step.isWritten("at_most"))) {
            return context.refuse(step.place("times"), Rule.EXCLUSIVE, "`times` and `at_least`, `at_most` exclude each other",
                    "leave one of them out") != null;
        }
        return step.whole("at_least", 1) <= step.whole("at_most", Long.MAX_VALUE) || context.refuse(step.place("at_most"),
                Rule.OUT_OF_RANGE, "`at_most` is less than `at_least`", null) != null;
    }

    /**
     * Outputs: 0 {@code out}, 1 {@code late}, 2 {@code timeout}.
     *
     * @param keys   key of a packet; null without groups
     * @param within microseconds, or {@code NEVER}
     * @param toNext whether other runs go on after a match
     * @param layout what is kept of a run
     * @param select over the last packet of a run, and the run
     * @param clocks of its keys; null if all packets have one clock
     */
    public record PatternSpec(ProjectionPlan keys, List<PatternMatcher.Step> steps, long within, boolean toNext, RunLayout layout,
            ProjectionPlan select, KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean isFold() {
            return true;
        }

        public PatternSpec {
            steps = List.copyOf(steps);
        }

        @Override
        public List<Compiled<?>> code() {
            List<Compiled<?>> code = new ArrayList<>();
            code.add(keys == null ? null : keys.compiled());
            steps.forEach(step -> code.add(step.where()));
            code.add(select.compiled());
            code.add(clocks == null ? null : clocks.keys().compiled());
            return code;
        }

        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.KEPT;
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
        public Operator make(InstanceContext making) {
            return new PatternMatcher(making.order(0), new PatternMatcher.Options(making.keys(keys, clocks), steps, within,
                    toNext, layout, select.compiled()));
        }
    }
}
