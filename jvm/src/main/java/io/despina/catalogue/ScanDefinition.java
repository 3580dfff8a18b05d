package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;
import static io.despina.spec.Never.NEVER;

import io.despina.descriptor.CommonFields;
import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.descriptor.Values;
import io.despina.expr.Compiled;
import io.despina.expr.Predicate;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.operator.Operator;
import io.despina.operator.window.Scan;
import io.despina.packet.Column;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** {@code scan}. */
public final class ScanDefinition extends Definition {
    private static final FieldKind STATE = new FieldKind.MapOf(CommonFields.NAME, "state name",
            new FieldKind.Fields(Section.of("state",
            "A value that is kept for each group. The values of a group together are at most `max_packet_bytes` long.",
            required("initial", EXPRESSION, "Its value before the first packet of the group. It may use the columns of that "
                    + "packet."),
            required("next", EXPRESSION, "Its value after a packet, of the same type. The name of a state is its value before "
                    + "the packet."))));

    private static final OperatorType TYPE = new OperatorType("scan", Family.GROUPS,
            "Keeps state for each group and updates it with each packet, in event order. In `next`, "
            + "`emit_when` "
            + "and `select`, the name of a state is its value before this packet. In `emit_when` and `select`, "
            + "`next.name` is its value after it.",
            List.of("in"), List.of("out", "late", "errors"), List.of(
                    optional("group_by", EXPRESSIONS, "one group", "What makes a group: packets for which these have the same "
                            + "values. Without it, one instance "
                            + "does all, and on Spark one partition."),
                    required("state", STATE, "What is kept. All `next` are computed together, from the values before."),
                    or("emit_when", EXPRESSION, "\"true\"", "Whether this packet gives a row."),
                    required("select", EXPRESSIONS, "The row: `expr AS name`, a column, a state, or `*` for the packet's "
                            + "columns."),
                    or("emit_at_end", FLAG, "false", "true: when the input ends, each group gives one more row, in the order in "
                            + "which the "
                            + "groups came. In it, `name` and `next.name` both are the final state, the columns are those of "
                            + "the last "
                            + "packet of the group, and `emit_when` is not asked. The stream at `out` then has no event time. A "
                            + "job "
                            + "that is stopped gives no such rows.")), """
                "three_in_a_row": {
                  "type": "scan",
                  "group_by": ["device"],
                  "state": {"streak": {"initial": "0", "next": "if(celsius > 90, streak + 1, 0)"}},
                  "emit_when": "next.streak = 3",
                  "select": ["ts", "device", "celsius"]
                }
                """);

    ScanDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Schema in = context.input().schema();
        Map<String, Values> states = context.fields().map("state");
        if (!namesFit(context, in, states) || !context.expressions().areUnnamed(texts(states))) {
            return null;
        }
        List<Snippet> initials = new ArrayList<>();
        List<Snippet> nexts = new ArrayList<>();
        states.forEach((name, state) -> {
            initials.add(Snippet.named(state.text("initial"), name));
            nexts.add(Snippet.named(state.text("next"), name));
        });
        List<Snippet> groupBy = Snippet.of(context.fields().texts("group_by"));
        ProjectionPlan keys = groupBy.isEmpty() ? null : context.expressions().keys(in, groupBy);
        ProjectionPlan initial = context.expressions().project(Scope.of(in), initials);
        if (initial == null || keys == null && !groupBy.isEmpty()) {
            return null;
        }
        Schema state = new Schema(initial.result().columns().stream()
                .map(c -> new Column(c.name(), c.type(), true)).toList());
        Scope before = Scope.of(in).and(null, state);
        ProjectionPlan next = context.expressions().project(before, nexts);
        if (next == null || !typesStay(context, state, next.result(), states)) {
            return null;
        }
        Scope after = before.and("next", state);
        ProjectionPlan select = context.expressions().project(after, Snippet.of(context.fields().texts("select")));
        boolean always = !context.fields().isWritten("emit_when");
        Compiled<Predicate> emitWhen = always ? null
                : context.expressions().predicate(after, Snippet.of(context.fields().text("emit_when")));
        if (select == null || emitWhen == null && !always) {
            return null;
        }
        context.needsOrder(context.input(), "in");
        return keyed(context, new ScanSpec(keys, state, initial, next, emitWhen, select, context.fields().flag("emit_at_end"),
                null));
    }

    /** The result for a scan, which is given the clocks of its keys; null after a refusal. */
    static PlanningResult keyed(PlanningContext context, ScanSpec scan) {
        if (!KeyClocks.fit(context, scan.keys)) {
            return null;
        }
        // The watermark has long passed the times of the final rows.
        EventTime time = scan.atEnd ? null : EventTimes.through(context.input().time(), scan.select.origins());
        return PlanningResult.keyed(scan.with(KeyClocks.of(context, scan.keys)),
                context.input().with(scan.select.result(), time == null ? null : time.inOrder()),
                KeyClocks.dealing(context, Snippet.sql(Snippet.of(context.fields().texts("group_by")))));
    }

    private static List<Text> texts(Map<String, Values> states) {
        return states.values().stream().flatMap(s -> Stream.of(s.text("initial"), s.text("next"))).toList();
    }

    private static boolean namesFit(PlanningContext context, Schema in, Map<String, Values> states) {
        if (states.isEmpty()) {
            context.refuse(context.fields().place("state"), Rule.OUT_OF_RANGE, "a scan without state", "project needs none");
            return false;
        }
        boolean fit = true;
        List<String> seen = new ArrayList<>();
        for (Map.Entry<String, Values> state : states.entrySet()) {
            String name = state.getKey();
            if (in.indexOf(name) >= 0 || seen.contains(name.toLowerCase(Locale.ROOT))) {
                context.refuse(state.getValue().place(), Rule.DUPLICATE_COLUMN, "state `" + name + "` has the name of "
                        + (in.indexOf(name) >= 0 ? "a column of the packet" : "another state"), "give it another name");
                fit = false;
            }
            seen.add(name.toLowerCase(Locale.ROOT));
        }
        return fit;
    }

    private static boolean typesStay(PlanningContext context, Schema state, Schema next, Map<String, Values> states) {
        boolean stay = true;
        for (int k = 0; k < state.size(); k++) {
            Type before = state.column(k).type();
            Type after = next.column(k).type();
            if (!before.equals(after)) {
                Text text = states.get(state.column(k).name()).text("next");
                context.refuse(text.place(), Rule.STATE_TYPE, "state `" + state.column(k).name() + "` is " + before.sql()
                        + " by its `initial`, and `next` gives " + after.sql(), "cast one of them: CAST(… AS " + after.sql()
                        + ") in `initial`, or CAST(… AS " + before.sql() + ") here");
                stay = false;
            }
        }
        return stay;
    }

    /**
     * A fold in event order (arrival order if the stream has no event time). Outputs: 0 {@code out}, 1 {@code late}.
     *
     * @param keys     key of a packet; null without groups
     * @param state    the state's columns, all nullable: the schema of the rows that {@code initial} and {@code next} write
     * @param initial  over the packet: the state before a group's first packet
     * @param next     over the packet and the state before it
     * @param emitWhen over the packet, the state before it and the state after it ({@code next.name}); null for always
     * @param select   over the same three
     * @param atEnd    whether each group emits one more row at the end, from its last packet and final state
     * @param clocks   of its keys; null if all packets have one clock
     */
    public record ScanSpec(ProjectionPlan keys, Schema state, ProjectionPlan initial, ProjectionPlan next,
            Compiled<Predicate> emitWhen, ProjectionPlan select, boolean atEnd, KeyClocks clocks) implements ExecutableSpec {
        @Override
        public boolean isFold() {
            return true;
        }

        @Override
        public boolean ordersOut() {
            return !atEnd;
        }

        ScanSpec with(KeyClocks others) {
            return new ScanSpec(keys, state, initial, next, emitWhen, select, atEnd, others);
        }

        @Override
        public TimePerKey timePerKey() {
            return TimePerKey.KEPT;
        }

        /** Ordinals of the packet's columns that {@code select} reads. */
        public List<Integer> selected(Schema packet) {
            return select.reads().stream().filter(k -> k < packet.size()).sorted().toList();
        }

        @Override
        public List<Compiled<?>> code() {
            return Arrays.asList(keys == null ? null : keys.compiled(), initial.compiled(), next.compiled(), emitWhen,
                    select.compiled(), clocks == null ? null : clocks.keys().compiled());
        }

        @Override
        public List<SparkGap> sparkGaps(Target target) {
            return target != Target.SPARK_STREAMING || !atEnd ? List.of()
                    : List.of(new SparkGap("`emit_at_end` waits for the end of the stream, which never comes there",
                            "leave it out"));
        }

        @Override
        public long pauseMicros() {
            return emitWhen == null ? 0 : NEVER;
        }

        @Override
        public String losesTime() {
            return atEnd ? "with `emit_at_end` its last rows leave when the watermark has passed them" : null;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Scan(making.order(0), new Scan.Fold(making.keys(keys, clocks), state, initial.compiled(), next.compiled(),
                    emitWhen, select.compiled(), atEnd ? selected(making.input(0).schema()) : null));
        }
    }
}
